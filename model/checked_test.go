package model

import (
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// localTime is a date and time in a test vector, without a time zone.
type localTime string

func (s localTime) in(t *testing.T, zone *time.Location) int64 {
	t.Helper()
	if s == "" {
		return 0
	}
	at, err := time.ParseInLocation("2006-01-02T15:04", string(s), zone)
	if err != nil {
		t.Fatal(err)
	}
	return at.UnixMilli()
}

// call is a check or a command in a vector.
type call struct {
	Since    localTime              `json:"since"`
	At       localTime              `json:"at"`
	What     string                 `json:"what"`
	Outcome  contracts.CheckOutcome `json:"outcome"`
	ExitCode *int                   `json:"exit_code"`
}

func (c *call) impact(t *testing.T, zone *time.Location) *contracts.Impact {
	if c == nil {
		return nil
	}
	return &contracts.Impact{At: c.At.in(t, zone), Since: c.Since.in(t, zone), What: c.What, Outcome: c.Outcome, ExitCode: c.ExitCode}
}

// TestCheckedVectors runs contracts/vectors/checked.json, as web/src/world/checked.test.ts does:
// both clients describe an agent's edits in the same words, in the user's time zone.
func TestCheckedVectors(t *testing.T) {
	var cases []struct {
		Name    string    `json:"name"`
		Now     localTime `json:"now"`
		Checked struct {
			State   contracts.EditsState `json:"state"`
			Done    localTime            `json:"done"`
			Edit    localTime            `json:"edit"`
			Check   *call                `json:"check"`
			Command *call                `json:"command"`
		} `json:"checked"`
		Want string `json:"want"`
	}
	readVectors(t, "checked.json", &cases)
	if len(cases) < 8 {
		t.Fatalf("only %d cases", len(cases))
	}
	for _, zone := range []*time.Location{time.UTC, time.FixedZone("far", 9*60*60+30*60)} {
		for _, c := range cases {
			of := contracts.Checked{
				State: c.Checked.State, DoneAt: c.Checked.Done.in(t, zone), Edit: contracts.Impact{At: c.Checked.Edit.in(t, zone)},
				Check: c.Checked.Check.impact(t, zone), Command: c.Checked.Command.impact(t, zone),
			}
			if got := CheckedWords(&of, time.UnixMilli(c.Now.in(t, zone)).In(zone)); got != c.Want {
				t.Errorf("%s: %q, want %q", c.Name, got, c.Want)
			}
		}
	}
}
