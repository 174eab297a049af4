package office

import (
	"context"
	"errors"
	"fmt"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/world"
	"github.com/bullpen-office/bullpen/world/scene"
)

// loadPage is the number of records read at a time.
const loadPage = 2048

// foldedKinds are the kinds of records that the world is built from. Activity (KindHUD) is included
// because it shows which turns are open. Only the first fields of most activity records are decoded.
var foldedKinds = []contracts.Kind{contracts.KindEvent, contracts.KindGoal, contracts.KindChat, contracts.KindProposal, contracts.KindRunRecord, contracts.KindHUD, contracts.KindOwner}

// Load folds the ledger into a world as of its head. It starts from the checkpoint if this version
// can read it.
func Load(ctx context.Context, l ledger.Ledger, sc *scene.Scene) (*world.World, error) {
	return LoadUpTo(ctx, l, sc, l.Head())
}

// LoadUpTo is like Load, but returns the world as of seq upTo.
func LoadUpTo(ctx context.Context, l ledger.Ledger, sc *scene.Scene, upTo uint64) (*world.World, error) {
	w, _, err := load(ctx, l, sc, upTo)
	return w, err
}

// load is like LoadUpTo, and also returns the seq of the checkpoint that it started from, or 0 if it
// used none.
func load(ctx context.Context, l ledger.Ledger, sc *scene.Scene, upTo uint64) (w *world.World, saved uint64, err error) {
	w, ok, err := fromCheckpoint(ctx, l, sc)
	if err != nil {
		return nil, 0, err
	}
	if !ok || w.Seq() > upTo {
		w = world.New(sc)
	}
	saved = w.Seq()
	if err := fold(ctx, l, w, upTo); err != nil {
		return nil, 0, err
	}
	return w, saved, nil
}

// CompareCheckpoint folds the whole history and returns an error if the result differs from the
// checkpoint. It returns nil if there is no checkpoint.
func CompareCheckpoint(ctx context.Context, l ledger.Ledger, sc *scene.Scene) error {
	saved, ok, err := fromCheckpoint(ctx, l, sc)
	if err != nil || !ok {
		return err
	}
	folded := world.New(sc)
	if err := fold(ctx, l, folded, saved.Seq()); err != nil {
		return err
	}
	want, err := folded.Hash()
	if err != nil {
		return err
	}
	if got, err := saved.Hash(); err != nil || got != want {
		return errors.Join(err, fmt.Errorf("checkpoint at record %d does not match the records: hash %.12s, want %.12s", saved.Seq(), got, want))
	}
	return nil
}

// fold applies records to a world, up to seq upTo.
func fold(ctx context.Context, l ledger.Ledger, w *world.World, upTo uint64) error {
	for {
		recs, err := l.Read(ctx, w.Seq(), loadPage, foldedKinds...)
		if err != nil {
			return fmt.Errorf("read the ledger after record %d: %w", w.Seq(), err)
		}
		for _, rec := range recs {
			if rec.Seq > upTo {
				break
			}
			if err := w.Apply(rec); err != nil {
				return err
			}
		}
		if len(recs) < loadPage || recs[len(recs)-1].Seq >= upTo {
			w.SkipTo(upTo)
			return nil
		}
	}
}

func fromCheckpoint(ctx context.Context, l ledger.Ledger, sc *scene.Scene) (w *world.World, ok bool, err error) {
	c, ok, err := l.Checkpoint(ctx)
	if err != nil {
		return nil, false, fmt.Errorf("read the checkpoint: %w", err)
	}
	if !ok || c.Version != world.StateVersion || c.Seq > l.Head() {
		return nil, false, nil
	}
	w, err = world.Decode(sc, c.State)
	return w, err == nil, err
}
