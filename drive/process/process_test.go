//go:build unix

package process_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/bullpen-office/bullpen/e2e/leaktest"
)

// TestMain lets this test binary also act as the tender, or as a server that starts a program and
// waits to be killed.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == process.TendCommand:
		os.Exit(process.Tend(os.Args[2:]))
	case len(os.Args) > 1 && os.Args[1] == "play-server":
		p, err := process.Start(process.Spec{Path: "/bin/sh", Args: []string{"-c", `trap "" TERM; sleep 600 & echo $$ $!; while :; do sleep 0.1; done`}, Dir: os.Args[2]})
		if err != nil {
			panic(err)
		}
		line, _ := bufio.NewReader(p.Stdout).ReadString('\n')
		fmt.Print(line)
		select {}
	}
	leaktest.Main(m)
}

func shell(t *testing.T, script string) *process.Process {
	t.Helper()
	p, err := process.Start(process.Spec{Path: "/bin/sh", Args: []string{"-c", script}, Dir: t.TempDir(), Env: []string{"PATH=/usr/bin:/bin"}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// pids reads the process ids that a script prints on its first line.
func pids(t *testing.T, r io.Reader) (out []int) {
	t.Helper()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range strings.Fields(line) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, pid)
	}
	return out
}

// untilGone waits until the processes have exited. It has no timeout except that of the test.
func untilGone(t *testing.T, pids []int) {
	t.Helper()
	for _, pid := range pids {
		for alive(pid) {
			if t.Context().Err() != nil {
				t.Fatalf("process %d was left behind", pid)
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// alive reports whether a process exists and is not a zombie. Orphans stay zombies, because the
// tests do not reap them.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

func TestProgramRunsAndEnds(t *testing.T) {
	p := shell(t, `read line; echo "got $line"; echo complaint >&2; exit 3`)
	if _, err := io.WriteString(p.Stdin, "hello\n"); err != nil {
		t.Fatal(err)
	}
	if out, _ := io.ReadAll(p.Stdout); string(out) != "got hello\n" {
		t.Errorf("%q", out)
	}
	<-p.Done()
	if err := p.Err(); err == nil || !strings.Contains(err.Error(), "status 3") || !strings.Contains(err.Error(), "complaint") {
		t.Errorf("%v", err)
	}
	p.Stop(0)
}

// Stop ends all processes that the program started, even those that ignore the first signal.
func TestStopLeavesNothingBehind(t *testing.T) {
	p := shell(t, `trap "" TERM; sleep 600 & echo $$ $!; while :; do sleep 1; done`)
	family := pids(t, p.Stdout)
	p.Stop(0)
	untilGone(t, append(family, p.Pid()))
}

// When a program exits, its children are ended too.
func TestExitEndsChildren(t *testing.T) {
	p := shell(t, `sleep 600 & echo $!; exit 0`)
	family := pids(t, p.Stdout)
	<-p.Done()
	untilGone(t, family)
	p.Stop(0)
}

// Killing the server with kill -9 leaves no process behind. The next server can wait until the last
// process in a directory has ended.
func TestKilledServerLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	server := exec.Command(os.Args[0], "play-server", dir)
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	family := pids(t, out)
	now, cancel := context.WithCancel(t.Context())
	cancel()
	if err := process.AwaitVacant(now, dir); err == nil {
		t.Error("the directory counts as vacant while a program is running in it")
	}
	_ = server.Process.Kill()
	_ = server.Wait()
	if err := process.AwaitVacant(t.Context(), dir); err != nil {
		t.Error(err)
	}
	if runtime.GOOS != "linux" {
		untilGone(t, family)
	}
	for _, pid := range family {
		if alive(pid) {
			t.Errorf("the directory counts as vacant, but process %d is running", pid)
		}
	}
}

// A program never starts outside the root, even if its workspace's path was replaced after the
// check.
func TestProgramStaysUnderItsRoot(t *testing.T) {
	outside := t.TempDir()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	place := filepath.Join(root, "a", "shop")
	if err := os.MkdirAll(place, 0o700); err != nil {
		t.Fatal(err)
	}
	where := func() (string, error) {
		p, err := process.Start(process.Spec{Path: "/bin/pwd", Args: []string{"-P"}, Dir: place, Root: root, Env: []string{}})
		if err != nil {
			return "", err
		}
		defer p.Stop(0)
		out, _ := io.ReadAll(p.Stdout)
		<-p.Done()
		return strings.TrimSpace(string(out)), p.Err()
	}
	if got, err := where(); err != nil || got != place {
		t.Fatalf("%q %v", got, err)
	}
	for name, swap := range map[string]func() error{
		"the workspace": func() error { return os.Symlink(outside, place) },
		"what is above": func() error {
			if err := os.MkdirAll(filepath.Join(outside, "shop"), 0o700); err != nil {
				return err
			}
			if err := os.Remove(filepath.Join(root, "a")); err != nil {
				return err
			}
			return os.Symlink(outside, filepath.Join(root, "a"))
		},
	} {
		if err := errors.Join(os.RemoveAll(filepath.Join(root, "a")), os.MkdirAll(filepath.Join(root, "a"), 0o700), swap()); err != nil {
			t.Fatal(err)
		}
		if got, err := where(); err == nil || !strings.Contains(err.Error(), "no longer under") {
			t.Errorf("%s became a link: it ran in %q, %v", name, got, err)
		}
	}
	if _, err := process.Start(process.Spec{Path: "/bin/pwd", Dir: outside, Root: root}); err == nil {
		t.Error("a directory outside the root was accepted")
	}
}

func TestUnknownProgram(t *testing.T) {
	p, err := process.Start(process.Spec{Path: "/nowhere/at-all", Env: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	if err := p.Err(); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("%v", err)
	}
	p.Stop(0)
}

// Children that ignore the first signal are killed after the program has exited.
func TestChildrenThatIgnoreSignalsAreKilled(t *testing.T) {
	p := shell(t, `(trap "" TERM; echo $(exec sh -c 'echo $PPID'); : > ready; while :; do sleep 1; done) & until [ -e ready ]; do sleep 0.01; done; exit 0`)
	family := pids(t, p.Stdout)
	<-p.Done()
	if err := p.Err(); err != nil {
		t.Error(err)
	}
	untilGone(t, family)
	p.Stop(0)
}

// If the tender is killed, its program is ended.
func TestKilledTenderLeavesNothingBehind(t *testing.T) {
	p := shell(t, `echo $$; while :; do sleep 1; done`)
	family := pids(t, p.Stdout)
	_ = syscall.Kill(p.Pid(), syscall.SIGKILL)
	<-p.Done()
	untilGone(t, family)
	p.Stop(0)
}

// A child that left the group and holds the program's output open does not block anything. On
// Linux, it is ended with the program.
func TestEscapedChildDoesNotBlock(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("setsid is not installed")
	}
	p := shell(t, `setsid sh -c 'echo $$; : > ready; exec sleep 600' & until [ -e ready ]; do sleep 0.01; done; exit 0`)
	in := bufio.NewReader(p.Stdout)
	escaped := pids(t, in)
	<-p.Done()
	if err := p.Err(); err != nil {
		t.Error(err)
	}
	_, _ = io.Copy(io.Discard, in)
	p.Stop(0)
	if runtime.GOOS != "linux" {
		_ = syscall.Kill(escaped[0], syscall.SIGKILL)
	}
	untilGone(t, escaped)
}
