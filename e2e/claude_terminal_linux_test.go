package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminal is an agent's interactive process with a screen and a keyboard.
type terminal struct {
	cmd  *exec.Cmd
	keys *os.File
	done chan struct{}

	mu   sync.Mutex
	text strings.Builder
}

func (d *desk) launch(args ...string) *terminal {
	d.t.Helper()
	term := d.launchProgram(d.claude, args...)
	until(d.t, "Claude Code waits for a prompt", func() bool { return strings.Contains(term.shown(), "shortcuts") })
	return term
}

func (d *desk) launchProgram(program string, args ...string) *terminal {
	d.t.Helper()
	keys, screen, err := openPty()
	if err != nil {
		d.t.Fatal(err)
	}
	term := &terminal{cmd: d.command(program, args...), keys: keys, done: make(chan struct{})}
	term.cmd.Stdin, term.cmd.Stdout, term.cmd.Stderr = screen, screen, screen
	term.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := term.cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	_ = screen.Close()
	go term.read()
	d.t.Cleanup(func() {
		_ = term.cmd.Process.Kill()
		_ = term.cmd.Wait()
		_ = keys.Close()
		<-term.done
		if d.t.Failed() {
			shown := term.shown()
			d.t.Logf("the screen of %s ended with:\n%s", program, shown[max(0, len(shown)-4000):])
		}
	})
	return term
}

// openPty opens a pseudo-terminal of 120 columns and 50 rows.
func openPty() (keys, screen *os.File, err error) {
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("open a terminal: %w", err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 50, Col: 120})
	}
	keys = os.NewFile(uintptr(fd), "/dev/ptmx")
	if err == nil {
		screen, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	return keys, screen, err
}

func (term *terminal) read() {
	defer close(term.done)
	buf := make([]byte, 4096)
	for {
		n, err := term.keys.Read(buf)
		term.mu.Lock()
		term.text.Write(buf[:n])
		term.mu.Unlock()
		if err != nil {
			return
		}
	}
}

var (
	cursorMoves = regexp.MustCompile(`\x1b\[[0-9]*C`)
	controls    = regexp.MustCompile(`\x1b\[[0-9;?<>=]*[a-zA-Z]|\x1b\][^\x07]*\x07|\x1b[=>78]|\r`)
)

// shown returns everything that was ever on the screen, without colours.
func (term *terminal) shown() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return controls.ReplaceAllString(cursorMoves.ReplaceAllString(term.text.String(), " "), "")
}

// pastePause is longer than the interval in which programs treat Enter as part of pasted text. The
// pause starts when the program has shown the text, so a busy machine cannot make it too short.
const pastePause = 100 * time.Millisecond

// types enters a line like a person: it types the text, waits until the text is on the screen,
// pauses, and presses Enter.
func (term *terminal) types(t *testing.T, text string) {
	t.Helper()
	term.press(t, text)
	term.answers(t, text)
	time.Sleep(pastePause)
	term.press(t, "\r")
}

func (term *terminal) press(t *testing.T, keys string) {
	t.Helper()
	if _, err := term.keys.WriteString(keys); err != nil {
		t.Fatal(err)
	}
}
