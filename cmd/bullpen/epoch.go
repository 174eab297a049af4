package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/ledger/sqlite"
)

const epochHelp = `Accept the ledger as it is and go on from there, after ` + "`bullpen`" + ` said that records are
missing or that the file was replaced. Restore a backup instead when there is one that
has more: what is missing stays missing.

The ledger gets a new identity, so that no browser, terminal or script goes on from a
place in the history that was lost: they load everything again. The office must not
run.`

// epochStarted is what `bullpen new-epoch --json` prints.
type epochStarted struct {
	LedgerID string `json:"ledger_id"`
	Before   string `json:"before"`
	Head     uint64 `json:"head"`
	Reason   string `json:"reason,omitzero"` // what was wrong
}

func newEpochCommand() *cobra.Command {
	s := newSettings()
	var asJSON bool
	c := &cobra.Command{Use: "new-epoch", Short: "Accept a ledger that lost records and go on under a new identity", Long: epochHelp, Args: noArgs}
	s.registerData(c.Flags())
	c.Flags().BoolVar(&asJSON, "json", false, "machine-readable output")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := s.load(); err != nil {
			return err
		}
		before, err := openLedger(cmd.Context(), s, sqlite.Config{ReadOnly: true})
		if err != nil {
			return err
		}
		done := epochStarted{Before: before.ID()}
		if damage := before.Damage(); damage != nil {
			done.Reason = damage.Error()
		}
		if err := before.Close(); err != nil {
			return err
		}
		l, err := openLedger(cmd.Context(), s, sqlite.Config{NewEpoch: true})
		if err != nil {
			return err
		}
		done.LedgerID, done.Head = l.ID(), l.Head()
		if err := l.Close(); err != nil {
			return err
		}
		if asJSON {
			return printJSON(cmd.OutOrStdout(), done)
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "ledger %s goes on after record %d as %s\n", done.Before, done.Head, done.LedgerID)
		return err
	}
	return c
}
