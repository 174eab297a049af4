package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/atomicfile"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
	"github.com/bullpen-office/bullpen/server"
)

const backupHelp = `Copy the ledger to FILE as a consistent snapshot and verify the copy. A running office
makes the copy itself and keeps working. To restore, put the copy into a private, empty
directory as ledger.db and start with --data. The restored ledger starts a new epoch,
because the original may have changed since. Credentials are not included.`

func newBackupCommand() *cobra.Command {
	v := &verb{settings: newSettings()}
	c := &cobra.Command{Use: "backup FILE", Short: "Write a verified copy of the ledger", Long: backupHelp, Example: "  bullpen backup office-backup.db", Args: exactArgs("FILE")}
	v.register(c.Flags())
	c.RunE = func(cmd *cobra.Command, args []string) error {
		v.out, v.err = cmd.OutOrStdout(), cmd.ErrOrStderr()
		if err := v.settings.load(); err != nil {
			return err
		}
		if _, err := os.Lstat(args[0]); err == nil {
			return usageError("%s already exists; choose another name", args[0])
		}
		ctx, stop := interruptible(cmd.Context())
		defer stop()
		report, err := v.backup(ctx, args[0])
		if ctx.Err() != nil {
			return &exitError{code: exitForced, err: errors.New("interrupted; no backup was written")}
		}
		if err != nil {
			return err
		}
		return v.print(report, fmt.Sprintf("wrote and verified %s: %s, up to record %d; link %s", args[0], recordWords(report.Records), report.Head, report.Link))
	}
	return c
}

// backup downloads a copy from the running office or, if no office is running, copies the ledger
// file directly. The copy has a temporary name until it is complete.
func (v *verb) backup(ctx context.Context, path string) (report ledger.Report, err error) {
	dir, err := os.MkdirTemp(filepath.Dir(path), ".bullpen-backup-")
	if err != nil {
		return report, fmt.Errorf("create the backup file: %w", err)
	}
	defer os.RemoveAll(dir)
	part := filepath.Join(dir, filepath.Base(path))
	c, err := newClient(v.settings, v.url)
	if err == nil {
		err = c.download(ctx, "/v1/backup", part)
	}
	switch {
	case err == nil:
		report, err = inspectBackup(ctx, part)
	case v.url == "" && hasCode(err, exitNotRunning):
		var l *sqlite.Ledger
		if l, err = v.openAudited(ctx, "exported the ledger as a backup"); err != nil {
			return report, err
		}
		report, err = l.Backup(ctx, part)
		err = errors.Join(err, l.Close())
	}
	if err != nil {
		return report, err
	}
	if _, err := os.Lstat(path); err == nil {
		return report, fmt.Errorf("%s was created by another program in the meantime; choose another name", path)
	}
	return report, atomicfile.Rename(part, path)
}

func inspectBackup(ctx context.Context, path string) (report ledger.Report, err error) {
	l, err := sqlite.Open(ctx, sqlite.Config{Path: path, MinFree: -1, ReadOnly: true})
	if err != nil {
		return report, err
	}
	report, err = l.Inspect(ctx)
	return report, errors.Join(err, l.Close())
}

// download saves the response to a GET request in a new file.
func (c *client) download(ctx context.Context, path, name string) error {
	resp, err := c.office.Open(ctx, path)
	if err != nil {
		return c.requestFailed(err)
	}
	defer resp.Body.Close()
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("create the backup file: %w", err)
	}
	_, err = io.Copy(file, resp.Body)
	return errors.Join(err, file.Sync(), file.Close())
}

const salvageHelp = `Copy the records of a damaged ledger, up to the first damaged one, into a new ledger in
DIR, and report what is lost. The damaged files are not changed. Stop the office first.`

func newSalvageCommand() *cobra.Command {
	s := newSettings()
	var asJSON bool
	c := &cobra.Command{Use: "salvage DIR", Short: "Copy the readable part of a damaged ledger into a new one", Long: salvageHelp, Example: "  bullpen salvage ~/salvaged --data ~/.bullpen", Args: exactArgs("DIR")}
	s.registerDirectory(c.Flags())
	c.Flags().BoolVar(&asJSON, "json", false, "machine-readable output")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if err := s.load(); err != nil {
			return err
		}
		from := server.LedgerPath(s.data)
		if _, err := os.Stat(from); err != nil {
			return usageError("no ledger to salvage: %w", err)
		}
		ctx, stop := interruptible(cmd.Context())
		defer stop()
		done, err := sqlite.Salvage(ctx, from, server.LedgerPath(args[0]))
		if ctx.Err() != nil {
			return &exitError{code: exitForced, err: errors.New("interrupted; no ledger was written")}
		}
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%w; choose another directory", err)
		}
		if err != nil {
			return err
		}
		if asJSON {
			return printJSON(cmd.OutOrStdout(), done)
		}
		fmt.Fprintf(cmd.OutOrStdout(), "wrote %s: %s, up to record %d, and %s\n", server.LedgerPath(args[0]), recordWords(done.Records), done.UpTo, pieceWords(done.Blobs))
		if done.Break != "" {
			fmt.Fprintf(cmd.OutOrStdout(), "lost: %s after %d: %s\n", recordWords(int64(done.Lost)), done.UpTo, done.Break)
		}
		if done.Missing > 0 {
			fmt.Fprintf(cmd.OutOrStdout(), "lost: %s\n", pieceWords(done.Missing))
		}
		return nil
	}
	return c
}
