package hook

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func at(n int) time.Time { return time.Unix(1_700_000_000, int64(n)) }

// Hooks are drained in order and only once, and stay in the spool until they are recorded.
func TestSpoolDrainsInOrderAndOnce(t *testing.T) {
	dir := t.TempDir()
	s := SpoolOf(dir, "claude")
	for _, n := range []int{3, 1, 2} {
		if err := s.Put(at(n), fmt.Appendf(nil, `{"n":%d}`, n)); err != nil {
			t.Fatal(err)
		}
	}
	files, _ := filepath.Glob(filepath.Join(dir, "spool", "*"))
	if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	var got []string
	broken := errors.New("the ledger is full")
	take := func(_ context.Context, when time.Time, body []byte) error {
		if len(got) == 1 && broken != nil {
			return broken
		}
		got = append(got, fmt.Sprint(string(body), when.Nanosecond()))
		return nil
	}
	if done, err := s.Drain(t.Context(), take); !errors.Is(err, broken) || done.Taken != 1 {
		t.Fatalf("%+v, %v", done, err)
	}
	broken = nil
	if done, err := s.Drain(t.Context(), take); err != nil || done.Taken != 2 {
		t.Fatalf("%+v, %v", done, err)
	}
	if want := `{"n":1}1 {"n":2}2 {"n":3}3`; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	if done, err := s.Drain(t.Context(), take); err != nil || done != (Drained{}) {
		t.Errorf("%+v, %v", done, err)
	}
}

// Malformed hooks are moved aside and do not block the others.
func TestMalformedHooksAreMovedAside(t *testing.T) {
	dir := t.TempDir()
	s := SpoolOf(dir, "claude")
	for n := range LimitSpoolBad + 3 {
		if err := s.Put(at(n), []byte("nonsense")); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "spool", "not-a-time.json"), `{"good":true}`)
	done, err := s.Drain(t.Context(), func(_ context.Context, _ time.Time, body []byte) error {
		if string(body) == "nonsense" {
			return fmt.Errorf("%w: no object", ErrMalformed)
		}
		return nil
	})
	if err != nil || done.Bad != LimitSpoolBad+3 || done.Taken != 1 {
		t.Errorf("%+v, %v", done, err)
	}
	if kept, _ := os.ReadDir(filepath.Join(dir, "spool", "bad")); len(kept) != LimitSpoolBad {
		t.Errorf("%d malformed files are kept", len(kept))
	}
}

// The spool never grows beyond its limits; the oldest hooks are dropped and counted.
func TestSpoolIsBounded(t *testing.T) {
	dir := t.TempDir()
	s := SpoolOf(dir, "claude")
	if err := s.Put(at(0), []byte("{}")); err != nil {
		t.Fatal(err)
	}
	for n := 1; n < LimitSpoolFiles; n++ {
		write(t, filepath.Join(dir, "spool", spoolName(at(n))), "{}")
	}
	for n := range 2 {
		if err := s.Put(at(LimitSpoolFiles+n), []byte(`{"last":1}`)); err != nil {
			t.Fatal(err)
		}
	}
	pending, err := s.PutPending(at(LimitSpoolFiles+2), []byte(`{"last":1}`))
	if err == nil {
		err = pending.Queue()
	}
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.list()
	if err != nil || len(list) != LimitSpoolFiles || list[0].at.Nanosecond() != 3 {
		t.Fatalf("%d files, the oldest of %v: %v", len(list), list[0].at, err)
	}
	if err := os.Truncate(list[5].path, LimitSpoolBytes); err != nil { // sparse
		t.Fatal(err)
	}
	if err := s.Put(at(9999), []byte(`{"last":2}`)); err != nil {
		t.Fatal(err)
	}
	if list, _ = s.list(); len(list) != LimitSpoolFiles-5 {
		t.Errorf("%d files", len(list))
	}
	done, err := s.Drain(t.Context(), func(context.Context, time.Time, []byte) error { return nil })
	if err != nil || done.Dropped != 9 || done.Taken != LimitSpoolFiles-5 {
		t.Errorf("%+v, %v", done, err)
	}
}

// FindAgent finds the agent's process above the shell that runs its hook.
func TestAgentAboveAShell(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux reports processes")
	}
	shell := exec.Command("sh", "-c", "sleep 20; :")
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = shell.Process.Kill(); _ = shell.Wait() }()
	pid, started, ok := FindAgent(shell.Process.Pid)
	if !ok || pid != os.Getpid() || started == 0 {
		t.Errorf("found %d (started %d, %v), want this process %d", pid, started, ok, os.Getpid())
	}
	if _, _, ok := FindAgent(1); ok {
		t.Error("init was reported as an agent")
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
