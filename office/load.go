package office

import (
	"context"
	"fmt"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/world"
	"github.com/bullpen-office/bullpen/world/scene"
)

// loadPage is how many records are folded per read.
const loadPage = 2048

// worldKinds are the kinds that the world is made of; activity is not read.
var worldKinds = []contracts.Kind{contracts.KindEvent, contracts.KindGoal, contracts.KindChat, contracts.KindProposal, contracts.KindRunRecord}

// Load folds the ledger into a world as of its head, from the checkpoint where
// there is one that this version can read.
func Load(ctx context.Context, l ledger.Ledger, sc *scene.Scene) (*world.World, error) {
	head := l.Head()
	w, err := fromCheckpoint(ctx, l, sc)
	if err != nil {
		return nil, err
	}
	for {
		recs, err := l.Read(ctx, w.Seq(), loadPage, worldKinds...)
		if err != nil {
			return nil, fmt.Errorf("read the ledger after %d: %w", w.Seq(), err)
		}
		for _, rec := range recs {
			if rec.Seq > head {
				break
			}
			if err := w.Apply(rec); err != nil {
				return nil, err
			}
		}
		if len(recs) < loadPage || recs[len(recs)-1].Seq >= head {
			w.SkipTo(head)
			return w, nil
		}
	}
}

func fromCheckpoint(ctx context.Context, l ledger.Ledger, sc *scene.Scene) (*world.World, error) {
	c, ok, err := l.Checkpoint(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the checkpoint: %w", err)
	}
	if !ok || c.Version != world.StateVersion || c.Seq > l.Head() {
		return world.New(sc), nil
	}
	return world.Decode(sc, c.State)
}
