package view

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/invariant"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/world"
)

// Config configures a View. Ledger and World are required.
type Config struct {
	Ledger  ledger.Ledger
	World   *world.World              // the replica; the view follows the ledger from the replica's seq
	Sources contracts.Sources         // where agents come from
	Node    string                    // name of this process among the processes that share the ledger
	Shared  bool                      // the office has several nodes
	Now     func() time.Time          // the office's clock; default time.Now
	Players func() []contracts.Player // the people in the room; default none
	Metrics prometheus.Registerer     // default none

	// Load folds the ledger up to a seq. It is required if records are redacted.
	Load func(ctx context.Context, upTo uint64) (*world.World, error)
}

// View is the read side of an office. Create it with New, then call Run.
type View struct {
	ledger  ledger.Ledger
	load    func(ctx context.Context, upTo uint64) (*world.World, error)
	sources contracts.Sources
	node    string
	shared  bool
	now     func() time.Time
	players func() []contracts.Player
	screens []Screen // set before Run

	mu    sync.RWMutex // guards the next two fields, and the content of the screens
	world *world.World
	seq   uint64 // seq of the last applied record

	changed   notifier
	following atomic.Bool
	ended     chan struct{} // closed when Run returns

	answers answers
	orders  orders
	recent  recent
}

// Screen shows records together with the world that results from them.
type Screen interface {
	// Show receives a batch in the same step that applies it to the world, so that the screen and
	// the world are always at the same seq. It must be quick and must not call the View.
	Show(b Batch)
	// Shown is called after the step in which Show was called, before callers that are waiting for the
	// batch continue.
	Shown(b Batch)
}

// New returns a view of the given world. Run follows the ledger.
func New(c Config) *View {
	v := &View{recent: recent{since: c.World.Seq()}, ledger: c.Ledger, load: c.Load, sources: c.Sources, node: c.Node, shared: c.Shared, now: c.Now, players: c.Players, world: c.World, seq: c.World.Seq(), ended: make(chan struct{})}
	if v.now == nil {
		v.now = time.Now
	}
	if v.players == nil {
		v.players = func() []contracts.Player { return nil }
	}
	if c.Metrics != nil {
		c.Metrics.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "bullpen_decisions_awaited", Help: "Open decisions with at least one waiter."}, func() float64 { return float64(v.Waiting()) }))
	}
	return v
}

// Attach adds a screen. It must be called before Run.
func (v *View) Attach(s Screen) { v.screens = append(v.screens, s) }

// Run follows the ledger until ctx is done or the ledger cannot be followed. Call it once.
func (v *View) Run(ctx context.Context) error {
	defer close(v.ended)
	v.following.Store(true)
	defer v.following.Store(false)
	err := v.ledger.Follow(ctx, v.Seq(), func(recs []contracts.Record) error { return v.take(ctx, recs) })
	if ctx.Err() != nil {
		return nil
	}
	if err == nil {
		err = ledger.ErrClosed
	}
	return fmt.Errorf("follow the ledger: %w", err)
}

// take applies a batch to the world and the screens, then wakes the waiters.
func (v *View) take(ctx context.Context, recs []contracts.Record) error {
	b, refolded, err := v.newBatch(ctx, recs)
	if err != nil {
		return err
	}
	if err := v.step(b, refolded); err != nil {
		return err
	}
	for _, s := range v.screens {
		s.Shown(b)
	}
	v.changed.notify()
	return nil
}

func (v *View) step(b Batch, refolded *world.World) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if refolded != nil {
		v.world = refolded
		v.orders.erase(b.erased, b.Tombstones)
	}
	for i := range b.Records {
		rec := &b.Records[i]
		if invariant.On {
			invariant.Followed(v.seq, rec.Seq)
		}
		if refolded == nil {
			if err := v.world.Apply(*rec); err != nil {
				return err // the error names the record
			}
		}
		v.seq = rec.Seq
		v.dispatch(rec)
	}
	for _, s := range v.screens {
		s.Show(b)
	}
	return nil
}

// dispatch passes a record to waiters and order readers. A body that cannot be decoded is skipped;
// if the body matters, the world reports the error.
func (v *View) dispatch(rec *contracts.Record) {
	switch rec.Kind {
	case contracts.KindEvent, contracts.KindChat, contracts.KindHUD:
	default:
		return
	}
	body, err := rec.Decode()
	if err != nil {
		return
	}
	switch b := body.(type) {
	case *contracts.Event:
		switch b.Name {
		case contracts.EventDecisionResolved, contracts.EventDecisionCancelled:
			v.answers.wake(b.DecisionID)
		case contracts.EventAgentLeft:
			v.recent.forget(b.AgentID)
		}
	case *contracts.Chat:
		if b.From == contracts.UserID {
			v.addOrder(b.To, rec)
		}
	case *contracts.HUD:
		if v.world.Agent(b.AgentID) != nil {
			v.recent.note(b.AgentID, rec.Seq)
		}
		if _, ok, err := rec.Order(); ok && err == nil {
			v.addOrder(b.AgentID, rec)
		}
	}
}

// Look calls fn with the current world, which includes everything written before the call, unless
// applying it takes longer than CatchUpTimeout. fn must not keep or change any part of the world,
// must not call Look, and must be quick: new records wait until fn returns.
func (v *View) Look(fn func(*world.World)) {
	v.CatchUp(context.Background())
	v.Peek(fn)
}

// Peek is like Look, but does not wait for records that have not been applied yet.
func (v *View) Peek(fn func(*world.World)) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	fn(v.world)
}

// CatchUp waits until the view has applied all records that were in the ledger when CatchUp was
// called. It returns false if ctx is done, CatchUpTimeout expires or the view ends first.
func (v *View) CatchUp(ctx context.Context) bool {
	head := v.ledger.Head()
	if v.Seq() >= head {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, contracts.CatchUpTimeout)
	defer cancel()
	for {
		changed := v.changed.wait()
		if v.Seq() >= head {
			return true
		}
		select {
		case <-changed:
		case <-v.ended:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// Changed returns a channel that is closed when the next batch is applied and shown.
func (v *View) Changed() <-chan struct{} { return v.changed.wait() }

// Seq returns the seq of the last applied record.
func (v *View) Seq() uint64 {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.seq
}

// Following reports whether the ledger is being followed.
func (v *View) Following() bool { return v.following.Load() }
