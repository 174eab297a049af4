package acp_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/agents/acp"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/drivetest"
	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/bullpen-office/bullpen/e2e/leaktest"
)

// playCommand makes this test program play an agent.
const playCommand = "play-agent"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == playCommand {
		play(os.Args[2:])
		os.Exit(0)
	}
	if len(os.Args) > 1 && os.Args[1] == process.TendCommand {
		os.Exit(process.Tend(os.Args[2:]))
	}
	leaktest.Main(m)
}

// testTimeout is how long a test waits for something that must happen.
const testTimeout = 2 * time.Minute

// rig is a driver whose agent is played by this test program.
type rig struct {
	t      *testing.T
	dir    string // workspace
	log    string // file with the messages in both directions
	config acp.Config
	sink   *drivetest.Sink
}

// newRig returns a rig whose agent plays a scenario.
func newRig(t *testing.T, scenario ...string) *rig {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, dir: filepath.Join(dir, "work"), log: filepath.Join(dir, "messages.jsonl"), sink: &drivetest.Sink{}}
	if err := os.Mkdir(r.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	r.config = acp.Config{Command: self, Args: append([]string{playCommand, r.log}, scenario...), Version: "1.2.3",
		Now: func() time.Time { return start }} // a stopped clock, so that all crashes count as recent
	return r
}

func (r *rig) open(resume string) drive.Session {
	r.t.Helper()
	s, err := acp.New(r.config).Open(r.t.Context(), drive.Spec{Key: "agent_a::crew", AgentID: "agent_a", Workspace: r.dir, Resume: resume})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = s.Close() })
	return s
}

// answer makes the sink answer every permission request with v.
func (r *rig) answer(v drive.Verdict) {
	r.sink.Verdict = func(contracts.Permission) (drive.Verdict, error) { return v, nil }
}

// ask runs one turn in a new session.
func (r *rig) ask(text string) (drive.Answer, error) {
	r.t.Helper()
	return r.turn(r.open(""), text)
}

func (r *rig) turn(s drive.Session, text string) (drive.Answer, error) {
	r.t.Helper()
	ctx, cancel := context.WithTimeoutCause(r.t.Context(), testTimeout, errors.New("the turn did not end"))
	defer cancel()
	return s.Turn(ctx, drive.Prompt{Text: text}, r.sink)
}

// stopped runs a turn that is cancelled once the sink has seen the given line.
func (r *rig) stopped(s drive.Session, line string) (drive.Answer, error) {
	r.t.Helper()
	ctx, cancel := context.WithCancel(r.t.Context())
	defer cancel()
	go func() {
		until(func() bool { return contains(r.sink.Lines(), line) || r.sink.Text() == line })
		cancel()
	}()
	return s.Turn(ctx, drive.Prompt{Text: "go"}, r.sink)
}

// until waits up to testTimeout for a condition, and reports whether the condition was met.
func until(cond func() bool) bool {
	for end := time.Now().Add(testTimeout); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if cond() {
			return true
		}
	}
	return false
}

func contains(list []string, want string) bool {
	for _, s := range list {
		if s == want {
			return true
		}
	}
	return false
}
