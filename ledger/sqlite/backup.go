package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/bullpen-office/bullpen/ledger"
)

// Backup writes the ledger as of now to a file that must not exist, while the
// ledger goes on, and verifies the copy. Opened as a ledger, the copy begins a new
// epoch, because the original may have gone on. When Backup fails, the file does
// not exist afterwards.
func (l *Ledger) Backup(ctx context.Context, path string) (report ledger.Report, err error) {
	if err := l.use(); err != nil {
		return report, err
	}
	defer l.using.RUnlock()
	if l.config.Path == "" {
		return report, errors.New("a ledger in memory has no file to copy: export it instead")
	}
	if err := prepareFile(path); err != nil {
		return report, err
	}
	defer func() {
		if err != nil {
			Remove(path)
		}
	}()
	if err := copyInto(ctx, l.config.Path, path); err != nil {
		return report, fmt.Errorf("copy the ledger: %w", err)
	}
	return InspectCopy(ctx, path)
}

// copyInto has SQLite write one consistent state of a file to another, and marks it
// as whole.
func copyInto(ctx context.Context, from, to string) error {
	db, err := openPool(address(from, "ro", busyTimeout), 1)
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", to); err != nil {
		return explain(err)
	}
	made, err := openPool(address(to, "rw", "synchronous(FULL)"), 1)
	if err != nil {
		return err
	}
	defer made.Close()
	head, _, err := readHead(ctx, made)
	if err != nil {
		return err
	}
	_, err = made.ExecContext(ctx, "INSERT OR REPLACE INTO meta VALUES (?, ?)", closedAt, strconv.FormatUint(head, 10))
	return explain(err)
}

// InspectCopy verifies a copy that Backup made and leaves nothing but it behind.
func InspectCopy(ctx context.Context, path string) (report ledger.Report, err error) {
	l, err := Open(ctx, Config{Path: path, MinFree: -1, ReadOnly: true})
	if err != nil {
		return report, err
	}
	report, err = l.Inspect(ctx)
	err = errors.Join(err, l.Close())
	removeCompanions(path)
	return report, err
}
