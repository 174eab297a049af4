//go:build unix

package keeper_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/bullpen-office/bullpen/repo/keeper"
)

// shelf stores content in memory, or fails.
type shelf struct {
	kept map[string]string
	err  error
}

func (s *shelf) PutBlob(_ context.Context, content []byte) (string, error) {
	sum := sha256.Sum256(content)
	name := hex.EncodeToString(sum[:])
	if s.err == nil {
		s.kept[name] = string(content)
	}
	return name, s.err
}

// The end of a check's output is stored as a terminal shows it, in whole lines and with credentials
// redacted.
func TestOutputOfChecksIsStored(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("git", "init", "--quiet", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	logs := &shelf{kept: map[string]string{}}
	k := keeper.New(keeper.Config{Dir: t.TempDir(), ID: "office_1", Env: process.Environment(os.Environ()), Blobs: logs})
	run := func(command string) contracts.CheckResult {
		t.Helper()
		r, err := k.Check(t.Context(), contracts.Worktree{Dir: dir}, contracts.Check{Name: "unit", Command: command}, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}

	r := run(`yes 'a line' | head -n 60000; printf '\033[31mred\033[0m\npassword=hunter2hunter2\n'; exit 3`)
	text := logs.kept[r.LogSHA256]
	if r.ExitCode != 3 || r.OutputBytes <= contracts.LimitCheckLog || len(text) > contracts.LimitCheckLog || len(text) < contracts.LimitCheckLog-contracts.LimitCheckTail {
		t.Fatalf("%+v stored %d bytes", r, len(text))
	}
	if !strings.HasPrefix(text, "a line\n") || !strings.HasSuffix(text, "a line\nred\npassword=[redacted]\n") {
		t.Errorf("stored %q … %q", text[:40], text[len(text)-60:])
	}
	if r := run("true"); r.LogSHA256 != "" || r.OutputBytes != 0 {
		t.Errorf("without output: %+v", r)
	}
	logs.err = errors.New("the disk is full")
	if r := run("echo fine"); r.LogSHA256 != "" || r.ExitCode != 0 || r.OutputBytes == 0 {
		t.Errorf("without a place for the output: %+v", r)
	}
}
