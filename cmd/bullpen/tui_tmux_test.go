//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/instance"
)

// terminal is a real terminal in its own tmux session.
type terminal struct {
	t    *testing.T
	dir  string // the home directory of bullpen; contains bullpen and the tmux sockets
	data string
	runs int // number of runs; each has its own tmux server
}

// newTerminal installs this test binary as `bullpen` (see TestMain) for a new terminal.
func newTerminal(t *testing.T) *terminal {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed: the terminal view is tested in it; install tmux to run this test")
	}
	dir, err := os.MkdirTemp("", "bp") // short, because the length of a socket path is limited
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(dir, "bullpen")); err != nil {
		t.Fatal(err)
	}
	tm := &terminal{t: t, dir: dir, data: filepath.Join(dir, "data")}
	t.Cleanup(func() {
		tm.close()
		os.RemoveAll(dir)
	})
	return tm
}

func (tm *terminal) socket() string { return filepath.Join(tm.dir, fmt.Sprintf("tmux%d", tm.runs)) }

// close ends our tmux server and everything that runs in it.
func (tm *terminal) close() {
	_, _ = tm.command("tmux", "-S", tm.socket(), "kill-server").CombinedOutput()
}

func (tm *terminal) command(name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Dir = tm.dir
	c.Env = append(os.Environ(), "HOME="+tm.dir, "LANG=C.UTF-8", "LC_ALL=", "TERM=xterm-256color", "GORACE=atexit_sleep_ms=0", "NO_COLOR=", "TMUX=", "BULLPEN_TOKEN=", "BULLPEN_URL=")
	return c
}

func (tm *terminal) tmux(args ...string) string {
	tm.t.Helper()
	out, err := tm.command("tmux", append([]string{"-S", tm.socket(), "-f", "/dev/null"}, args...)...).CombinedOutput()
	if err != nil {
		tm.t.Fatalf("tmux %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// serve starts an office as a process and waits until it responds.
func (tm *terminal) serve(addr string, flags ...string) *exec.Cmd {
	tm.t.Helper()
	args := append([]string{"serve", "--data", tm.data, "--addr", addr, "--no-open", "--pace", "20"}, flags...)
	c := tm.command(filepath.Join(tm.dir, "bullpen"), args...)
	if err := c.Start(); err != nil {
		tm.t.Fatal(err)
	}
	tm.t.Cleanup(func() { _ = c.Process.Signal(syscall.SIGTERM); _ = c.Wait() })
	tm.waits("the office answers", func() bool {
		in, err := instance.Read(tm.data)
		return err == nil && in.PID == c.Process.Pid
	})
	return c
}

// run runs a bullpen command line in a new tmux session; the shell then prints the exit code.
func (tm *terminal) run(env, line string) {
	tm.t.Helper()
	tm.close()
	tm.runs++
	script := fmt.Sprintf("set -m\n%s %s/bullpen %s\necho exit=$?\nstty -a | tr ';' '\\n' | grep -c -e -icanon -e '-echo '\necho over\nread again\n$again\ncat\n", env, tm.dir, line)
	path := filepath.Join(tm.dir, "line.sh")
	if err := os.WriteFile(path, []byte(script), 0o600); err != nil {
		tm.t.Fatal(err)
	}
	tm.tmux("new-session", "-d", "-s", "t", "-x", "80", "-y", "24", "sh "+path)
}

func (tm *terminal) keys(keys ...string) {
	tm.t.Helper()
	for _, k := range keys {
		if text, typed := strings.CutPrefix(k, `"`); typed {
			tm.tmux("send-keys", "-t", "t", "-l", strings.TrimSuffix(text, `"`))
			continue
		}
		tm.tmux("send-keys", "-t", "t", k)
	}
}

func (tm *terminal) screen() string { return tm.tmux("capture-pane", "-p", "-t", "t") }

func (tm *terminal) waits(what string, holds func() bool) {
	tm.t.Helper()
	for end := time.Now().Add(testTimeout); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			shown, _ := tm.command("tmux", "-S", tm.socket(), "capture-pane", "-p", "-t", "t").CombinedOutput()
			tm.t.Fatalf("timeout waiting until %s:\n%s", what, shown)
		}
	}
}

// until waits until the screen matches pattern and returns its text.
func (tm *terminal) until(pattern string) string {
	tm.t.Helper()
	re := regexp.MustCompile(pattern)
	shown := ""
	tm.waits("the screen says "+pattern, func() bool { shown = tm.screen(); return re.MatchString(shown) })
	return shown
}

// leaves quits the program with keys and checks that the terminal is restored.
func (tm *terminal) leaves(keys ...string) {
	tm.t.Helper()
	tm.keys(keys...)
	tm.restored("0")
}

// restored waits until the program has exited with code and checks that the terminal is in its old
// mode.
func (tm *terminal) restored(code string) {
	tm.t.Helper()
	tm.until(`(?s)exit=` + code + `\s+0\s+over`) // raw mode is off
	if alt := tm.tmux("display-message", "-p", "-t", "t", "#{alternate_on}#{mouse_any_flag}"); strings.TrimSpace(alt) != "00" {
		tm.t.Errorf("the alternate screen or mouse reporting is still on: %s", alt)
	}
}

func (tm *terminal) addr() string {
	tm.t.Helper()
	in, err := instance.Read(tm.data)
	if err != nil {
		tm.t.Fatal(err)
	}
	return strings.Replace(in.Addr, "127.0.0.1", "localhost", 1)
}
