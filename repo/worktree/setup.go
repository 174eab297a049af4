package worktree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/repo/check"
	"github.com/bullpen-office/bullpen/repo/proof"
	"github.com/bullpen-office/bullpen/repo/repofile"
)

// setupMark is a file in the worktree's git directory that marks the setup as complete.
const setupMark = "bullpen-setup"

// Plan returns the repository's checks and setup commands, both read from the base commit. Changes
// to them in the worktree are ignored, so that an agent cannot weaken the checks on its own work.
func (w *Worktree) Plan(ctx context.Context) (checks []repofile.Check, setup []string, err error) {
	row, err := w.main.Run(ctx, "ls-tree", w.Base, "--", repofile.Name)
	if err != nil || row == "" {
		return nil, nil, err
	}
	field := strings.Fields(row) // mode, type, hash, name
	if len(field) != 4 || !strings.HasPrefix(field[0], "100") {
		return nil, nil, fmt.Errorf("%s is not a regular file", repofile.Name)
	}
	content, err := w.main.Run(ctx, "cat-file", "blob", field[2])
	if err != nil {
		return nil, nil, err
	}
	return repofile.ParseChecks([]byte(content))
}

// Setup runs the setup commands in the worktree, unless they have succeeded before. Their output goes
// to out. BULLPEN_REPO in their environment is the directory of the user's working tree.
func (s *Store) Setup(ctx context.Context, w *Worktree, out io.Writer) error {
	_, commands, err := w.Plan(ctx)
	if err != nil || len(commands) == 0 {
		return err
	}
	mark := filepath.Join(w.repo.GitDir, setupMark)
	done := strings.Join(commands, "\n")
	if before, err := os.ReadFile(mark); err == nil && string(before) == done {
		return nil
	} else if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, line := range commands {
		last := &process.Tail{Limit: contracts.LimitNote}
		ended, err := check.Run(ctx, check.Command{
			Line: line, Dir: w.Dir, Env: append(slices.Clone(s.Env), "BULLPEN_REPO="+w.Source), Out: io.MultiWriter(out, last),
			Timeout: contracts.SetupTimeout, MaxOutput: contracts.LimitSetupOutput,
		})
		switch {
		case err != nil:
			return fmt.Errorf("run the setup command %q: %w", line, err)
		case ctx.Err() != nil:
			return ctx.Err()
		case ended.End != proof.EndExited || ended.ExitCode != 0:
			text, _ := last.Text()
			return fmt.Errorf("the setup command %q failed (%s, exit code %d): %s", line, ended.End, ended.ExitCode, hud.Line(text, contracts.LimitNote))
		}
	}
	return os.WriteFile(mark, []byte(done), 0o600)
}
