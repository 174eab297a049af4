package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/bullpen-office/bullpen/ledger/sqlite"
)

const epochHelp = `Accept a ledger that lost records or was replaced, and continue from its last record.
If you have a backup with more records, restore it instead: a new epoch does not bring
the missing records back.

The ledger gets a new id, so browsers, terminals and scripts reload everything instead
of resuming from a record that no longer exists. Stop the office first.

If the ledger has lost no records, the command does nothing unless you pass --yes.`

// epochStarted is the JSON output of `bullpen new-epoch`.
type epochStarted struct {
	LedgerID string `json:"ledger_id"`
	Before   string `json:"before"`
	Head     uint64 `json:"head"`
	Reason   string `json:"reason,omitzero"` // why a new epoch was needed
}

func newEpochCommand() *cobra.Command {
	s := newSettings()
	var asJSON, yes bool
	c := &cobra.Command{Use: "new-epoch", Short: "Accept a ledger that lost records and continue under a new id", Long: epochHelp, Args: noArgs}
	s.registerDirectory(c.Flags())
	c.Flags().BoolVar(&asJSON, "json", false, "machine-readable output")
	c.Flags().BoolVar(&yes, "yes", false, "start a new epoch even if the ledger has lost no records")
	onlyTyped(c.Flags(), "yes")
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
		if err := errors.Join(before.Verify(cmd.Context()), before.Close()); err != nil {
			return fmt.Errorf("a new epoch cannot start in a damaged ledger: %w; run `bullpen salvage` to copy what can be read", err)
		}
		if done.Reason == "" && !yes {
			return usageError("the ledger in %s has lost no records, so it needs no new epoch; use --yes to start one anyway", s.data)
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
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "ledger %s continues after record %d as %s\n", done.Before, done.Head, done.LedgerID)
		return err
	}
	return c
}
