package hub

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/world"
)

// Office is what the hub needs of the one writer.
type Office interface {
	// Do carries a command out and gives its one terminal answer. It returns after
	// the records of the command are durable, or with a refusal.
	Do(ctx context.Context, cmd contracts.Command) contracts.Reply

	// Players are the people in the room now.
	Players() []contracts.Player

	// PlayerLeft takes a person out of the room.
	PlayerLeft(playerID string)
}

// Config says what a hub works with. Ledger, World and Office are required.
type Config struct {
	Ledger    ledger.Ledger
	World     *world.World                            // the hub's own replica; the hub follows the ledger from its seq
	Office    Office                                  //
	Principal func(*http.Request) contracts.Principal // default: everybody is the local operator
	Now       func() time.Time                        // default time.Now; stamps messages, measures nothing
	Metrics   prometheus.Registerer                   // default none
	Logger    *slog.Logger                            // default silent
	Version   string                                  // of the server, default "dev"

	// Load folds the ledger up to a seq. It is needed once a record is redacted.
	Load func(ctx context.Context, upTo uint64) (*world.World, error)

	SnapshotHz float64 // default contracts.SnapshotHzDefault, kept within its bounds
	ReplayOff  bool    // answer every resume with REPLAY_UNAVAILABLE
	Limits     Limits
}

// Hub serves the viewers of one office.
type Hub struct {
	ledger    ledger.Ledger
	office    Office
	principal func(*http.Request) contracts.Principal
	now       func() time.Time
	logger    *slog.Logger
	metrics   *metrics
	version   string
	sceneID   string
	hz        float64
	replayOff bool
	limits    Limits
	load      func(ctx context.Context, upTo uint64) (*world.World, error)

	mu        sync.RWMutex // guards the five below
	world     *world.World
	log       *frameLog
	snap      *snapState // of the last tick
	newest    *snapState // of the last tick or joiner
	snapCount uint64

	streams     *streamLane
	batches     batchCache
	pages       pageCache
	edits       atomic.Uint64 // times that frames in the log were replaced
	grown       pulse
	shards      []*shard
	guests      registry
	snapViewers atomic.Int64
	following   atomic.Bool

	life   context.Context // ends when the hub shuts down
	cancel context.CancelFunc
	ended  chan struct{} // closed when Run returns: nothing more is folded
}

// New makes a hub. It shows nothing before Run.
func New(c Config) (*Hub, error) {
	if c.Ledger == nil || c.World == nil || c.Office == nil {
		return nil, errors.New("hub: ledger, world and office are required")
	}
	h := &Hub{
		ledger: c.Ledger, office: c.Office, principal: c.Principal, now: c.Now, logger: c.Logger,
		version: c.Version, hz: c.SnapshotHz, replayOff: c.ReplayOff, limits: c.Limits.withDefaults(), load: c.Load,
		world: c.World, sceneID: c.World.Scene().ID(), streams: newStreamLane(), ended: make(chan struct{}),
	}
	h.fillDefaults()
	h.log = newFrameLog(h.limits.RingBytes, c.World.Seq())
	// Snapshot ids must not repeat over a restart: clients drop ids they know.
	h.snapCount = uint64(h.now().UnixMilli())
	h.life, h.cancel = context.WithCancel(context.Background())
	for range runtime.GOMAXPROCS(0) {
		h.shards = append(h.shards, newShard(h))
	}
	var err error
	h.metrics, err = newMetrics(h, c.Metrics)
	return h, err
}

func (h *Hub) fillDefaults() {
	if h.principal == nil {
		h.principal = func(*http.Request) contracts.Principal {
			return contracts.Principal{ID: localPrincipal, Access: contracts.AccessOperator}
		}
	}
	if h.now == nil {
		h.now = time.Now
	}
	if h.logger == nil {
		h.logger = slog.New(slog.DiscardHandler)
	}
	def(&h.version, "dev")
	def(&h.hz, contracts.SnapshotHzDefault)
	h.hz = min(max(h.hz, contracts.SnapshotHzMin), contracts.SnapshotHzMax)
}

func (h *Hub) tick() time.Duration { return time.Duration(float64(time.Second) / h.hz) }

// Run follows the ledger and serves the viewers until ctx ends or the ledger
// cannot be followed. It runs once. It does not close the viewers: Shutdown does.
func (h *Hub) Run(ctx context.Context) error {
	defer close(h.ended)
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	for _, sh := range h.shards {
		wg.Go(func() { sh.run(ctx) })
	}
	wg.Go(func() { h.runSnapshots(ctx) })
	h.following.Store(true)
	defer h.following.Store(false)
	h.mu.RLock()
	from := h.log.head
	h.mu.RUnlock()
	err := h.ledger.Follow(ctx, from, h.fold)
	if ctx.Err() != nil {
		return nil
	}
	if err == nil {
		err = ledger.ErrClosed
	}
	return fmt.Errorf("hub: follow the ledger: %w", err)
}

// fold takes records in: world first, then the log, in one step, so that a
// snapshot is never ahead of or behind the frames at its place.
func (h *Hub) fold(recs []contracts.Record) error {
	a, err := h.redactions(recs)
	if err != nil {
		return err
	}
	visible, err := h.foldLocked(recs, a)
	if err != nil {
		return err
	}
	if a != nil {
		h.pages.clear()
		h.batches.clear()
	}
	h.grown.beat()
	if visible {
		h.wake()
	}
	return nil
}

func (h *Hub) foldLocked(recs []contracts.Record, a *afresh) (visible bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	end := h.log.end
	for i := range recs {
		if a == nil {
			if err := h.world.Apply(recs[i]); err != nil {
				return false, err // it names the record
			}
		}
		h.log.add(&recs[i])
	}
	if a != nil {
		h.showLocked(a)
	}
	return h.log.end > end, nil
}

func (h *Hub) wake() {
	for _, sh := range h.shards {
		sh.poke()
	}
}

// runSnapshots takes a snapshot each tick while somebody watches.
func (h *Hub) runSnapshots(ctx context.Context) {
	t := time.NewTicker(h.tick())
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		if h.snapViewers.Load() > 0 {
			h.takeSnapshot()
			h.wake()
		}
	}
}

// PublishStream shows a piece of an agent's output, cleaned (W19). It is never
// stored. Of a piece longer than LimitStreamText the end is shown.
func (h *Hub) PublishStream(d contracts.StreamDelta) {
	if n := len(d.Delta); n > contracts.LimitStreamText {
		h.logger.Warn("stream delta cut to its end", "stream", d.StreamID, "bytes", n, "limit", contracts.LimitStreamText)
	}
	if err := h.streams.publish(d, h.now().UnixMilli()); err != nil {
		h.logger.Warn("stream delta dropped", "stream", d.StreamID, "err", err)
		return
	}
	h.wake()
}

// waitHead waits until the hub has folded what the ledger holds now. It reports
// whether it got there.
func (h *Hub) waitHead(ctx context.Context) bool {
	head := h.ledger.Head()
	if h.folded(head) {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, contracts.CatchUpTimeout)
	defer cancel()
	for {
		grown := h.grown.wait()
		if h.folded(head) {
			return true
		}
		select {
		case <-grown:
		case <-h.ended:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

func (h *Hub) folded(seq uint64) bool {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.log.head >= seq
}
