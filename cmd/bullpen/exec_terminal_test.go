//go:build linux || darwin

package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// screen is a pseudo-terminal; the test types into it and reads its output.
type screen struct {
	t             *testing.T
	master, slave *os.File
	mu            sync.Mutex
	shown         bytes.Buffer
}

func newScreen(t *testing.T) *screen {
	t.Helper()
	master, slave, err := openPTY()
	if err != nil {
		t.Skipf("no pseudo-terminals on this system: %v", err)
	}
	s := &screen{t: t, master: master, slave: slave}
	var reading sync.WaitGroup
	reading.Go(func() {
		buf := make([]byte, 4096)
		for {
			n, err := master.Read(buf)
			s.mu.Lock()
			s.shown.Write(buf[:n])
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	})
	t.Cleanup(func() { slave.Close(); master.Close(); reading.Wait() })
	return s
}

// run starts a program in the terminal.
func (s *screen) run(cmd *exec.Cmd) {
	s.t.Helper()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.slave, s.slave, s.slave
	cmd.SysProcAttr.Setctty = true
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = cmd.Process.Kill() })
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown.String()
}

// sees waits until text is shown.
func (s *screen) sees(text string) {
	s.t.Helper()
	for end := time.Now().Add(testTimeout); !strings.Contains(s.text(), text); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("%q never appeared; the screen shows %q", text, s.text())
		}
	}
}

func (s *screen) types(keys string) {
	s.t.Helper()
	if _, err := s.master.WriteString(keys); err != nil {
		s.t.Fatal(err)
	}
}

// settings returns the terminal's settings in stty format.
func (s *screen) settings() string {
	s.t.Helper()
	cmd := exec.Command("stty", "-g")
	cmd.Stdin = s.slave
	out, err := cmd.Output()
	if err != nil {
		s.t.Skipf("stty is not installed: %v", err)
	}
	return string(out)
}

// In a terminal, the command gets its own pseudo-terminal. Event markers in its output are found,
// and the user's terminal is restored afterwards.
func TestExecGivesTheCommandATerminal(t *testing.T) {
	office, s := newRecorder(t), newScreen(t)
	before := s.settings()
	cmd := program(t, "exec", "--url", office.URL, "--", "sh", "-c", `test -t 0 && test -t 1 && test -t 2 && echo terminal; echo ::abstract.status::seen; read line; echo "got $line"; exit 5`)
	s.run(cmd)
	s.sees("seen")
	s.types("hello\r")
	if code := codeOf(cmd.Wait()); code != 5 {
		t.Errorf("code %d", code)
	}
	if after := s.settings(); after != before {
		t.Errorf("the terminal was %s and is %s", before, after)
	}
	s.sees("terminal")
	s.sees("got hello")
	if got := strings.Join(office.names(), " "); got != "abstract.tool_execution abstract.status abstract.tool_result abstract.status" {
		t.Errorf("the office received %s", got)
	}
}

// Ctrl-Z restores the terminal's old mode and returns the terminal to the shell; fg continues the
// command.
func TestExecIsSuspended(t *testing.T) {
	s := newScreen(t)
	before := s.settings()
	shell := program(t, "exec")
	shell.Path, shell.Args = "/bin/sh", []string{"sh", "-c", `set -m; bullpen exec -- sh -c 'echo ready; read line; echo "got $line"; exit 6'; echo "back with $?"; read key; fg; echo "ended with $?"`}
	s.run(shell)
	s.sees("ready")
	s.types("\x1a")
	s.sees("back with 1")
	if now := s.settings(); now != before {
		t.Errorf("the terminal was %s and is %s while it is suspended", before, now)
	}
	s.types("\r")
	s.types("hello\r")
	s.sees("got hello")
	s.sees("ended with 6")
	if err := shell.Wait(); err != nil {
		t.Error(err)
	}
}
