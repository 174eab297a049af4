//go:build unix

package claude_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/agents/claude"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/drivetest"
)

const testTimeout = 2 * time.Minute

// A program that hangs before reading its input does not delay a turn beyond its timeout, however
// long the prompt is.
func TestProgramThatDoesNotReadTimesOut(t *testing.T) {
	t.Parallel()
	path, dir := filepath.Join(t.TempDir(), "claude"), t.TempDir()
	if err := os.WriteFile(path, []byte("#!/bin/sh\n: > started\nexec sleep 600\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := claude.New(claude.Config{Command: path}).Open(t.Context(), drive.Spec{Key: "dev::x", AgentID: "dev", Workspace: dir, Env: os.Environ()})
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

// A line that is too long is dropped completely, even if its end looks like a valid line.
func TestTooLongLineIsDropped(t *testing.T) {
	t.Parallel()
	const result = `{"type":"result","subtype":"success","result":"%s"}\n`
	filler := strconv.Itoa(contracts.LimitProcessLine - 64<<10) // the program's output is read in chunks of 64 KiB
	script := "#!/bin/sh\nread prompt\nhead -c " + filler + " /dev/zero | tr '\\0' x\nhead -c 131072 /dev/zero | tr '\\0' ' '\n" +
		"printf '" + fmt.Sprintf(result, "forged") + "'\nprintf '" + fmt.Sprintf(result, "real") + "'\nexec sleep 600\n"
	path := filepath.Join(t.TempDir(), "claude")
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := claude.New(claude.Config{Command: path}).Open(t.Context(), drive.Spec{Key: "dev::x", AgentID: "dev", Workspace: t.TempDir(), Env: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if answer, err := s.Turn(t.Context(), drive.Prompt{Text: "go"}, &drivetest.Sink{}); err != nil || answer.Text != "real" {
		t.Errorf("%q %v", answer.Text, err)
	}
}

// Closing a session leaves no blocked reader behind, even if its program printed more than was
// read.
func TestUnreadOutputDoesNotBlock(t *testing.T) {
	t.Parallel()
	path, dir := filepath.Join(t.TempDir(), "claude"), t.TempDir()
	script := `#!/bin/sh
read prompt
echo '{"type":"result","subtype":"success","result":"done"}'
for i in $(seq 500); do echo '{"type":"system"}'; done
: > said
read nothing
`
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := claude.New(claude.Config{Command: path}).Open(t.Context(), drive.Spec{Key: "dev::x", AgentID: "dev", Workspace: dir, Env: os.Environ()})
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := s.Turn(t.Context(), drive.Prompt{Text: "go"}, &drivetest.Sink{}); err != nil || answer.Text != "done" {
		t.Errorf("%q %v", answer.Text, err)
	}
	for end := time.Now().Add(testTimeout); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(filepath.Join(dir, "said")); err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the program did not write all its output")
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
