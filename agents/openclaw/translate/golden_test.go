package translate

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "update the golden files in testdata")

// recorded returns frames from a real gateway (OpenClaw 2026.9.6), reduced to the relevant ones.
func recorded(t *testing.T, name string) (frames []Frame) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		f, err := ParseFrame(lines.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		frames = append(frames, f)
	}
	return frames
}

func answer(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// readerWithAgents returns a reader that has read the recorded agent list, and the findings from
// that list.
func readerWithAgents(t *testing.T) (*Reader, []Finding) {
	t.Helper()
	r := NewReader(Gateway{Name: "127.0.0.1:18789"})
	found, err := r.Agents(answer(t, "agents.json"), 1000)
	if err != nil {
		t.Fatal(err)
	}
	return r, found
}

func play(t *testing.T, r *Reader, frames []Frame) (all []Finding) {
	t.Helper()
	for i, f := range frames {
		found, err := r.Event(f.Event, f.Payload, int64(2000+i))
		if err != nil {
			t.Fatalf("frame %d: %v", i+1, err)
		}
		all = append(all, found...)
	}
	return all
}

// line formats a finding as one line of a golden file.
func line(t *testing.T, f Finding) string {
	t.Helper()
	switch {
	case f.Profile != nil:
		p := f.Profile
		return fmt.Sprintf("person   %s %q of %s, session %s, parent %q, at %q, model %q", p.AgentID, p.Name, p.Source, p.Session, p.ParentID, p.Place, p.Model)
	case f.Evidence != nil:
		e := f.Evidence
		return strings.TrimRight(fmt.Sprintf("evidence %s %s call=%s (%s) %s", f.AgentID, e.Claim, e.Call, e.Says, e.Line), " ")
	case f.Approval != nil:
		a := f.Approval
		return fmt.Sprintf("approval %s %s %q %q args %s at %q", a.Kind, a.ID, a.Prompt, a.Options, a.Allows.Args, a.Allows.Place)
	case f.Settled != nil:
		return fmt.Sprintf("settled  %s %s", f.Settled.ID, f.Settled.Decision)
	case f.Reread != "":
		return "reread   " + f.Reread
	}
	switch fact := f.Fact.(type) {
	case contracts.HUDSeen:
		rec, err := contracts.NewRecord(1, 0, "", &fact.HUD)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("hud      %s %s", fact.HUD.UUID[:8], rec.Body)
	case contracts.UsageSeen:
		cost := "unknown"
		if fact.Usage.CostUSD != nil {
			cost = fmt.Sprintf("%.5f", *fact.Usage.CostUSD)
		}
		return fmt.Sprintf("usage    %s turn %s: %s %d in, %d out, cost %s", fact.AgentID, fact.TurnID, fact.Usage.Model, fact.Usage.TokensIn, fact.Usage.TokensOut, cost)
	}
	t.Fatalf("an empty finding: %+v", f)
	return ""
}

func compare(t *testing.T, name string, found []Finding) {
	t.Helper()
	var b strings.Builder
	for _, f := range found {
		if f.Evidence != nil && f.Evidence.Claim == "sign" {
			continue // these findings are frequent and add little
		}
		b.WriteString(line(t, f) + "\n")
	}
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Error(diff)
	}
}

// A real gateway's frames produce exactly the findings in the golden files.
func TestRecordedFrames(t *testing.T) {
	for _, name := range []string{"tools", "fail", "reset", "abort", "subagent", "approval"} {
		t.Run(name, func(t *testing.T) {
			r, found := readerWithAgents(t)
			compare(t, name, append(found, play(t, r, recorded(t, name+".jsonl"))...))
		})
	}
}

func TestRecordedHistory(t *testing.T) {
	for _, name := range []string{"tools_history", "fail_history", "subagent_history"} {
		t.Run(name, func(t *testing.T) {
			r, _ := readerWithAgents(t)
			found, err := r.History(answer(t, name+".json"), 0, 1)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, name, found)
		})
	}
}
