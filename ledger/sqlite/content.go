package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/bullpen-office/bullpen/ledger"
)

// PutBlob stores content under its hash and returns the hash. It shares a transaction with the
// appends that are waiting.
func (l *Ledger) PutBlob(ctx context.Context, content []byte) (string, error) {
	name := blobName(content)
	err := l.submit(ctx, &request{grows: true, work: func(w *writer) error {
		return w.exec("INSERT INTO blobs VALUES (?, ?) ON CONFLICT DO NOTHING", name, present(content))
	}})
	return name, err
}

// Blob returns the content with the given hash after verifying it, or false if there is none.
func (l *Ledger) Blob(ctx context.Context, name string) ([]byte, bool, error) {
	if err := l.beginRead(); err != nil {
		return nil, false, err
	}
	defer l.using.RUnlock()
	var content []byte
	err := l.query.blob.QueryRowContext(ctx, name).Scan(&content)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, l.noteDamage(explain(err))
	}
	if blobName(content) != name {
		return nil, false, l.noteDamage(fmt.Errorf("content %s does not match its hash: %w", name, ledger.ErrCorrupt))
	}
	return content, true, nil
}

func blobName(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
