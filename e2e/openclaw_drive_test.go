//go:build unix

package e2e_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bullpen-office/bullpen/agents/openclaw"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/drivetest"
)

// A real gateway's agent works for the office: it uses tools, gets a person's approval, sends text,
// reports usage and can be stopped. An office that follows the same gateway does not list the agent
// twice.
func TestOpenClawWorksForTheOffice(t *testing.T) {
	t.Parallel() // starting the gateway takes most of the time
	c := newClaw(t)
	o := openClawOffice(t, c.url(), t.TempDir())
	o.agent("agent_openclaw_main", "idle")
	before := len(o.activity())
	d := openclaw.New(openclaw.Config{URL: c.url(), Token: clawToken, Dir: t.TempDir()})
	s, err := d.Open(t.Context(), drive.Spec{Key: "agent_eng_1::crew", AgentID: "agent_eng_1"})
	if err != nil {
		t.Fatal(err)
	}
	sink := &drivetest.Sink{Verdict: func(p contracts.Permission) (drive.Verdict, error) {
		return drive.Verdict{Allow: strings.Contains(string(p.Args), "echo driven")}, nil
	}}
	answer, err := s.Turn(t.Context(), drive.Prompt{Text: `CALL exec {"command":"echo driven"} END`}, sink)
	if err != nil || answer.Text != "All done." || !strings.Contains(sink.Text(), "All done.") {
		t.Fatalf("%+v %v, streamed %q", answer, err, sink.Text())
	}
	for _, want := range []string{"start exec", "end exec jsontext.Value", "thinks"} {
		if !slices.Contains(sink.Lines(), want) {
			t.Errorf("%q did not happen: %q", want, sink.Lines())
		}
	}
	if !slices.ContainsFunc(sink.Lines(), func(l string) bool { return strings.HasPrefix(l, "may it") }) {
		t.Errorf("no permission was requested: %q", sink.Lines())
	}
	if u := answer.Usage; u.TokensIn != 200 || u.TokensOut != 40 || u.CostUSD == nil {
		t.Errorf("used %+v", u)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if _, err := s.Turn(ctx, drive.Prompt{Text: "SLOW"}, &interrupting{cancel: cancel}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if answer, err := s.Turn(t.Context(), drive.Prompt{Text: "go on"}, &drivetest.Sink{}); err != nil || answer.Text != "All done." {
		t.Errorf("after a stop: %+v %v", answer, err)
	}
	c.chat().say("agent:main:main", "hello") // marks the end of the feed
	o.fact(`"turn_end"`)
	for _, h := range o.activity()[before:] {
		if strings.Contains(jsonOf(h), "bullpen-") {
			t.Errorf("a follower of the gateway shows the office's own session: %v", h)
		}
	}
}

// interrupting is a sink that stops a turn at its first word.
type interrupting struct {
	drivetest.Sink
	cancel func()
	once   sync.Once
}

func (s *interrupting) Delta(kind, text string) { s.once.Do(s.cancel) }
