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

// proven remembers the blocks that were found intact in this run. A read by kind misses records if a
// page is damaged or the index by kind is incomplete. Every block in its range is therefore checked
// before the read, but only once.
type proven struct {
	mu     sync.Mutex
	blocks map[int64]bool
}

func (p *proven) has(block int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.blocks[block]
}

func (p *proven) add(block int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.blocks == nil {
		p.blocks = map[int64]bool{}
	}
	p.blocks[block] = true
}

// prove returns an error if a record from first to last is missing or damaged, or cannot be found
// by its kind or key.
func (l *Ledger) prove(ctx context.Context, first, last uint64) error {
	if l.config.Path == "" {
		return nil
	}
	for block := blockOf(first); block <= blockOf(last); block++ {
		if l.proven.has(block) {
			continue
		}
		head := l.Head()
		if err := l.proveBlock(ctx, block, head); err != nil {
			return err
		}
		if blockOf(head) > block {
			l.proven.add(block)
		}
	}
	return nil
}

// proveBlock checks a block's records up to upTo in one read transaction.
func (l *Ledger) proveBlock(ctx context.Context, block int64, upTo uint64) error {
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
	recs, err := l.readProven(ctx, tx, &c, first, last)
	if err != nil {
		last = first - 1
		if len(recs) > 0 {
			last = recs[len(recs)-1].Seq
		}
	}
	if missing := checkWhole(first-1, last, floor, recs); missing != nil { // explains a broken chain better than err
		return missing
	}
	if err != nil {
		return err
	}
	return findable(ctx, tx, block, recs)
}

// readProven reads the records from first to last and verifies them along the chain.
func (l *Ledger) readProven(ctx context.Context, tx *sql.Tx, c *chainCheck, first, last uint64) (recs []contracts.Record, err error) {
	rows, err := tx.QueryContext(ctx, provenColumns+"WHERE seq >= ? AND seq <= ? ORDER BY seq", int64(first), int64(last))
	if err != nil {
		return nil, explain(err)
	}
	defer rows.Close()
	for rows.Next() {
		var r contracts.Record
		p, err := l.scanProven(rows, &r)
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

// findable returns an error if a record of a block cannot be found by its kind or key.
func findable(ctx context.Context, tx *sql.Tx, block int64, recs []contracts.Record) error {
	kinds := map[contracts.Kind]bool{}
	for i := range recs {
		r := &recs[i]
		if !kinds[r.Kind] {
			kinds[r.Kind] = true
			if err := indexNames(ctx, tx, "SELECT block FROM places WHERE kind = ? AND block = ?", block, string(r.Kind), block); err != nil {
				return fmt.Errorf("find record %d by kind: %w", r.Seq, err)
			}
		}
		if r.Key != "" {
			if err := indexNames(ctx, tx, "SELECT seq FROM records WHERE key = ?", int64(r.Seq), r.Key); err != nil {
				return fmt.Errorf("find record %d by key: %w", r.Seq, err)
			}
		}
	}
	return nil
}

func indexNames(ctx context.Context, tx *sql.Tx, query string, want int64, args ...any) error {
	var got int64
	err := tx.QueryRowContext(ctx, query, args...).Scan(&got)
	if errors.Is(err, sql.ErrNoRows) || err == nil && got != want {
		return corruptf("the record is missing from the index")
	}
	return explain(err)
}

// checkWhole returns an error if recs lacks a record in (after, upTo] that retention cannot have
// removed.
func checkWhole(after, upTo, floor uint64, recs []contracts.Record) error {
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
