package view

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/world"
)

// Config says what is viewed. Ledger and World are required.
type Config struct {
	Ledger  ledger.Ledger
	World   *world.World              // the replica; the ledger is followed from its seq
	Sources contracts.Sources         // where agents come from
	Node    string                    // of this process among those that share the ledger
	Now     func() time.Time          // the office's clock; default time.Now
	Players func() []contracts.Player // the people in the room; default nobody
	Metrics prometheus.Registerer     // default none

	// Load folds the ledger up to a seq. It is needed once a record is redacted.
	Load func(ctx context.Context, upTo uint64) (*world.World, error)
}

// View is the office as readers see it. Create it with New, then Run it.
type View struct {
	ledger  ledger.Ledger
	load    func(ctx context.Context, upTo uint64) (*world.World, error)
	sources contracts.Sources
	node    string
	now     func() time.Time
	players func() []contracts.Player
	screens []Screen // set before Run

	mu    sync.RWMutex // guards the two below, and what screens show
	world *world.World
	seq   uint64 // of the last record taken in

	grown     pulse
	following atomic.Bool
	ended     chan struct{} // closed when Run returns: nothing more is taken in

	answers answers
	orders  orders
	recent  recent
}

// Screen shows records next to the world that they make.
type Screen interface {
	// Show takes a batch in, in the same step in which the world does, so that the two
	// are never at different places. It must be quick and must not call the View.
	Show(b Batch)
	// Shown is called after that step, before anybody who waits for the batch goes on.
	Shown(b Batch)
}

// Batch is what a step takes in.
type Batch struct {
	Records []contracts.Record
	Edited  bool               // the text of records was erased: nothing made of older ones may be shown on
	Stones  []contracts.Record // what is left of those records, where retention has not removed it

	erased []uint64 // the seqs of those records
}

// New makes a view of the world as it is given. It follows nothing before Run.
func New(c Config) *View {
	v := &View{recent: recent{since: c.World.Seq()}, ledger: c.Ledger, load: c.Load, sources: c.Sources, node: c.Node, now: c.Now, players: c.Players, world: c.World, seq: c.World.Seq(), ended: make(chan struct{})}
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

// Run follows the ledger until ctx ends or the ledger cannot be followed. It runs once.
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

// take moves the world and the screens by a batch, then tells those who wait.
func (v *View) take(ctx context.Context, recs []contracts.Record) error {
	b, afresh, err := v.edits(ctx, recs)
	if err != nil {
		return err
	}
	if err := v.step(b, afresh); err != nil {
		return err
	}
	for _, s := range v.screens {
		s.Shown(b)
	}
	v.grown.beat()
	return nil
}

func (v *View) step(b Batch, afresh *world.World) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if afresh != nil {
		v.world = afresh
		v.orders.erase(b.erased, b.Stones)
	}
	for i := range b.Records {
		rec := &b.Records[i]
		if afresh == nil {
			if err := v.world.Apply(*rec); err != nil {
				return err // it names the record
			}
		}
		v.seq = rec.Seq
		v.hear(rec)
	}
	for _, s := range v.screens {
		s.Show(b)
	}
	return nil
}

// hear passes records on to waiters and order readers. A body that cannot be read is of no use
// to them; the world says whether it matters.
func (v *View) hear(rec *contracts.Record) {
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
			v.order(b.To, rec)
		}
	case *contracts.HUD:
		if v.world.Agent(b.AgentID) != nil {
			v.recent.note(b.AgentID, rec.Seq)
		}
		if _, ok, err := rec.Order(); ok && err == nil {
			v.order(b.AgentID, rec)
		}
	}
}

// Look calls fn with the world as of now: everything that was written before is in it.
// fn must not keep or change anything of it, must not look again, and must be quick:
// records wait meanwhile.
func (v *View) Look(fn func(*world.World)) {
	v.CatchUp(context.Background())
	v.Glance(fn)
}

// Glance is Look at what has been taken in so far.
func (v *View) Glance(fn func(*world.World)) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	fn(v.world)
}

// CatchUp waits until everything that the ledger holds now is taken in. It reports
// whether it is.
func (v *View) CatchUp(ctx context.Context) bool {
	head := v.ledger.Head()
	if v.Seq() >= head {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, contracts.CatchUpTimeout)
	defer cancel()
	for {
		grown := v.grown.wait()
		if v.Seq() >= head {
			return true
		}
		select {
		case <-grown:
		case <-v.ended:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// Grown is closed when the next batch is taken in and shown.
func (v *View) Grown() <-chan struct{} { return v.grown.wait() }

// Seq is the seq of the last record taken in.
func (v *View) Seq() uint64 {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.seq
}

// Following reports whether the ledger is being followed.
func (v *View) Following() bool { return v.following.Load() }
