//go:build unix

package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// terminal is a real terminal: a session of tmux that is ours alone.
type terminal struct {
	t    *testing.T
	dir  string // where bullpen, its home and tmux's socket are
	data string
	runs int // each has a tmux of its own
}

// newTerminal makes this test binary a `bullpen` of its own (see TestMain).
func newTerminal(t *testing.T) *terminal {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed: the terminal view is tested in it; install tmux to run this test")
	}
	dir, err := os.MkdirTemp("", "bp") // a short path, because a socket lies in it
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

// close ends our tmux and what runs in it.
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

// serve starts an office as a process of its own and waits until it answers.
func (tm *terminal) serve(addr string) *exec.Cmd {
	tm.t.Helper()
	c := tm.command(filepath.Join(tm.dir, "bullpen"), "serve", "--data", tm.data, "--addr", addr, "--no-open", "--pace", "20")
	if err := c.Start(); err != nil {
		tm.t.Fatal(err)
	}
	tm.t.Cleanup(func() { _ = c.Process.Signal(syscall.SIGTERM); _ = c.Wait() })
	tm.waits("the office answers", func() bool {
		in, err := readInstance(tm.data)
		return err == nil && in.PID == c.Process.Pid
	})
	return c
}

// run types a command line into a fresh window, which says with what it ended.
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
	for end := time.Now().Add(patience); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			shown, _ := tm.command("tmux", "-S", tm.socket(), "capture-pane", "-p", "-t", "t").CombinedOutput()
			tm.t.Fatalf("waited in vain until %s:\n%s", what, shown)
		}
	}
}

// until waits until the screen matches and gives it.
func (tm *terminal) until(pattern string) string {
	tm.t.Helper()
	re := regexp.MustCompile(pattern)
	shown := ""
	tm.waits("the screen says "+pattern, func() bool { shown = tm.screen(); return re.MatchString(shown) })
	return shown
}

// leaves ends the program by keys; the terminal is as it was before.
func (tm *terminal) leaves(keys ...string) {
	tm.t.Helper()
	tm.keys(keys...)
	tm.restored("0")
}

// restored waits until the shell has the terminal back as it was.
func (tm *terminal) restored(code string) {
	tm.t.Helper()
	tm.until(`(?s)exit=` + code + `\s+0\s+over`) // no raw mode is left
	if alt := tm.tmux("display-message", "-p", "-t", "t", "#{alternate_on}#{mouse_any_flag}"); strings.TrimSpace(alt) != "00" {
		tm.t.Errorf("the other screen or the mouse is still on: %s", alt)
	}
}

// cardOf is what the open card says, without its time and its options; empty when
// no card is open.
func cardOf(shown string) (said string) {
	for line := range strings.Lines(shown) {
		text, inside := strings.CutPrefix(strings.TrimRight(line, " \n"), " ┃ ")
		if !inside {
			if said != "" {
				break
			}
			continue
		}
		name, _, head := strings.Cut(text, "   ")
		if head {
			text = name
		}
		said += text + "\n"
	}
	return said
}

// TestFirstMinuteByKeys is the first minute in a terminal, by keys alone, against
// a real office: request, kickoff, tasks handed out, a question answered, a
// deliverable read and approved, a trophy. Then the office dies and comes back.
func TestFirstMinuteByKeys(t *testing.T) {
	tm := newTerminal(t)
	office := tm.serve("127.0.0.1:0")
	tm.run("", "tui --data "+tm.data)
	tm.until(`● Live[\s\S]*Ada +Free`)
	tm.keys("/", `"Write a one-page launch plan for our tea shop"`, "Enter")
	tm.until(`U Auto-assign \d`)
	tm.keys("t")
	tm.until(`Kickoff finished[\s\S]*Kickoff started[\s\S]*Request submitted`)
	tm.keys("o", "u")
	tm.until(`! \d+ things? needs? you`)
	tm.keys("Space") // from here on the next card comes by itself
	answered, approved := 0, 0
	for range 40 { // far more than there is to do
		shown := tm.until(`┃ › .* Enter\b|8 people · 0 projects`)
		card := cardOf(shown)
		if card == "" {
			break
		}
		tm.keys("Enter")
		if strings.Contains(card, "asks for your review") {
			tm.until(`Y Approve[\s\S]*Rehearsal: written by the built-in crew`)
			tm.keys("y")
			tm.until(`Approved\.`)
			approved++
		} else {
			tm.until(`Answered\.`)
			answered++
		}
		tm.waits("the card is gone:\n"+card, func() bool {
			shown := tm.screen()
			return !strings.Contains(shown, "Y Approve") && cardOf(shown) != card
		})
	}
	if answered == 0 || approved == 0 {
		t.Errorf("%d questions answered, %d deliverables approved", answered, approved)
	}
	tm.keys("t")
	tm.until(`★ Project completed +A trophy for the shelf`)
	tm.keys("o")
	tm.until(`Trophies ★`)

	// The office dies, and comes back at the same address.
	in, err := readInstance(tm.data)
	if err != nil {
		t.Fatal(err)
	}
	_ = office.Process.Kill()
	_ = office.Wait()
	tm.until(`Reconnecting…[\s\S]*You see the last known state`)
	tm.serve(in.Addr)
	tm.keys("r")
	tm.until(`● Live[\s\S]*Trophies ★`)
	tm.leaves("C-c")
}

// TestTerminalsOfAllKinds: too small, without colours, without UTF-8; left while
// something is typed, and at the very beginning.
func TestTerminalsOfAllKinds(t *testing.T) {
	tm := newTerminal(t)
	tm.run("", "tui --data "+tm.data)
	tm.until(`no server is running[\s\S]*exit=3`)
	tm.serve("127.0.0.1:0")

	tm.run("", "tui --data "+tm.data)
	tm.until(`● Live`)
	if coloured := tm.tmux("capture-pane", "-p", "-e", "-t", "t"); !strings.Contains(coloured, "\x1b[38;5;") {
		t.Errorf("there is no colour:\n%q", coloured)
	}
	tm.tmux("resize-window", "-t", "t", "-x", "40", "-y", "10")
	tm.until(`The office needs`)
	tm.tmux("resize-window", "-t", "t", "-x", "120", "-y", "40")
	tm.until(`● Live`)
	tm.keys("/", `"half a request"`)
	tm.until(`half a request`)
	tm.leaves("C-c")

	tm.run("NO_COLOR=1", "tui --data "+tm.data)
	tm.until(`● Live`)
	if plain := tm.tmux("capture-pane", "-p", "-e", "-t", "t"); regexp.MustCompile(`\x1b\[[0-9;]*(3[0-8]|4[0-8])[;m]`).MatchString(plain) {
		t.Errorf("NO_COLOR has colours:\n%q", plain)
	}
	tm.leaves("q")

	tm.run("LANG=C LC_ALL=C", "tui --data "+tm.data)
	shown := tm.until(`\* Live[\s\S]*Ada +Free`)
	for _, r := range shown {
		if r > 0x7f {
			t.Fatalf("%q in a terminal that knows no UTF-8:\n%s", r, shown)
		}
	}
	tm.leaves("C-c")

	tm.run("TERM=dumb", "tui --data "+tm.data)
	tm.until(`TERM=dumb cannot place characters[\s\S]*exit=2`)

	tm.run("BULLPEN_TOKEN=bp_wrong", "tui --url http://"+tm.addr())
	tm.until(`refused[\s\S]*exit=6\b`)
}

// TestTerminalsGoAway: the program is put aside and fetched back; it is asked to
// end; its terminal is closed. It never leaves a raw terminal or a process behind.
func TestTerminalsGoAway(t *testing.T) {
	tm := newTerminal(t)
	tm.serve("127.0.0.1:0")
	tm.run("", "tui --data "+tm.data)
	tm.until(`● Live`)
	tm.keys("/", `"half a request"`, "C-z")
	tm.restored(strconv.Itoa(128 + int(syscall.SIGTSTP)))
	tm.keys(`"fg"`, "Enter")
	tm.until(`● Live[\s\S]*half a request`)

	watched, pid := filepath.Join(tm.dir, "watched"), filepath.Join(tm.dir, "pid")
	if err := syscall.Mkfifo(watched, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, ends := range []func(int){
		func(pid int) { _ = syscall.Kill(pid, syscall.SIGTERM); tm.restored("0") },
		func(int) { tm.close() },
	} {
		tm.run(fmt.Sprintf(`sh -c 'echo $$ > %s; exec "$@"' sh 3> %s`, pid, watched), "tui --data "+tm.data)
		life, err := os.Open(watched)
		if err != nil {
			t.Fatal(err)
		}
		tm.until(`● Live`)
		said, err := os.ReadFile(pid)
		if err != nil {
			t.Fatal(err)
		}
		number, err := strconv.Atoi(strings.TrimSpace(string(said)))
		if err != nil {
			t.Fatal(err)
		}
		ends(number)
		_ = life.SetReadDeadline(time.Now().Add(patience))
		if _, err := life.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("the process is still there: %v", err)
		}
		life.Close()
	}
}

func (tm *terminal) addr() string {
	tm.t.Helper()
	in, err := readInstance(tm.data)
	if err != nil {
		tm.t.Fatal(err)
	}
	return strings.Replace(in.Addr, "127.0.0.1", "localhost", 1)
}
