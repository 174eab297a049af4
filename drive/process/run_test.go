//go:build unix

package process_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/bullpen-office/bullpen/drive/process"
)

func run(ctx context.Context, script string) (string, error) {
	printed, err := process.Run(ctx, process.Spec{Path: "/bin/sh", Args: []string{"-c", script}, Env: []string{"PATH=/usr/bin:/bin"}}, 100)
	return string(printed), err
}

func TestRun(t *testing.T) {
	for script, want := range map[string]string{
		"echo [1]":              "",
		"cat; echo [1]":         "", // its standard input is closed
		"echo oops >&2; exit 3": "oops",
		"yes":                   "printed more than 100 bytes",
	} {
		printed, err := run(t.Context(), script)
		switch {
		case want == "" && (err != nil || printed != "[1]\n"):
			t.Errorf("%s: %q, %v", script, printed, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %q, %v", script, printed, err)
		}
	}
}

// Once the context is done, a program that hangs is ended together with everything that it started.
func TestRunEndsAProgramThatHangs(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pids")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	fifo, err := os.OpenFile(name, os.O_RDWR, 0) // with O_RDONLY, OpenFile would block until the program opens the file
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := run(ctx, "sleep 600 & echo $$ $! >'"+name+"'; sleep 600")
		ended <- err
		fifo.Close() // if the program did not start, pids stops waiting
	}()
	started := pids(t, fifo)
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	untilGone(t, started)
}
