//go:build unix

package e2e_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	agent "github.com/bullpen-office/bullpen/agents/codex"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/drivetest"
)

// permitting is a sink that allows everything, and calls running when a command starts.
type permitting struct {
	drivetest.Sink
	asked   contracts.Permission
	running func()
}

func (p *permitting) Permit(_ context.Context, q contracts.Permission) (drive.Verdict, error) {
	p.asked = q
	return drive.Verdict{Allow: true}, nil
}

func (p *permitting) ToolStart(id, tool string, args any) func(any) {
	if p.running != nil {
		p.running()
	}
	return p.Sink.ToolStart(id, tool, args)
}

// The office drives real Codex, which works, asks for permission, is stopped, and continues its thread
// in a new process.
func TestCodexIsDriven(t *testing.T) {
	t.Parallel()
	d, codex := newCodexDesk(t, codexScript)
	driver := agent.New(agent.Config{Command: codex, Args: []string{"--enable", "default_mode_request_user_input"}})
	open := func(resume string) drive.Session {
		s, err := driver.Open(t.Context(), drive.Spec{Workspace: d.project, Env: append(d.environment(), "PATH="+os.Getenv("PATH")), Resume: resume})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	s, sink := open(""), &permitting{}
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	defer cancel()
	answer, err := s.Turn(ctx, drive.Prompt{Text: "ask please"}, sink)
	if err != nil || answer.Text != "All done." || answer.Usage.TokensIn != 200 || answer.Usage.CacheRead != 100 || !d.exists("made.txt") {
		t.Errorf("%+v, %v", answer, err)
	}
	if sink.asked.Tool != "exec" || !strings.Contains(string(sink.asked.Args), `"touch made.txt"`) {
		t.Errorf("asked for %+v", sink.asked)
	}
	if _, err := s.Turn(ctx, drive.Prompt{Text: "fail please"}, sink); err != nil || !strings.Contains(strings.Join(sink.Results(), "\n"), "ExitCode:3") {
		t.Errorf("%v, results %q", err, sink.Results())
	}
	asked := &drivetest.Sink{Answer: func(q []contracts.AskSeen) ([]contracts.Decision, error) {
		return []contracts.Decision{{Status: contracts.DecisionResolved, Options: q[0].Options, Choice: "Blue"}}, nil
	}}
	if answer, err := s.Turn(ctx, drive.Prompt{Text: "question please"}, asked); err != nil || answer.Text != "All done." || !slices.Contains(asked.Lines(), "asks Which color?") {
		t.Errorf("%+v, %v, sink %q", answer, err, asked.Lines())
	}
	stopped, stop := context.WithCancel(ctx)
	if _, err := s.Turn(stopped, drive.Prompt{Text: "slow please"}, &permitting{running: stop}); !errors.Is(err, context.Canceled) || errors.Is(err, drive.ErrGone) {
		t.Errorf("%v", err)
	}
	id := s.ID()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if answer, err := open(id).Turn(ctx, drive.Prompt{Text: "hello again"}, &permitting{}); err != nil || answer.Text != "All done." {
		t.Errorf("%+v, %v", answer, err)
	}
	if _, err := open("01a1e323-6586-7c13-873a-000000000000").Turn(ctx, drive.Prompt{Text: "hello"}, &permitting{}); !errors.Is(err, drive.ErrNoConversation) {
		t.Errorf("a thread that does not exist: %v", err)
	}
}
