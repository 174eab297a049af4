//go:build unix

package claude_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/claude"
	"github.com/bullpen-office/bullpen/drive/drivetest"
)

// A program that hangs before it reads does not hold a turn beyond its time,
// however long the prompt is.
func TestProgramThatDoesNotRead(t *testing.T) {
	path, dir := filepath.Join(t.TempDir(), "claude"), t.TempDir()
	if err := os.WriteFile(path, []byte("#!/bin/sh\n: > started\nexec sleep 600\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := claude.New(claude.Config{Command: path, Env: os.Environ()}).Open(t.Context(), drive.Spec{Key: "dev::x", AgentID: "dev", Workspace: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(filepath.Join(dir, "started")); err == nil {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	_, err = s.Turn(ctx, drive.Prompt{Text: strings.Repeat("x", 1<<20)}, &drivetest.Sink{})
	if !errors.Is(err, context.Canceled) || !errors.Is(err, drive.ErrGone) {
		t.Errorf("%v", err)
	}
}
