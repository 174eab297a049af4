package acp_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

// A turn reports thinking, tool calls, text and usage, and asks a person for permission. The
// messages in both directions follow the official schema.
func TestTurn(t *testing.T) {
	t.Parallel()
	r := newRig(t, "work")
	var asked contracts.Permission
	r.sink.Verdict = func(p contracts.Permission) (drive.Verdict, error) {
		asked = p
		return drive.Verdict{Allow: true}, nil
	}
	answer, err := r.ask("go")
	if err != nil {
		t.Fatal(err)
	}
	want := drive.Answer{Text: "All done.", Usage: contracts.Usage{TokensIn: 100, TokensOut: 20, CacheRead: 7, CostUSD: new(0.25)}}
	if diff := cmp.Diff(want, answer); diff != "" {
		t.Error(diff)
	}
	lines := []string{"thinks", "has thought", "start exec", "may it ⚡ make test", "end exec hud.ExecResult", "start edit", "end edit hud.EditResult"}
	if diff := cmp.Diff(lines, r.sink.Lines()); diff != "" {
		t.Error(diff)
	}
	if got := r.sink.Text(); got != "I look. All done." {
		t.Errorf("streamed %q", got)
	}
	if asked.CallID != "c1" || asked.Grants != "Allow all" || asked.Place != r.dir || string(asked.Args) != `{"command":"make test"}` {
		t.Errorf("asked for %+v", asked)
	}
	if got := r.sink.Results(); !strings.Contains(got[0], "ExitCode:0") || !strings.Contains(got[1], "-two\n+2\n") {
		t.Errorf("%q", got)
	}
	r.checked(true)
}

// A session runs many turns in one process. Closing the session closes the conversation and ends
// the process.
func TestSession(t *testing.T) {
	t.Parallel()
	r := newRig(t, "echo")
	s := r.open("")
	for _, text := range []string{"one", "two"} {
		if answer, err := r.turn(s, text); err != nil || answer.Text != "You said: "+text {
			t.Errorf("%+v %v", answer, err)
		}
	}
	if s.ID() != "s1" {
		t.Errorf("id %q", s.ID())
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := r.turn(s, "three"); err == nil {
		t.Error("a closed session answers")
	}
	log := r.checked(true)
	if len(sent(log, "initialize")) != 1 || len(sent(log, "session/close")) != 1 {
		t.Errorf("%v", log)
	}
}

// Only a person's consent allows a call, and consent to one call is not consent to later calls.
func TestPermission(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		verdict drive.Verdict
		err     error
		want    string
	}{
		"allow":  {drive.Verdict{Allow: true}, nil, "yes"},
		"always": {drive.Verdict{Allow: true, Always: true}, nil, "always"},
		"deny":   {drive.Verdict{Note: "No."}, nil, "no"},
		"silent": {drive.Verdict{Allow: true}, errors.New("no one answered"), "no"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, "permit")
			r.sink.Verdict = func(contracts.Permission) (drive.Verdict, error) { return c.verdict, c.err }
			if answer, err := r.ask("go"); err != nil || answer.Text != c.want {
				t.Errorf("%+v %v", answer, err)
			}
			r.checked(true)
		})
	}
}

// A permission request is answered with "cancelled" if it arrives after the turn was cancelled, if
// it is open when the turn is cancelled, if no turn is running, or if the agent withdraws it.
func TestPermissionWithoutATurn(t *testing.T) {
	t.Parallel()
	for scenario, line := range map[string]string{"late": "working", "pending": "may it ⚡ rm -rf /"} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, scenario)
			s := r.open("")
			if _, err := r.stopped(s, line); !errors.Is(err, context.Canceled) || errors.Is(err, drive.ErrGone) {
				t.Errorf("%v", err)
			}
			if got, err := os.ReadFile(filepath.Join(r.dir, "note")); err != nil || string(got) != "cancelled" {
				t.Errorf("%q %v", got, err)
			}
			if n := len(sent(r.checked(true), "session/cancel")); n != 1 {
				t.Errorf("cancelled %d times", n)
			}
		})
	}
	t.Run("between", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, "between")
		r.answer(drive.Verdict{Allow: true})
		s := r.open("")
		if _, err := r.turn(s, "one"); err != nil {
			t.Fatal(err)
		}
		until(func() bool { return strings.Count(readText(r.log), `"id":"req-2"`) == 2 })
		if answer, err := r.turn(s, "two"); err != nil || answer.Text != "cancelled true" {
			t.Errorf("%+v %v", answer, err)
		}
		if lines := r.sink.Lines(); len(lines) > 0 {
			t.Errorf("%q", lines)
		}
	})
	t.Run("withdraw", func(t *testing.T) {
		t.Parallel()
		r := newRig(t, "withdraw")
		if answer, err := r.ask("go"); err != nil || answer.Text != "cancelled" {
			t.Errorf("%+v %v", answer, err)
		}
	})
}

func readText(path string) string {
	b, _ := os.ReadFile(path)
	return string(b)
}

// A permission request that offers several ways to say yes is shown as a question with the agent's
// own options.
func TestQuestion(t *testing.T) {
	t.Parallel()
	for choice, want := range map[string]string{"To production": "b", "No": "n", "Something else": "cancelled"} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, "question")
			r.sink.Answer = func(list []contracts.AskSeen) ([]contracts.Decision, error) {
				if q := list[0]; len(list) != 1 || q.Kind != contracts.DecisionPermission || !slices.Equal(q.Options, []string{"To staging", "To production", "No"}) {
					t.Errorf("%+v", list)
				}
				return []contracts.Decision{{Status: contracts.DecisionResolved, Choice: choice}}, nil
			}
			if answer, err := r.ask("go"); err != nil || answer.Text != want {
				t.Errorf("%+v %v", answer, err)
			}
		})
	}
}

// A request that a person cannot review completely is refused, even if the person would allow every
// request.
func TestUnreadablePermission(t *testing.T) {
	t.Parallel()
	r := newRig(t, "unreadable")
	r.answer(drive.Verdict{Allow: true})
	answer, err := r.ask("go")
	// The sixth is too large to show; the seventh offers only to allow all calls.
	if want := "cancelled cancelled cancelled cancelled cancelled no cancelled cancelled"; err != nil || answer.Text != want {
		t.Errorf("%q %v", answer.Text, err)
	}
	r.checked(false)
}

// An agent that says "done" after a failed call does not hide the failure.
func TestFailureIsShown(t *testing.T) {
	t.Parallel()
	r := newRig(t, "failed")
	answer, err := r.ask("go")
	if err != nil || answer.Text != "done" {
		t.Errorf("%+v %v", answer, err)
	}
	if got := r.sink.Results(); len(got) != 1 || !strings.Contains(got[0], "OK:false") || !strings.Contains(got[0], "no rule to make target") {
		t.Errorf("%q", got)
	}
}

// A call that is still open at the end of the turn ends as a failure.
func TestUnfinishedCall(t *testing.T) {
	t.Parallel()
	r := newRig(t, "unfinished")
	if _, err := r.ask("go"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"start exec", "thinks", "has thought", "end exec hud.ExecResult"}, r.sink.Lines()); diff != "" {
		t.Error(diff)
	}
	if got := r.sink.Results()[0]; !strings.Contains(got, "OK:false") || !strings.Contains(got, "the turn ended before this call finished") {
		t.Errorf("%q", got)
	}
}

// A turn succeeds only if the agent's stop reason is known to mean success.
func TestStopReasons(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]string{
		"end_turn": "", "max_tokens": "", "refusal": "refused to continue", "max_turn_requests": "limit of model requests", "cancelled": "on its own", "boredom": `unknown reason: "boredom"`, "": "unknown reason",
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, "stops", reason)
			answer, err := r.ask("go")
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%v", err)
			}
			if answer.Text != "so far" || answer.Cut != (reason == "max_tokens") {
				t.Errorf("%+v", answer)
			}
		})
	}
}

// The recorded streams of different real agents produce the same turn: a permission request, a
// command and an answer.
func TestRecordedAgents(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/recorded/*.jsonl")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			path, err := filepath.Abs(file)
			if err != nil {
				t.Fatal(err)
			}
			r := newRig(t, "replay", path)
			r.answer(drive.Verdict{Allow: true})
			answer, err := r.ask("go")
			if err != nil || answer.Text != "acp done" {
				t.Errorf("%+v %v", answer, err)
			}
			lines := r.sink.Lines()
			if len(lines) != 3 || lines[0] != "start exec" || !strings.HasPrefix(lines[1], "may it ⚡ touch acp-") || lines[2] != "end exec hud.ExecResult" {
				t.Errorf("%q", lines)
			}
			if got := r.sink.Results(); !strings.Contains(got[0], "OK:true") {
				t.Errorf("%q", got)
			}
			r.checked(false)
		})
	}
}
