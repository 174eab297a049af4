package check_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/bullpen-office/bullpen/repo/check"
	"github.com/bullpen-office/bullpen/repo/git"
	"github.com/bullpen-office/bullpen/repo/proof"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == process.TendCommand {
		os.Exit(process.Tend(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// rig runs checks in a repository. out receives their output.
type rig struct {
	*check.Runner
	out *bytes.Buffer
}

func newRig(t *testing.T) rig {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "--quiet"}, {"-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "--quiet", "--allow-empty", "-m", "first"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	for name, content := range map[string]string{"a.txt": "one\n", ".gitignore": "*.log\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	repo, err := git.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	out := &bytes.Buffer{}
	return rig{&check.Runner{Repo: repo, Env: process.Environment(os.Environ()), Out: out, Now: time.Now}, out}
}

func (r rig) run(t *testing.T, ctx context.Context, command string, timeout time.Duration) proof.Result {
	t.Helper()
	result, err := r.Run(ctx, proof.Check{Name: "unit", Command: command}, timeout)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// A result records how the check ended and which files it ran on. A check passes only if it
// succeeds and does not change the files.
func TestResult(t *testing.T) {
	for name, c := range map[string]struct {
		command string
		end     proof.End
		code    int
		passed  bool
		output  string
	}{
		"passes":             {"cat a.txt", proof.EndExited, 0, true, "one\n"},
		"fails":              {"echo bad >&2; exit 3", proof.EndExited, 3, false, "bad\n"},
		"reads its input":    {"cat", proof.EndExited, 0, true, ""},
		"edits the tree":     {"echo two > a.txt", proof.EndExited, 0, false, ""},
		"adds a file":        {"echo two > new.txt", proof.EndExited, 0, false, ""},
		"adds ignored files": {"echo two > new.log", proof.EndExited, 0, true, ""},
		"edits and restores": {"echo x > a.txt; echo one > a.txt", proof.EndExited, 0, true, ""},
		"unknown command":    {"no-such-command 2>/dev/null", proof.EndExited, 127, false, ""},
		"kills itself":       {"kill -9 $$", proof.EndExited, 137, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			got := r.run(t, t.Context(), c.command, time.Minute)
			sum := sha256.Sum256([]byte(c.output))
			if got.End != c.end || got.ExitCode != c.code || got.Passed() != c.passed || r.out.String() != c.output || got.Output != hex.EncodeToString(sum[:]) || got.TreeBefore == "" {
				t.Errorf("%+v, output %q", got, r.out)
			}
		})
	}
}

// A check that never exits, prints endlessly or starts processes that leave its group is ended,
// along with everything that it started.
func TestEveryProcessEnds(t *testing.T) {
	r := newRig(t)
	pids := filepath.Join(t.TempDir(), "pids")
	escape := "setsid sh -c 'echo $$ >>" + pids + "; exec sleep 600' & sleep 600 & echo $! >>" + pids + "; while [ $(wc -l <" + pids + ") -lt 2 ]; do sleep 0.01; done; "
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, c := range []struct {
		command string
		ctx     context.Context
		timeout time.Duration
		end     proof.End
	}{
		{escape, t.Context(), time.Minute, proof.EndExited},
		{escape + "sleep 600", t.Context(), 2 * time.Second, proof.EndTimeout},
		{escape + "echo ready; sleep 600", ctx, time.Minute, proof.EndStopped},
		{escape + "yes", t.Context(), time.Minute, proof.EndOutput},
	} {
		_ = os.Remove(pids)
		r.Out = writer(func([]byte) {
			if c.end == proof.EndStopped {
				cancel()
			}
		})
		got := r.run(t, c.ctx, c.command, c.timeout)
		if got.End != c.end || got.End != proof.EndExited && (got.ExitCode != -1 || got.Passed()) {
			t.Errorf("%s: %+v", c.end, got)
		}
		content, err := os.ReadFile(pids)
		if err != nil || len(strings.Fields(string(content))) != 2 {
			if c.end == proof.EndTimeout {
				continue // a slow machine did not start them in time
			}
			t.Errorf("%s: %q, %v", c.end, content, err)
		}
		for _, field := range strings.Fields(string(content)) {
			pid, err := strconv.Atoi(field)
			if err != nil {
				t.Fatal(err)
			}
			if syscall.Kill(pid, 0) == nil && !zombie(pid) {
				t.Errorf("%s: process %d is still running", c.end, pid)
			}
		}
	}
}

// zombie reports whether a process has ended but has not been waited for.
func zombie(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || strings.Contains(string(stat), ") Z ")
}

type writer func(p []byte)

func (w writer) Write(p []byte) (int, error) { w(p); return len(p), nil }

// If git cannot read a file, no check is run, because its result would prove nothing.
func TestUnreadableFiles(t *testing.T) {
	r := newRig(t)
	path := filepath.Join(r.Repo.Top, "a.txt")
	cmd := exec.Command("git", "add", "a.txt")
	cmd.Dir = r.Repo.Top
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Run(t.Context(), proof.Check{Name: "unit", Command: "true"}, contracts.CheckTimeout); !errors.Is(err, git.ErrInexact) || !strings.Contains(err.Error(), "a.txt") {
		t.Errorf("%v", err)
	}
}
