package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/bullpen-office/bullpen/ledger"
)

// Backup writes a consistent snapshot of the ledger to a file that must not exist yet, and verifies
// the copy. Appends continue during the backup. When the copy is opened, it starts a new epoch,
// because the original may have changed since. A failed Backup leaves no file.
func (l *Ledger) Backup(ctx context.Context, path string) (report ledger.Report, err error) {
	if err := l.beginRead(); err != nil {
		return report, err
	}
	defer l.using.RUnlock()
	if l.config.Path == "" {
		return report, errors.New("an in-memory ledger has no file to copy; use `bullpen export`")
	}
	if err := l.checkPath(); err != nil {
		return report, err
	}
	if err := l.Damage(); err != nil {
		return report, fmt.Errorf("a damaged ledger cannot be backed up: %w; `bullpen salvage` copies the records that can be read", err)
	}
	if err := createFile(path); err != nil {
		return report, err
	}
	defer func() {
		if err != nil {
			Remove(path)
		}
	}()
	if err := l.checkCopySpace(path); err != nil {
		return report, err
	}
	if err := copyInto(ctx, l.config.Path, path); err != nil {
		return report, fmt.Errorf("copy ledger: %w", err)
	}
	return inspectCopy(ctx, path)
}

// copyInto makes SQLite write a consistent snapshot of one file to another, and marks the
// copy as closed cleanly.
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

// inspectCopy verifies a copy that Backup made and removes the files that opening it created.
func inspectCopy(ctx context.Context, path string) (report ledger.Report, err error) {
	l, err := Open(ctx, Config{Path: path, MinFree: -1, ReadOnly: true})
	if err != nil {
		return report, err
	}
	report, err = l.Inspect(ctx)
	err = errors.Join(err, l.Close())
	removeCompanions(path)
	return report, err
}
