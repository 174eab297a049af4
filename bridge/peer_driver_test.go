package bridge_test

import (
	"bufio"
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/drivetest"
)

var fakePeer = sync.OnceValues(func() (string, error) {
	path, err := filepath.Abs(filepath.Join("..", ".cache", "e2e", "fakepeer-bridge")) // each package builds its own copy, because the tests of different packages run concurrently
	if err == nil {
		var out []byte
		if out, err = exec.Command("go", "build", "-o", path, "../e2e/fakepeer").CombinedOutput(); err != nil {
			err = errors.New(string(out))
		}
	}
	return path, err
})

// program starts the fake peer; the returned function returns the peer's next line of output.
func (r *rig) program(session, script string, args ...string) (next func() string) {
	r.t.Helper()
	path, err := fakePeer()
	if err != nil {
		r.t.Fatal(err)
	}
	args = append([]string{"-url", "ws" + strings.TrimPrefix(r.url, "http") + "/bridge", "-session", session, "-token", r.token, "-script", script, "-redial", "20ms", "-pause", "20ms"}, args...)
	cmd := exec.Command(path, args...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	lines := bufio.NewScanner(out)
	return func() string {
		if !lines.Scan() {
			return "(ended)"
		}
		return lines.Text()
	}
}

func (r *rig) line(key string) drive.Session {
	r.t.Helper()
	agent, _, _ := strings.Cut(key, "::")
	s, err := r.peers.Peer().Open(r.t.Context(), drive.Spec{Key: key, AgentID: agent})
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}

// The crew reaches a program that is connected for the crew's session or for every chat of its
// agent. If no program is connected, a turn fails, but the session stays usable.
func TestCrewReachesPeers(t *testing.T) {
	r := newRig(t, config{})
	s := r.line("agent_eng_1::crew")
	if _, err := s.Turn(t.Context(), drive.Prompt{Text: "hello", MessageID: "m0"}, &drivetest.Sink{}); !errors.Is(err, drive.ErrUnreachable) {
		t.Fatalf("%v", err)
	}
	for _, session := range []string{"agent_eng_1::*", "agent_eng_1::crew"} {
		script := map[string]string{"agent_eng_1::*": "echo", "agent_eng_1::crew": "stream"}[session]
		next := r.program(session, script)
		if got := next(); got != "connected" {
			t.Fatal(got)
		}
		if err := r.peers.Await(t.Context(), "agent_eng_1::crew"); err != nil {
			t.Fatal(err)
		}
		sink := &drivetest.Sink{}
		answer, err := s.Turn(t.Context(), drive.Prompt{Text: "hello there", MessageID: "m-" + script}, sink)
		if err != nil || answer.Text != "echo: hello there" || sink.Text() != answer.Text {
			t.Errorf("%s: %+v %v, streamed %q", session, answer, err, sink.Text())
		}
	}
}

// A turn ends if its peer dies. A peer that reconnects in time continues its turn, and another
// program does not take over the turn.
func TestCrewTurnOfADisconnectedPeer(t *testing.T) {
	for script, want := range map[string]string{"die": "", "reconnect": "before, after", "impostor": ""} {
		t.Run(script, func(t *testing.T) {
			cfg := config{Grace: testTimeout}
			if script == "die" {
				cfg.Grace = 50 * time.Millisecond
			}
			r := newRig(t, cfg)
			next := r.program("dev::crew", script)
			next()
			answer, err := r.line("dev::crew").Turn(t.Context(), drive.Prompt{Text: "go", MessageID: "m1"}, &drivetest.Sink{})
			if want != "" && (err != nil || answer.Text != want) || want == "" && !errors.Is(err, drive.ErrGone) {
				t.Errorf("%+v %v", answer, err)
			}
		})
	}
}

// A stopped turn is cancelled at the peer; a permission request goes to a person.
func TestCrewTurnIsCancelledAtThePeer(t *testing.T) {
	r := newRig(t, config{})
	next := r.program("dev::crew", "silent")
	next()
	ctx, giveUp := context.WithCancel(t.Context())
	defer giveUp()
	line, ended := r.line("dev::crew"), make(chan error, 1)
	go func() {
		_, err := line.Turn(ctx, drive.Prompt{Text: "go", MessageID: "m1"}, &drivetest.Sink{})
		ended <- err
	}()
	if got := next(); got != "inbound m1" {
		t.Errorf("%q", got)
	}
	giveUp()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if got := next(); got != "cancel m1" {
		t.Errorf("%q", got)
	}
	r.program("other::*", "ask")()
	sink := &drivetest.Sink{Verdict: func(p contracts.Permission) (drive.Verdict, error) {
		return drive.Verdict{Allow: p.Tool == "Bash"}, nil
	}}
	if answer, err := r.line("other::crew").Turn(t.Context(), drive.Prompt{Text: "go", MessageID: "m2"}, sink); err != nil || answer.Text != "the verdict is allow" {
		t.Errorf("%+v %v", answer, err)
	}
	waiting, stop := context.WithCancel(t.Context())
	stop()
	if err := r.peers.Await(waiting, "nobody::crew"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
