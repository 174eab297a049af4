package codex_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/agents/codex"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/drivetest"
	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/bullpen-office/bullpen/e2e/leaktest"
)

// playCommand is the argument that makes this test program act as Codex.
const playCommand = "play-codex"

func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == playCommand && os.Args[3] == "app-server" {
		play(os.Args[2])
		os.Exit(0)
	}
	if len(os.Args) > 1 && os.Args[1] == process.TendCommand {
		os.Exit(process.Tend(os.Args[2:]))
	}
	leaktest.Main(m)
}

// rig is a session in which this test program acts as Codex.
type rig struct {
	drive.Session
	t     *testing.T
	sink  *drivetest.Sink
	began []string
}

func newRig(t *testing.T, scenario, resume string) *rig {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, sink: &drivetest.Sink{}}
	d := codex.New(codex.Config{Command: self, Args: []string{playCommand, scenario}, Began: func(id string) { r.began = append(r.began, id) }})
	if r.Session, err = d.Open(t.Context(), drive.Spec{Workspace: t.TempDir(), Resume: resume, Env: os.Environ()}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func (r *rig) turn(ctx context.Context) (drive.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	return r.Turn(ctx, drive.Prompt{Text: "go"}, r.sink)
}

// A turn shows thinking, calls, text and usage. The next turn uses the same thread, which is marked
// as the office's own.
func TestTurn(t *testing.T) {
	r := newRig(t, "plain", "")
	for range 2 {
		answer, err := r.turn(t.Context())
		if err != nil || answer.Text != "Hello." || answer.Usage.TokensIn != 120 || answer.Usage.CacheRead != 80 || answer.Usage.TokensOut != 14 {
			t.Fatalf("%+v, %v", answer, err)
		}
	}
	if got := strings.Join(r.sink.Lines()[:4], ", "); got != "thinks, has thought, start exec, end exec hud.ExecResult" {
		t.Error(got)
	}
	if r.ID() != "th_1" || !slices.Equal(r.began, []string{"th_1"}) || r.sink.Text() != "Hello.Hello." {
		t.Errorf("%q, %q, %q", r.ID(), r.began, r.sink.Text())
	}
}

// Failures, missing end events and unknown values in Codex's output are shown, not hidden.
func TestOddTurns(t *testing.T) {
	for scenario, c := range map[string]struct {
		answer, failure, result string
	}{
		"done after a failure":         {"All done.", "", "ExitCode:2"},
		"a call that never ends":       {"", "", "the turn ended before this call finished"},
		"failed":                       {"", "the turn failed in Codex: the model is gone", ""},
		"crash":                        {"", "Codex ended: ", "the turn ended before this call finished"},
		"flood":                        {"Hello.", "", "beam"},
		"an unknown status":            {"", `unknown Codex status: "sublimated"`, ""},
		"approval that cannot be read": {"The answer was decline.", "", ""},
		"approval of nothing":          {"The answer was decline.", "", ""},
	} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, scenario, "")
			answer, err := r.turn(t.Context())
			if answer.Text != c.answer || (err == nil) != (c.failure == "") || err != nil && !strings.Contains(err.Error(), c.failure) {
				t.Errorf("%+v, %v", answer, err)
			}
			if !strings.Contains(strings.Join(r.sink.Results(), "\n"), c.result) {
				t.Errorf("results %q", r.sink.Results())
			}
		})
	}
}

// A person answers Codex's questions. If any answer is missing, Codex receives none.
func TestQuestions(t *testing.T) {
	answered := func(second contracts.DecisionStatus) func([]contracts.AskSeen) ([]contracts.Decision, error) {
		return func(q []contracts.AskSeen) ([]contracts.Decision, error) {
			if len(q) != 2 || q[0].Header != "Color · 1 of 2" || q[1].Header != "2 of 2" || !q[1].AllowFreeText || len(q[1].Options) != 0 || q[0].Permission.CallID != "q1" {
				t.Errorf("asked %+v", q)
			}
			return []contracts.Decision{{Status: contracts.DecisionResolved, Choice: q[0].Options[1], Note: "or green"}, {Status: second, Choice: "Ada"}}, nil
		}
	}
	const none = `{"answers":{}}`
	for name, c := range map[string]struct {
		scenario string
		answer   func([]contracts.AskSeen) ([]contracts.Decision, error)
		want     string
	}{
		"answered":      {"questions", answered(contracts.DecisionResolved), `{"answers":{"color":{"answers":["Blue  sky","or green"]},"name":{"answers":["Ada"]}}}`},
		"half answered": {"questions", answered(contracts.DecisionCancelled), none},
		"unanswered":    {"questions", func([]contracts.AskSeen) ([]contracts.Decision, error) { return nil, errors.New("no one") }, none},
		"secret":        {"a question for a secret", nil, none},
		"unreadable":    {"a question that cannot be read", nil, none},
		"ambiguous":     {"options that look the same", nil, none},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, c.scenario, "")
			r.sink.Answer = c.answer
			if answer, err := r.turn(t.Context()); err != nil || answer.Text != c.want {
				t.Errorf("%+v, %v", answer, err)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	r := newRig(t, "questions", "")
	s := &withdrawn{Sink: r.sink, cancel: cancel}
	if _, err := r.Turn(ctx, drive.Prompt{Text: "go"}, s); !errors.Is(err, context.Canceled) || errors.Is(err, drive.ErrGone) {
		t.Errorf("%v", err)
	}
}

// withdrawn is a sink whose turn is cancelled while a question is open.
type withdrawn struct {
	*drivetest.Sink
	cancel func()
}

func (w *withdrawn) Ask(ctx context.Context, _ []contracts.AskSeen) ([]contracts.Decision, error) {
	w.cancel()
	<-ctx.Done()
	return nil, ctx.Err()
}

// A person's answer decides whether a command runs. A request that is pending when the turn is
// cancelled is cancelled too.
func TestApproval(t *testing.T) {
	for name, c := range map[string]struct {
		permit func(context.Context, contracts.Permission) (drive.Verdict, error)
		want   string
	}{
		"allowed": {func(context.Context, contracts.Permission) (drive.Verdict, error) {
			return drive.Verdict{Allow: true}, nil
		}, "The answer was accept."},
		"denied": {func(context.Context, contracts.Permission) (drive.Verdict, error) { return drive.Verdict{}, nil }, "The answer was decline."},
		"unanswered": {func(context.Context, contracts.Permission) (drive.Verdict, error) {
			return drive.Verdict{}, errors.New("no one")
		}, "The answer was decline."},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "approval", "")
			s := &asking{Sink: r.sink, permit: c.permit}
			answer, err := r.Turn(t.Context(), drive.Prompt{Text: "go"}, s)
			if err != nil || answer.Text != c.want || s.asked.Tool != "exec" || !strings.Contains(string(s.asked.Args), `"make all"`) || s.asked.CallID != "c1" {
				t.Errorf("%+v, %v, asked %+v", answer, err, s.asked)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	r := newRig(t, "approval", "")
	s := &asking{Sink: r.sink, permit: func(ctx context.Context, _ contracts.Permission) (drive.Verdict, error) {
		cancel()
		<-ctx.Done()
		return drive.Verdict{}, ctx.Err()
	}}
	if _, err := r.Turn(ctx, drive.Prompt{Text: "go"}, s); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// asking is a sink that answers permission requests.
type asking struct {
	*drivetest.Sink
	permit func(context.Context, contracts.Permission) (drive.Verdict, error)
	asked  contracts.Permission
}

func (a *asking) Permit(ctx context.Context, p contracts.Permission) (drive.Verdict, error) {
	a.asked = p
	return a.permit(ctx, p)
}

// A cancelled turn is interrupted, and the thread continues in the same process, even if Codex has
// not confirmed the start of the turn yet. After a crash, the next turn resumes the thread.
func TestInterruptAndResume(t *testing.T) {
	for _, scenario := range []string{"slow", "late answer"} {
		r := newRig(t, scenario, "")
		ctx, cancel := context.WithCancel(t.Context())
		s := &started{Sink: r.sink, on: cancel}
		if _, err := r.Turn(ctx, drive.Prompt{Text: "go"}, s); !errors.Is(err, context.Canceled) || errors.Is(err, drive.ErrGone) {
			t.Errorf("%s: %v", scenario, err)
		}
	}
	crash := newRig(t, "crash", "")
	for range 2 {
		if _, err := crash.turn(t.Context()); !errors.Is(err, drive.ErrGone) {
			t.Errorf("%v", err)
		}
	}
	if len(crash.began) < 2 || crash.ID() != "th_1" {
		t.Errorf("%q", crash.began)
	}
	if _, err := newRig(t, "unknown thread", "th_0").turn(t.Context()); !errors.Is(err, drive.ErrNoConversation) {
		t.Errorf("%v", err)
	}
	if _, err := codex.New(codex.Config{Command: "no-such-codex"}).Open(t.Context(), drive.Spec{}); err == nil || !strings.Contains(err.Error(), "install") {
		t.Errorf("%v", err)
	}
}

// started is a sink that calls a function when a tool call starts.
type started struct {
	*drivetest.Sink
	on func()
}

func (s *started) ToolStart(id, tool string, args any) func(any) {
	s.on()
	return s.Sink.ToolStart(id, tool, args)
}
