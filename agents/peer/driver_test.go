//go:build unix

package peer_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/agents/peer"
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

// hall is a fake bridge; come is true if the program connects to it.
type hall struct {
	come   bool
	answer error
	exited chan string // receives the program's exit, which a turn waits for; if nil, turns do not wait
}

func (h hall) Open(context.Context, drive.Spec) (drive.Session, error) { return h, nil }
func (h hall) ID() string                                              { return "" }
func (h hall) Close() error                                            { return nil }

func (h hall) Turn(context.Context, drive.Prompt, drive.Sink) (drive.Answer, error) {
	if h.exited != nil {
		<-h.exited
		return drive.Answer{}, drive.ErrGone
	}
	return drive.Answer{Text: "hello"}, h.answer
}

func (h hall) gone(key, id string) { h.exited <- key + " " + id }

func (h hall) await(ctx context.Context, _ string) error {
	if h.come {
		return nil
	}
	<-ctx.Done()
	return ctx.Err()
}

func open(t *testing.T, h hall, script string, start time.Duration) drive.Session {
	t.Helper()
	now := time.Now() // a stopped clock, so that all crashes count as recent
	d := peer.New(peer.Config{Command: "/bin/sh", Args: []string{"-c", script}, Env: []string{"PATH=/usr/bin:/bin"}, Peer: h, Await: h.await, Exited: h.gone, Start: start, Now: func() time.Time { return now }})
	s, err := d.Open(t.Context(), drive.Spec{Key: "agent_a::crew", AgentID: "agent_a", Workspace: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func ask(t *testing.T, s drive.Session) (drive.Answer, error) {
	t.Helper()
	return s.Turn(t.Context(), drive.Prompt{Text: "hi"}, &drivetest.Sink{})
}

// The program keeps running for the next turn, and ends when the session is closed.
func TestProgramStaysForTheNextTurn(t *testing.T) {
	s := open(t, hall{come: true}, `echo "$SYNTHESIS_OPENCLAW_SESSION $SYNTHESIS_CLAUDE_SESSION" >> started; sleep 600`, time.Minute)
	for range 2 {
		if a, err := ask(t, s); err != nil || a.Text != "hello" {
			t.Fatalf("%+v %v", a, err)
		}
	}
	if s.ID() == "" {
		t.Error("the conversation has no id")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := ask(t, s); err == nil {
		t.Error("a closed conversation answers")
	}
}

// If a program exits during a turn, the turn ends with an error that contains the exit status.
func TestExitEndsTheTurn(t *testing.T) {
	for script, want := range map[string]string{"echo no licence >&2; exit 7": "exit status 7: no licence", "exit 0": "exit status 0"} {
		s := open(t, hall{come: true, exited: make(chan string)}, script, time.Minute)
		if _, err := ask(t, s); !errors.Is(err, drive.ErrGone) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v", err)
		}
	}
}

// A turn fails with the reason if its program crashes or does not connect; a program that keeps
// crashing is not restarted.
func TestProgramThatKeepsCrashingIsNotRestarted(t *testing.T) {
	if _, err := ask(t, open(t, hall{}, "sleep 600", 50*time.Millisecond)); !errors.Is(err, drive.ErrAbsent) || !strings.Contains(err.Error(), "did not connect") {
		t.Errorf("%v", err)
	}
	s := open(t, hall{}, "echo no licence >&2; exit 3", time.Minute)
	for range contracts.LimitCrashes {
		if _, err := ask(t, s); !errors.Is(err, drive.ErrGone) || !strings.Contains(err.Error(), "no licence") {
			t.Fatalf("%v", err)
		}
	}
	if _, err := ask(t, s); !errors.Is(err, process.ErrLooping) {
		t.Errorf("%v", err)
	}
	d := peer.New(peer.Config{Command: "no-such-program-at-all", Peer: hall{}})
	if _, err := d.Open(t.Context(), drive.Spec{}); err == nil || !strings.Contains(err.Error(), "not installed") {
		t.Errorf("%v", err)
	}
}
