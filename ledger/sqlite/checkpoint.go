package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/bullpen-office/bullpen/ledger"
)

// errCheckpoint means that the checkpoint was altered. The ledger itself is not damaged: a
// checkpoint can be recomputed.
var errCheckpoint = errors.New("checkpoint checksum mismatch")

// SaveCheckpoint replaces the stored checkpoint and its checksum in one transaction.
func (l *Ledger) SaveCheckpoint(ctx context.Context, c ledger.Checkpoint) error {
	sum := l.checkpointSum(c)
	return l.submit(ctx, &request{grows: true, work: func(w *writer) error {
		if err := w.exec("INSERT OR REPLACE INTO checkpoint VALUES (1, ?, ?, ?)", int64(c.Seq), int64(c.Version), present(c.State)); err != nil {
			return err
		}
		return w.exec("INSERT OR REPLACE INTO meta VALUES ('checkpoint_sha256', ?)", sum)
	}})
}

// checkpointSum returns the checksum of a checkpoint. It also covers the ledger's identity, so that
// a checkpoint from another ledger does not match.
func (l *Ledger) checkpointSum(c ledger.Checkpoint) string {
	h := binary.AppendUvarint(nil, uint64(len(l.root)))
	h = append(h, l.root...)
	h = binary.LittleEndian.AppendUint64(h, uint64(c.Version))
	h = binary.LittleEndian.AppendUint64(h, c.Seq)
	sum := sha256.New()
	sum.Write(h)
	sum.Write(c.State)
	return hex.EncodeToString(sum.Sum(nil))
}

// Checkpoint returns the stored checkpoint, or false if there is none. A checkpoint that does not
// match its checksum is logged and counts as missing, because the fold can be computed again from
// the records.
func (l *Ledger) Checkpoint(ctx context.Context) (ledger.Checkpoint, bool, error) {
	c, ok, err := l.readCheckpoint(ctx)
	if errors.Is(err, errCheckpoint) || errors.Is(err, ledger.ErrCorrupt) {
		l.config.Logger.Warn("checkpoint ignored; reading all records", "ledger", l.name(), "error", err)
		return ledger.Checkpoint{}, false, nil
	}
	return c, ok, err
}

// VerifyCheckpoint returns an error if the stored checkpoint does not match its checksum.
func (l *Ledger) VerifyCheckpoint(ctx context.Context) error {
	_, _, err := l.readCheckpoint(ctx)
	return err
}

func (l *Ledger) readCheckpoint(ctx context.Context) (c ledger.Checkpoint, ok bool, err error) {
	if err := l.beginRead(); err != nil {
		return c, false, err
	}
	defer l.using.RUnlock()
	var sum sql.NullString // NULL in a file from an older version
	err = l.reads.QueryRowContext(ctx, "SELECT seq, version, state, (SELECT value FROM meta WHERE name = 'checkpoint_sha256') FROM checkpoint").
		Scan(&c.Seq, &c.Version, &c.State, &sum)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return c, false, nil
	case err != nil:
		return c, false, l.noteDamage(explain(err))
	case sum.String != l.checkpointSum(c):
		return c, false, fmt.Errorf("%w: seq %d, version %d, %d bytes", errCheckpoint, c.Seq, c.Version, len(c.State))
	}
	return c, true, nil
}
