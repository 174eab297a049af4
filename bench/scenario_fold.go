//go:build linux

package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
	"github.com/bullpen-office/bullpen/office"
	"github.com/bullpen-office/bullpen/world"
	"github.com/bullpen-office/bullpen/world/scene"
)

// sinceCheckpoint is the maximum number of records that an office folds on top of a checkpoint when
// it starts. An office saves a checkpoint every 2,000 records.
const sinceCheckpoint = 2000

// runFold measures how long an office with a long ledger takes to load its world.
func runFold(ctx context.Context, b *bench) error {
	total := 100_000
	if b.quick {
		total = 20_000
	}
	path := filepath.Join(b.dir, "fold.db")
	bodies, err := writeHistory(ctx, path, total)
	if err != nil {
		return fmt.Errorf("write the history: %w", err)
	}
	for range b.reps {
		took, err := decodeAll(bodies)
		if err != nil {
			return err
		}
		b.addFold("whole, ", raw, took, len(bodies))
		if took, err = b.load(ctx, path, 0); err != nil {
			return err
		}
		b.addFold("whole, ", ours, took, len(bodies))
		if took, err = b.load(ctx, path, uint64(len(bodies)-sinceCheckpoint)); err != nil {
			return err
		}
		b.addFold("with checkpoint, ", ours, took, len(bodies))
	}
	return nil
}

func (b *bench) addFold(name, who string, took time.Duration, records int) {
	b.sheet.add("fold", name+"ms", who, took.Seconds()*1e3)
	b.sheet.add("fold", name+"records/s", who, float64(records)/took.Seconds())
}

// decodeAll decodes all records, as every fold must, and returns the time it took.
func decodeAll(recs []contracts.Record) (time.Duration, error) {
	began := time.Now()
	for i := range recs {
		if _, err := recs[i].Decode(); err != nil {
			return 0, err
		}
	}
	return time.Since(began), nil
}

// load opens the ledger, folds it and returns how long that took. It starts from a checkpoint at
// the given seq; 0 means no checkpoint.
func (b *bench) load(ctx context.Context, path string, checkpoint uint64) (time.Duration, error) {
	if err := saveCheckpoint(ctx, path, checkpoint); err != nil {
		return 0, err
	}
	began := time.Now()
	l, err := sqlite.Open(ctx, sqlite.Config{Path: path})
	if err != nil {
		return 0, err
	}
	defer l.Close()
	w, err := office.Load(ctx, l, scene.Default())
	if err != nil {
		return 0, err
	}
	if w.Seq() != l.Head() {
		return 0, fmt.Errorf("the world is at record %d, but the ledger is at record %d", w.Seq(), l.Head())
	}
	return time.Since(began), nil
}

// saveCheckpoint stores the world as of seq. For seq 0 it stores a checkpoint that cannot be read,
// so that the next start folds the whole ledger.
func saveCheckpoint(ctx context.Context, path string, seq uint64) error {
	l, err := sqlite.Open(ctx, sqlite.Config{Path: path})
	if err != nil {
		return err
	}
	defer l.Close()
	if seq == 0 {
		return l.SaveCheckpoint(ctx, ledger.Checkpoint{Seq: 1, Version: -1})
	}
	w := world.New(scene.Default())
	recs, err := l.Read(ctx, 0, int(seq))
	if err != nil {
		return err
	}
	for _, rec := range recs {
		if err := w.Apply(rec); err != nil {
			return err
		}
	}
	state, err := w.Encode()
	if err != nil {
		return err
	}
	return l.SaveCheckpoint(ctx, ledger.Checkpoint{Seq: w.Seq(), Version: world.StateVersion, State: state})
}
