package main

import (
	"context"
	"errors"
	"fmt"
	"os/user"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
)

// openAudited opens the ledger of a stopped office for an export and records the export in it. If
// recording fails, for example because the ledger lost records, openAudited prints a note, and the
// export continues.
func (v *verb) openAudited(ctx context.Context, did string) (*sqlite.Ledger, error) {
	l, err := openLedger(ctx, v.settings, sqlite.Config{})
	if err != nil {
		return nil, err
	}
	if err := audit(ctx, l, contracts.Audited{Kind: contracts.AuditExport, By: gate.OwnerID, Via: viaDataDir(), Says: gate.OwnerID + " " + did}); err != nil {
		v.note("this export was not recorded in the audit log: %v", err)
	}
	return l, nil
}

// auditRevocation records that a token was revoked. It does nothing if there is no ledger yet, or
// if the office is running, because the office then records the revocation itself.
func auditRevocation(ctx context.Context, s *settings, id string) error {
	l, err := openLedger(ctx, s, sqlite.Config{})
	switch {
	case errors.Is(err, sqlite.ErrInUse), hasCode(err, exitNotRunning):
		return nil
	case err != nil:
		return err
	}
	f := contracts.Audited{Kind: contracts.AuditRevocation, By: gate.OwnerID, Via: viaDataDir(), Says: gate.OwnerID + " revoked the credential " + id}
	return errors.Join(audit(ctx, l, f), l.Close())
}

// viaDataDir describes how the owner is authenticated while the office is stopped.
func viaDataDir() string {
	via := "the data directory, while the office was stopped"
	if u, err := user.Current(); err == nil {
		via += ", as user " + u.Username
	}
	return via
}

// audit appends an audit record to the ledger of a stopped office, with a time no earlier than the
// last record's. It leaves an empty ledger empty, because the office writes the first record.
func audit(ctx context.Context, l ledger.Ledger, f contracts.Audited) error {
	head := l.Head()
	if head == 0 {
		return nil
	}
	last, err := l.Read(ctx, head-1, 1)
	if err != nil {
		return fmt.Errorf("read the last record: %w", err)
	}
	now := time.Now().UnixMilli()
	for _, r := range last {
		now = max(now, r.TS)
	}
	rec, err := contracts.NewRecord(head+1, now, "", f.Event())
	if err != nil {
		return err
	}
	return l.Append(ctx, head, []contracts.Record{rec})
}
