package jetstream

import (
	"context"
	"errors"
	"fmt"

	"github.com/bullpen-office/bullpen/ledger"
)

// Await waits until this node has read the record with the given seq.
func (l *Ledger) Await(ctx context.Context, seq uint64) error {
	for {
		st := l.state.Load()
		if st.head >= seq {
			return nil
		}
		select {
		case <-st.changed:
		case <-ctx.Done():
			return fmt.Errorf("this node has not received record %d yet: %w", seq, ctx.Err())
		case <-l.runCtx.Done():
			return ledger.ErrClosed
		}
	}
}

// Writable returns an error if this node can tell that an append would fail. It appends nothing.
func (l *Ledger) Writable() error {
	if l.runCtx.Err() != nil {
		return ledger.ErrClosed
	}
	if !l.conn.IsConnected() {
		return errors.New("not connected to NATS; check that the servers are running")
	}
	return nil
}

// Scrub is the same as Verify.
func (l *Ledger) Scrub(ctx context.Context) error { return l.Verify(ctx) }

// Backup returns an error, because a shared ledger has no file.
func (l *Ledger) Backup(context.Context, string) (ledger.Report, error) {
	return ledger.Report{}, errors.New("a ledger in NATS has no file to copy; use `bullpen export`")
}

// Inspect verifies the ledger and returns a report.
func (l *Ledger) Inspect(ctx context.Context) (ledger.Report, error) {
	redacted, err := l.verify(ctx)
	if err != nil {
		return ledger.Report{}, err
	}
	if err := l.Damage(); err != nil {
		return ledger.Report{}, err
	}
	stats, err := l.Stats(ctx)
	if err != nil {
		return ledger.Report{}, err
	}
	blobs, err := l.countContent(ctx)
	if err != nil {
		return ledger.Report{}, err
	}
	st := l.state.Load()
	return ledger.Report{LedgerID: l.id, Head: st.head, Link: st.link.String(), Floor: st.floor, Records: stats.Records, Blobs: blobs, Redacted: redacted}, nil
}
