package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// verifiedBlocks holds the blocks that have been found intact so far in this run. A read by kind
// can miss records if a page is damaged or the index by kind is incomplete, so every block in the
// read's range is checked before the read returns, but only once per run.
type verifiedBlocks struct {
	mu     sync.Mutex
	blocks map[int64]bool
}

func (v *verifiedBlocks) has(block int64) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.blocks[block]
}

func (v *verifiedBlocks) add(block int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.blocks == nil {
		v.blocks = map[int64]bool{}
	}
	v.blocks[block] = true
}

// verifyBlocks returns an error if a record from first to last is missing or damaged, or cannot be
// found by its kind or key.
func (l *Ledger) verifyBlocks(ctx context.Context, first, last uint64) error {
	if l.config.Path == "" {
		return nil
	}
	for block := blockOf(first); block <= blockOf(last); block++ {
		if l.verified.has(block) {
			continue
		}
		head := l.Head()
		if err := l.verifyBlock(ctx, block, head); err != nil {
			return err
		}
		if blockOf(head) > block {
			l.verified.add(block)
		}
	}
	return nil
}

// verifyBlock checks a block's records up to upTo in one read transaction.
func (l *Ledger) verifyBlock(ctx context.Context, block int64, upTo uint64) error {
	tx, err := l.reads.BeginTx(ctx, nil)
	if err != nil {
		return explain(err)
	}
	defer tx.Rollback()
	floor, err := readFloor(ctx, tx)
	if err != nil {
		return err
	}
	first, last := max(uint64(block)*placeBlock, 1), min(uint64(block+1)*placeBlock-1, upTo)
	c := chainCheck{db: tx, segments: l.segments}
	if c.link, c.at, err = linkBefore(ctx, tx, l.root, first-1); err != nil {
		return err
	}
	recs, err := l.readRangeWithProof(ctx, tx, &c, first, last)
	if err != nil {
		last = first - 1
		if len(recs) > 0 {
			last = recs[len(recs)-1].Seq
		}
	}
	if missing := checkContiguous(first-1, last, floor, recs); missing != nil {
		return missing // explains a broken chain better than err
	}
	if err != nil {
		return err
	}
	return checkFindable(ctx, tx, block, recs)
}

// readRangeWithProof reads the records from first to last and verifies them against the chain.
func (l *Ledger) readRangeWithProof(ctx context.Context, tx *sql.Tx, c *chainCheck, first, last uint64) (recs []contracts.Record, err error) {
	rows, err := tx.QueryContext(ctx, proofColumns+"WHERE seq >= ? AND seq <= ? ORDER BY seq", int64(first), int64(last))
	if err != nil {
		return nil, explain(err)
	}
	defer rows.Close()
	for rows.Next() {
		var r contracts.Record
		p, err := l.scanWithProof(rows, &r)
		if err != nil {
			return recs, err
		}
		if err := c.next(ctx, &r, p); err != nil {
			return append(recs, r), err
		}
		recs = append(recs, r)
	}
	return recs, explain(rows.Err())
}

// checkFindable returns an error if a record in a block cannot be found by its kind or key.
func checkFindable(ctx context.Context, tx *sql.Tx, block int64, recs []contracts.Record) error {
	kinds := map[contracts.Kind]bool{}
	for i := range recs {
		r := &recs[i]
		if !kinds[r.Kind] {
			kinds[r.Kind] = true
			if err := checkIndex(ctx, tx, "SELECT block FROM places WHERE kind = ? AND block = ?", block, string(r.Kind), block); err != nil {
				return fmt.Errorf("find record %d by kind: %w", r.Seq, err)
			}
		}
		if r.Key != "" {
			if err := checkIndex(ctx, tx, "SELECT seq FROM records WHERE key = ?", int64(r.Seq), r.Key); err != nil {
				return fmt.Errorf("find record %d by key: %w", r.Seq, err)
			}
		}
	}
	return nil
}

func checkIndex(ctx context.Context, tx *sql.Tx, query string, want int64, args ...any) error {
	var got int64
	err := tx.QueryRowContext(ctx, query, args...).Scan(&got)
	if errors.Is(err, sql.ErrNoRows) || err == nil && got != want {
		return corruptf("the record is missing from the index")
	}
	return explain(err)
}

// checkContiguous returns an error if recs lacks a record in (after, upTo] that retention cannot
// have removed.
func checkContiguous(after, upTo, floor uint64, recs []contracts.Record) error {
	next := after + 1
	for i := range recs {
		if recs[i].Seq != next && recs[i].Seq-1 > floor {
			return &ledger.CorruptError{Seq: max(next, floor+1), Reason: "is missing"}
		}
		next = recs[i].Seq + 1
	}
	if next <= upTo && upTo > floor {
		return &ledger.CorruptError{Seq: max(next, floor+1), Reason: "is missing"}
	}
	return nil
}
