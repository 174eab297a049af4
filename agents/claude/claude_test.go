package claude_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/agents/claude"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/drivetest"
	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/bullpen-office/bullpen/e2e/leaktest"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == process.TendCommand {
		os.Exit(process.Tend(os.Args[2:]))
	}
	leaktest.Main(m)
}

// program returns the path of the real Claude Code that `make agents` installs.
func program(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../.cache/agents/claude")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "node_modules", ".bin", "claude")
	if _, err := os.Stat(filepath.Join(dir, "installed")); err != nil { // missing if the installation was interrupted
		if path, err = exec.LookPath("claude"); err != nil {
			t.Skip("Claude Code is not installed: run `make agents`")
		}
	}
	return path
}

// script plays the model behind Claude Code.
func script(prompt string, step int) []drivetest.Block {
	switch {
	case strings.Contains(prompt, "work") && step == 0:
		return []drivetest.Block{{Thinking: "let me look"}, {Text: "I look. "}, {Tool: "Read", Input: map[string]string{"file_path": "a.txt"}},
			{Tool: "Bash", Input: map[string]string{"command": "echo hi", "description": "greet"}}}
	case strings.Contains(prompt, "which") && step == 0:
		option := func(label string) map[string]string {
			return map[string]string{"label": label, "description": "about " + label}
		}
		return []drivetest.Block{{Tool: "AskUserQuestion", Input: map[string]any{"questions": []any{
			map[string]any{"question": "Which one?", "header": "One", "multiSelect": false, "options": []any{option("Left"), option("Right")}},
			map[string]any{"question": "Which ones?", "header": "Many", "multiSelect": true, "options": []any{option("Up"), option("Down")}},
		}}}}
	case strings.Contains(prompt, "touch") && step == 0:
		return []drivetest.Block{{Tool: "Bash", Input: map[string]string{"command": "touch made", "description": "make"}}}
	case strings.Contains(prompt, "shout") && step == 0:
		command := "touch made #" + strings.Repeat("x", contracts.LimitPermission)
		return []drivetest.Block{{Tool: "Bash", Input: map[string]string{"command": command, "description": "shout"}}}
	case strings.Contains(prompt, "sleep") && step == 0:
		return []drivetest.Block{{Tool: "Bash", Input: map[string]string{"command": "sleep 300 && touch made", "description": "sleep"}}}
	}
	return []drivetest.Block{{Text: "done: " + prompt}}
}

// interrupted is a sink that stops the turn when the second message starts.
type interrupted struct {
	drivetest.Sink
	stop context.CancelFunc
}

func (s *interrupted) Used(u contracts.Usage) {
	s.Sink.Used(u)
	if len(s.Reports()) == 3 { // start and end of the first message, start of the second
		s.stop()
	}
}

// A turn that is interrupted in the middle of a message also reports that message's tokens:
// otherwise a budget that stopped a turn would not look exhausted.
func TestUsageOfAnInterruptedTurn(t *testing.T) {
	t.Parallel()
	held := make(chan struct{})
	r := newScriptedRig(t, func(_ string, step int) []drivetest.Block {
		if step == 0 {
			return []drivetest.Block{{Tool: "Glob", Input: map[string]string{"pattern": "*.txt"}}}
		}
		return []drivetest.Block{{Text: "too late", Until: held}}
	})
	t.Cleanup(func() { close(held) })
	s := r.open("")
	ctx, cancel := context.WithCancel(t.Context())
	sink := &interrupted{stop: cancel}
	answer, err := s.Turn(ctx, drive.Prompt{Text: "look"}, sink)
	if !errors.Is(err, context.Canceled) || answer.Usage.TokensIn != 200 || answer.Usage.TokensOut != 43 {
		t.Errorf("%v, used %+v, reported %+v", err, answer.Usage, sink.Reports())
	}
}

type rig struct {
	env    []string // environment of the program
	t      *testing.T
	driver *claude.Driver
	dir    string
	began  []string
}

func newRig(t *testing.T) *rig {
	t.Helper()
	return newScriptedRig(t, script)
}

func newScriptedRig(t *testing.T, script func(prompt string, step int) []drivetest.Block) *rig {
	t.Helper()
	model := httptest.NewServer(&drivetest.Messages{Script: script})
	t.Cleanup(model.Close)
	r := &rig{t: t, dir: t.TempDir()}
	if err := os.WriteFile(filepath.Join(r.dir, "a.txt"), []byte("hello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.driver = claude.New(claude.Config{
		Command: program(t), Began: func(id string) { r.began = append(r.began, id) },
	})
	r.env = []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "ANTHROPIC_BASE_URL=" + model.URL, "ANTHROPIC_API_KEY=x",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1"}
	return r
}

func (r *rig) open(resume string) drive.Session {
	r.t.Helper()
	s, err := r.driver.Open(r.t.Context(), drive.Spec{Key: "dev::test", Resume: resume, Workspace: r.dir, Env: r.env})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		if err := s.Close(); err != nil {
			r.t.Error(err)
		}
	})
	return s
}

func always(v drive.Verdict) func(contracts.Permission) (drive.Verdict, error) {
	return func(contracts.Permission) (drive.Verdict, error) { return v, nil }
}

// A turn shows thinking, parallel tools and text, and reports its usage; the next turn uses the
// same process.
func TestTurnsShareAProcess(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.open("")
	sink := &drivetest.Sink{Verdict: always(drive.Verdict{Allow: true})}
	answer, err := s.Turn(t.Context(), drive.Prompt{Text: "work"}, sink)
	if err != nil {
		t.Fatal(err)
	}
	if answer.Text != "done: work" || !strings.Contains(sink.Text(), "I look. ") || !strings.Contains(sink.Text(), "done: work") {
		t.Errorf("answer %q, streamed %q", answer.Text, sink.Text())
	}
	u := answer.Usage
	if u.TokensIn != 200 || u.TokensOut != 84 || u.CacheRead != 100 || u.CostUSD == nil || u.Model == "" {
		t.Errorf("used %+v", u)
	}
	reports := sink.Reports() // reported during the turn: a budget must not wait for the end
	if len(reports) < 4 || reports[0].TokensIn != 100 || reports[len(reports)-1].TokensIn != 200 || reports[len(reports)-1].TokensOut != 84 {
		t.Errorf("reported while it ran: %+v", reports)
	}
	for _, want := range []string{"thinks", "has thought", "start read", "start exec", "end read hud.ReadResult", "end exec hud.ExecResult"} {
		if !slices.Contains(sink.Lines(), want) {
			t.Errorf("%q did not happen: %q", want, sink.Lines())
		}
	}
	again, err := s.Turn(t.Context(), drive.Prompt{Text: "more"}, &drivetest.Sink{})
	if err != nil || again.Text != "done: more" || again.Usage.CostUSD == nil || *again.Usage.CostUSD >= *u.CostUSD {
		t.Errorf("%+v %v: the cost of a turn must not include earlier turns", again, err)
	}
	if len(r.began) != 1 || r.began[0] != s.ID() {
		t.Errorf("began %q, the session is %q", r.began, s.ID())
	}
}

// A permission request describes what the tool would do. A denied tool does not run; a tool that is
// allowed afterwards does.
func TestDeniedToolDoesNotRun(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.open("")
	made := filepath.Join(r.dir, "made")
	var asked contracts.Permission
	sink := &drivetest.Sink{Verdict: func(p contracts.Permission) (drive.Verdict, error) {
		asked = p
		return drive.Verdict{Note: "not today"}, nil
	}}
	if _, err := s.Turn(t.Context(), drive.Prompt{Text: "touch it"}, sink); err != nil {
		t.Fatal(err)
	}
	if asked.Tool != "exec" || !strings.Contains(string(asked.Args), "touch made") || asked.CallID == "" || asked.Grants == "" {
		t.Errorf("asked %+v", asked)
	}
	if _, err := os.Stat(made); err == nil {
		t.Fatal("a denied tool ran")
	}
	if _, err := s.Turn(t.Context(), drive.Prompt{Text: "touch it again"}, &drivetest.Sink{Verdict: always(drive.Verdict{Allow: true})}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(made); err != nil {
		t.Errorf("an allowed tool did not run: %v", err)
	}
}

// A person sees the program's questions with their options, and the model receives the answers. If
// nobody answers, the program continues without answers.
func TestQuestionsAreAnsweredByAPerson(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.open("")
	var asked []contracts.AskSeen
	sink := &drivetest.Sink{Answer: func(list []contracts.AskSeen) ([]contracts.Decision, error) {
		asked = list
		return []contracts.Decision{
			{Status: contracts.DecisionResolved, Options: list[0].Options, Choice: "Right"},
			{Status: contracts.DecisionResolved, Options: list[1].Options, Choice: "Up, Down", Choices: []string{"Up", "Down"}},
		}, nil
	}}
	if _, err := s.Turn(t.Context(), drive.Prompt{Text: "which"}, sink); err != nil {
		t.Fatal(err)
	}
	if len(asked) != 2 || asked[0].Prompt != "Which one?" || asked[0].Descriptions[1] != "about Right" || !asked[1].Multiple || asked[0].Permission.CallID == "" {
		t.Fatalf("asked %+v", asked)
	}
	for _, want := range []string{"Which one? Right", "Which ones? Up, Down"} {
		if !strings.Contains(strings.Join(sink.Results(), "\n"), want) {
			t.Errorf("the model did not get %s: %q", want, sink.Results())
		}
	}
	refused := &drivetest.Sink{Answer: func([]contracts.AskSeen) ([]contracts.Decision, error) {
		return nil, errors.New("no one is here")
	}}
	if _, err := s.Turn(t.Context(), drive.Prompt{Text: "which again"}, refused); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(refused.Results(), "\n"), "no one is here") {
		t.Errorf("the model got %q", refused.Results())
	}
}

// A7: a call that is too large for a person to read does not run, even if the person would allow
// everything.
func TestUnreadableCallDoesNotRun(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	sink := &drivetest.Sink{Verdict: func(contracts.Permission) (drive.Verdict, error) {
		t.Error("a person was asked about a call that cannot be shown")
		return drive.Verdict{Allow: true}, nil
	}}
	if _, err := r.open("").Turn(t.Context(), drive.Prompt{Text: "shout"}, sink); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(r.dir, "made")); err == nil {
		t.Error("the call ran")
	}
	if lines := sink.Lines(); !slices.Contains(lines, "start exec") {
		t.Errorf("the call was not tried: %q", lines)
	}
}

// An interrupt ends the turn, not the conversation. After the process has ended, another session
// can resume the conversation.
func TestInterruptKillResume(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.open("")
	ctx, cancel := context.WithCancel(t.Context())
	sink := &drivetest.Sink{Verdict: func(contracts.Permission) (drive.Verdict, error) {
		time.AfterFunc(200*time.Millisecond, cancel)
		return drive.Verdict{Allow: true}, nil
	}}
	if _, err := s.Turn(ctx, drive.Prompt{Text: "sleep long"}, sink); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v", err)
	}
	if answer, err := s.Turn(t.Context(), drive.Prompt{Text: "go on"}, &drivetest.Sink{}); err != nil || answer.Text != "done: go on" {
		t.Fatalf("%+v %v", answer, err)
	}
	id := s.ID()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	next := r.open(id)
	if answer, err := next.Turn(t.Context(), drive.Prompt{Text: "and on"}, &drivetest.Sink{}); err != nil || answer.Text != "done: and on" || next.ID() != id {
		t.Errorf("%+v %v, session %q then %q", answer, err, id, next.ID())
	}
}

// Resuming a conversation that the program does not know fails with drive.ErrNoConversation.
func TestUnknownConversationIsReported(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.open("11111111-2222-4333-8444-555555555555")
	if answer, err := s.Turn(t.Context(), drive.Prompt{Text: "go on"}, &drivetest.Sink{}); !errors.Is(err, drive.ErrNoConversation) {
		t.Errorf("%+v %v", answer, err)
	}
}
