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

// loadPage is how many records are folded per read.
const loadPage = 2048

// worldKinds are the kinds that the world is made of. Activity is among them for what
// is open; most of it is read up to its head only.
var worldKinds = []contracts.Kind{contracts.KindEvent, contracts.KindGoal, contracts.KindChat, contracts.KindProposal, contracts.KindRunRecord, contracts.KindHUD, contracts.KindOwner}

// Load folds the ledger into a world as of its head, from the checkpoint where
// there is one that this version can read.
func Load(ctx context.Context, l ledger.Ledger, sc *scene.Scene) (*world.World, error) {
	return LoadUpTo(ctx, l, sc, l.Head())
}

// LoadUpTo is Load as of a seq.
func LoadUpTo(ctx context.Context, l ledger.Ledger, sc *scene.Scene, upTo uint64) (*world.World, error) {
	w, _, err := load(ctx, l, sc, upTo)
	return w, err
}

// load also says at which seq the checkpoint was; 0 when there was none to use.
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

// CompareCheckpoint folds the whole history and says whether it leads to the
// world that the checkpoint holds. Without a checkpoint there is nothing to compare.
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
		return errors.Join(err, fmt.Errorf("checkpoint at %d does not match the records: hash %.12s, want %.12s", saved.Seq(), got, want))
	}
	return nil
}

// fold takes a world up to a seq.
func fold(ctx context.Context, l ledger.Ledger, w *world.World, upTo uint64) error {
	for {
		recs, err := l.Read(ctx, w.Seq(), loadPage, worldKinds...)
		if err != nil {
			return fmt.Errorf("read the ledger after %d: %w", w.Seq(), err)
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
