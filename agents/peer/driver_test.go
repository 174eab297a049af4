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

// fakeBridge is a bridge without a network.
type fakeBridge struct {
	connects bool // the program connects to the bridge
	answer   error
	exited   chan string // receives the program's exit, which a turn waits for; if nil, turns do not wait
}

func (b fakeBridge) Open(context.Context, drive.Spec) (drive.Session, error) { return b, nil }
func (b fakeBridge) ID() string                                              { return "" }
func (b fakeBridge) Close() error                                            { return nil }

func (b fakeBridge) Turn(context.Context, drive.Prompt, drive.Sink) (drive.Answer, error) {
	if b.exited != nil {
		<-b.exited
		return drive.Answer{}, drive.ErrGone
	}
	return drive.Answer{Text: "hello"}, b.answer
}

func (b fakeBridge) gone(key, id string) { b.exited <- key + " " + id }

func (b fakeBridge) await(ctx context.Context, _ string) error {
	if b.connects {
		return nil
	}
	<-ctx.Done()
	return ctx.Err()
}

func open(t *testing.T, b fakeBridge, script string, start time.Duration) drive.Session {
	t.Helper()
	now := time.Now() // a stopped clock, so that all crashes count as recent
	d := peer.New(peer.Config{Command: "/bin/sh", Args: []string{"-c", script}, Env: []string{"PATH=/usr/bin:/bin"}, Peer: b, Await: b.await, Exited: b.gone, Start: start, Now: func() time.Time { return now }})
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
	s := open(t, fakeBridge{connects: true}, `echo "$SYNTHESIS_OPENCLAW_SESSION $SYNTHESIS_CLAUDE_SESSION" >> started; sleep 600`, time.Minute)
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
		s := open(t, fakeBridge{connects: true, exited: make(chan string)}, script, time.Minute)
		if _, err := ask(t, s); !errors.Is(err, drive.ErrGone) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v", err)
		}
	}
}

// A turn whose program crashes or does not connect fails with an error that gives the reason. A
// program that keeps crashing is not restarted.
func TestProgramThatKeepsCrashingIsNotRestarted(t *testing.T) {
	if _, err := ask(t, open(t, fakeBridge{}, "sleep 600", 50*time.Millisecond)); !errors.Is(err, drive.ErrUnreachable) || !strings.Contains(err.Error(), "did not connect") {
		t.Errorf("%v", err)
	}
	s := open(t, fakeBridge{}, "echo no licence >&2; exit 3", time.Minute)
	for range contracts.LimitCrashes {
		if _, err := ask(t, s); !errors.Is(err, drive.ErrGone) || !strings.Contains(err.Error(), "no licence") {
			t.Fatalf("%v", err)
		}
	}
	if _, err := ask(t, s); !errors.Is(err, process.ErrLooping) {
		t.Errorf("%v", err)
	}
	d := peer.New(peer.Config{Command: "no-such-program-at-all", Peer: fakeBridge{}})
	if _, err := d.Open(t.Context(), drive.Spec{}); err == nil || !strings.Contains(err.Error(), "not installed") {
		t.Errorf("%v", err)
	}
}
