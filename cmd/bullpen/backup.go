package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
	"github.com/bullpen-office/bullpen/server"
)

const backupHelp = `Write a copy of the ledger to a file, as of one moment, and verify it. A running office
is asked and goes on meanwhile. To restore, put the copy into a private, empty
directory as ledger.db and start with --data: it begins a new epoch there, because the
original may have gone on. Credentials are not part of it.`

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
			return usageError("%s exists already; give another name", args[0])
		}
		ctx, stop := interruptible(cmd.Context())
		defer stop()
		report, err := v.backup(ctx, args[0])
		if ctx.Err() != nil {
			return &exitError{code: exitForced, err: errors.New("interrupted; there is no backup")}
		}
		if err != nil {
			return err
		}
		return v.print(report, fmt.Sprintf("%d records up to %d are in %s, verified; link %s", report.Records, report.Head, args[0], report.Link))
	}
	return c
}

// backup asks the running office, or copies the file of one that does not run, under
// another name until it is whole.
func (v *verb) backup(ctx context.Context, path string) (report ledger.Report, err error) {
	part := path + ".part"
	defer sqlite.Remove(part)
	c, err := newClient(v.settings, v.url)
	if err == nil {
		err = c.download(ctx, "/v1/backup", part)
	}
	switch {
	case err == nil:
		report, err = sqlite.InspectCopy(ctx, part)
	case v.url == "" && hasCode(err, exitNotRunning):
		var l *sqlite.Ledger
		if l, err = openLedger(ctx, v.settings, sqlite.Config{ReadOnly: true}); err != nil {
			return report, err
		}
		report, err = l.Backup(ctx, part)
		err = errors.Join(err, l.Close())
	}
	if err != nil {
		return report, err
	}
	return report, os.Rename(part, path)
}

// download brings an answer to a file.
func (c *client) download(ctx context.Context, path, name string) error {
	req, err := c.request(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	patient := &http.Client{Transport: c.http.Transport, CheckRedirect: c.http.CheckRedirect}
	resp, err := patient.Do(req)
	if err != nil {
		return c.unreachable(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		answer, _ := io.ReadAll(io.LimitReader(resp.Body, contracts.LimitBody))
		if err := c.refused(path, resp.StatusCode, answer); err != nil {
			return err
		}
		return fmt.Errorf("what answers at %s is not Bullpen: HTTP %d", c.base, resp.StatusCode)
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("make the backup: %w", err)
	}
	_, err = io.Copy(file, resp.Body)
	return errors.Join(err, file.Sync(), file.Close())
}

const salvageHelp = `Read a damaged ledger up to the first record that is not what was written, and make a
new ledger of it in a directory that has none. It says what is lost. The damaged files
are not changed; the office must not run.`

func newSalvageCommand() *cobra.Command {
	s := newSettings()
	var asJSON bool
	c := &cobra.Command{Use: "salvage DIR", Short: "Make a new ledger of what can be read of a damaged one", Long: salvageHelp, Example: "  bullpen salvage ~/salvaged --data ~/.bullpen", Args: exactArgs("DIR")}
	s.registerData(c.Flags())
	c.Flags().BoolVar(&asJSON, "json", false, "machine-readable output")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if err := s.load(); err != nil {
			return err
		}
		from := server.LedgerPath(s.data)
		if _, err := os.Stat(from); err != nil {
			return usageError("there is no ledger to salvage: %w", err)
		}
		done, err := sqlite.Salvage(cmd.Context(), from, server.LedgerPath(args[0]))
		if err != nil {
			return err
		}
		if asJSON {
			return printJSON(cmd.OutOrStdout(), done)
		}
		fmt.Fprintf(cmd.OutOrStdout(), "%d records up to %d and %d pieces of content are in %s\n", done.Records, done.UpTo, done.Blobs, server.LedgerPath(args[0]))
		if done.Break != "" {
			fmt.Fprintf(cmd.OutOrStdout(), "lost: %d records after %d, because %s\n", done.Lost, done.UpTo, done.Break)
		}
		if done.Missing > 0 {
			fmt.Fprintf(cmd.OutOrStdout(), "lost: %d pieces of content\n", done.Missing)
		}
		return nil
	}
	return c
}
