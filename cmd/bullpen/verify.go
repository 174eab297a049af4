package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"

	"github.com/spf13/cobra"

	office "github.com/bullpen-office/bullpen/client"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/server"
)

const verifyHelp = `Verify the whole ledger. Each record is checked against its checksum and the hash chain,
all content against its hash, and the indexes against the records. Records missing at the
end are detected too. A running office verifies its own ledger and keeps working.

The link is the hash of the last record and everything before it: two ledgers with the
same link contain the same records.`

func newVerifyCommand() *cobra.Command {
	v := &verb{settings: newSettings()}
	c := &cobra.Command{Use: "verify", Short: "Verify the whole ledger", Long: verifyHelp, Args: noArgs}
	v.register(c.Flags())
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		v.out, v.err = cmd.OutOrStdout(), cmd.ErrOrStderr()
		if err := v.settings.load(); err != nil {
			return err
		}
		ctx, stop := interruptible(cmd.Context())
		defer stop()
		report, err := v.inspect(ctx)
		if ctx.Err() != nil {
			return &exitError{code: exitForced, err: errors.New("interrupted before the whole ledger was verified")}
		}
		if errors.Is(err, ledger.ErrCorrupt) {
			return &exitError{code: exitProblems, err: err}
		}
		if err != nil {
			return err
		}
		return v.print(report, reportLines(report))
	}
	return c
}

// inspect verifies the ledger through the running office, or directly in the file if no office is
// running.
func (v *verb) inspect(ctx context.Context) (report ledger.Report, err error) {
	c, err := newClient(v.settings, v.url)
	if err == nil {
		err = c.with(0, -1).verify(ctx, &report)
	}
	if err == nil || v.url != "" || !hasCode(err, exitNotRunning) {
		return report, err
	}
	l, err := openLedger(ctx, v.settings, sqlite.Config{ReadOnly: true})
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	return l.Inspect(ctx)
}

// verify makes the office verify its ledger.
func (c *client) verify(ctx context.Context, report *ledger.Report) error {
	err := c.office.Get(ctx, "/v1/verify", report)
	var status *office.StatusError
	if errors.As(err, &status) && status.Status == http.StatusInternalServerError && status.Refusal != nil { // the ledger is damaged
		return &exitError{code: exitProblems, reason: status.Refusal.Code, err: errors.New(printable(status.Refusal.Message))}
	}
	return c.checkResponse(err, report)
}

// openLedger opens the ledger of a stopped office.
func openLedger(ctx context.Context, s *settings, config sqlite.Config) (*sqlite.Ledger, error) {
	config.Path, config.MinFree = server.LedgerPath(s.data), -1
	if _, err := os.Stat(config.Path); errors.Is(err, fs.ErrNotExist) {
		return nil, &exitError{code: exitNotRunning, err: fmt.Errorf("there is no ledger in %s; check --data", s.data)}
	}
	return sqlite.Open(ctx, config)
}

func recordWords(n int64) string { return model.Counted(int(n), "record", "records") }

func pieceWords(n int64) string {
	return model.Counted(int(n), "piece of content", "pieces of content")
}

func reportLines(r ledger.Report) string {
	text := fmt.Sprintf("%s (the last has seq %d) and %s are intact\nledger %s\nlink   %s", recordWords(r.Records), r.Head, pieceWords(r.Blobs), r.LedgerID, r.Link)
	if r.Missing > 0 {
		text += fmt.Sprintf("\nmissing: %s that records refer to", pieceWords(r.Missing))
	}
	if r.Redacted > 0 {
		text += fmt.Sprintf("\nredacted: %s; the text is gone, but the links are kept", recordWords(r.Redacted))
	}
	if r.ChainedAfter > 0 {
		text += fmt.Sprintf("\nrecords up to %d are older than the hash chain: they were added to it by an upgrade", r.ChainedAfter)
	}
	return text
}
