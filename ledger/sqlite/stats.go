package sqlite

import (
	"context"
	"os"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// Stats returns the ledger's size and a summary of its records. Its cost does not depend on the
// number of records.
func (l *Ledger) Stats(ctx context.Context) (ledger.Stats, error) {
	if err := l.beginRead(); err != nil {
		return ledger.Stats{}, err
	}
	defer l.using.RUnlock()
	s := ledger.Stats{Path: l.config.Path, Free: -1}
	var err error
	if s.ByKind, err = countKinds(ctx, l.reads); err != nil {
		return s, err
	}
	for _, n := range s.ByKind {
		s.Records += n
	}
	if err := l.reads.QueryRowContext(ctx, "SELECT count(*) FROM blobs").Scan(&s.Blobs); err != nil {
		return s, explain(err)
	}
	if l.config.Path == "" {
		err := l.reads.QueryRowContext(ctx, "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").Scan(&s.Bytes)
		return s, explain(err)
	}
	s.Bytes = l.fileBytes()
	if free, _, err := l.config.FreeSpace(l.config.Path); err == nil {
		s.Free = free
	}
	return s, nil
}

func countKinds(ctx context.Context, db source) (map[contracts.Kind]int64, error) {
	rows, err := db.QueryContext(ctx, "SELECT kind, records FROM kinds WHERE records > 0")
	if err != nil {
		return nil, explain(err)
	}
	defer rows.Close()
	counts := map[contracts.Kind]int64{}
	for rows.Next() {
		var kind string
		var n int64
		if err := rows.Scan(&kind, &n); err != nil {
			return nil, explain(err)
		}
		counts[contracts.Kind(kind)] = n
	}
	return counts, explain(rows.Err())
}

// fileBytes returns the total size of the ledger's files.
func (l *Ledger) fileBytes() (total int64) {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if info, err := os.Stat(l.config.Path + suffix); err == nil {
			total += info.Size()
		}
	}
	return total
}
