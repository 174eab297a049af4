package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/bullpen-office/bullpen/atomicfile"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// Restore creates a ledger file from an archive. The file must not exist yet. If Restore fails, it
// leaves no file. The new ledger has its own identity, so cursors of the exported ledger are not
// valid in it: the two ledgers may continue with different records.
func Restore(ctx context.Context, path string, a *ledger.ArchiveReader) (err error) {
	if a.Header.Partial() {
		return errors.New("the export is partial: create it without --after and --kinds")
	}
	if err := createFile(path); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			Remove(path)
		}
	}()
	db, err := openWriter(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	id, _, _, err := establish(ctx, db, true)
	if err != nil {
		return err
	}
	w := newWriter(db, newChecksummer(id), nil)
	if err := restoreFrom(ctx, w, ledger.ChainStart(id), a); err != nil {
		return err
	}
	if err := w.keepLink(a.Header.Head); err != nil {
		return err
	}
	if err := w.checkpointWAL(ctx); err != nil {
		return err
	}
	return createWitness(path, id, a.Header.Head, w.link)
}

// keepLink stores the link of the head if retention removed the record at the head.
func (w *writer) keepLink(head uint64) error {
	link := w.link
	return w.transact(head, link, func() error {
		return w.exec("INSERT INTO proofs SELECT ?, ? WHERE ? > (SELECT coalesce(max(seq), 0) FROM records)", int64(head), link[:], int64(head))
	})
}

func createWitness(path, id string, head uint64, link ledger.Link) error {
	w, err := openWitness(path, 0)
	if err != nil {
		return err
	}
	return errors.Join(w.write(id, head, link), w.close(), atomicfile.SyncDir(filepath.Dir(path)))
}

// Remove deletes all files of a closed ledger.
func Remove(path string) {
	_ = os.Remove(path)
	removeCompanions(path)
}

// removeCompanions deletes the files that belong to a ledger, but not the ledger file itself.
func removeCompanions(path string) {
	for _, suffix := range []string{"-wal", "-shm", ".lock", witnessSuffix} {
		_ = os.Remove(path + suffix)
	}
}

// Move moves a closed ledger to its final name. It never overwrites a file.
func Move(from, to string) error {
	if err := os.Link(from+witnessSuffix, to+witnessSuffix); err != nil {
		return err
	}
	if err := os.Link(from, to); err != nil {
		_ = os.Remove(to + witnessSuffix)
		return err
	}
	Remove(from)
	return atomicfile.SyncDir(filepath.Dir(to))
}

func restoreFrom(ctx context.Context, w *writer, link ledger.Link, a *ledger.ArchiveReader) error {
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := w.transact(0, link, func() (err error) {
			more, err = w.restoreBatch(a)
			return err
		})
		if err != nil {
			return err
		}
		link = w.link
	}
	return nil
}

// restoreBatch adds the next part of the archive to the open transaction; more is false at the end
// of the archive.
func (w *writer) restoreBatch(a *ledger.ArchiveReader) (more bool, err error) {
	bytes := 0
	for len(w.accepted) < contracts.LimitAppendBatch && bytes < contracts.LimitTailBytes {
		item, err := a.Next()
		if errors.Is(err, io.EOF) {
			w.floor = a.End.Floor
			return false, nil
		}
		if err != nil {
			return false, err
		}
		switch {
		case item.Record != nil:
			recs := []contracts.Record{*item.Record}
			if duplicate, ok, err := w.claimKeys(recs, nil); err != nil {
				return false, err
			} else if !ok {
				return false, fmt.Errorf("record %d reuses the key %s of an earlier record", item.Record.Seq, duplicate)
			}
			w.add(recs, sealRecords(nil, recs))
			bytes += len(item.Record.Body)
		case !item.Missing:
			if err := w.exec("INSERT INTO blobs VALUES (?, ?) ON CONFLICT DO NOTHING", blobName(item.Content), present(item.Content)); err != nil {
				return false, err
			}
			bytes += len(item.Content)
		}
	}
	return true, nil
}
