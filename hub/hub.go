package hub

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/invariant"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/view"
	"github.com/bullpen-office/bullpen/world"
)

// Office is the part of the office that the hub uses.
type Office interface {
	// Do executes a command and returns its final reply: a refusal or, once the command's records
	// are durable, an ack.
	Do(ctx context.Context, cmd contracts.Command) contracts.Reply

	// Players returns the people in the room.
	Players() []contracts.Player

	// PlayerLeft removes a person from the room.
	PlayerLeft(playerID string)
}

// Config configures a Hub. Ledger, View and Office are required.
type Config struct {
	Ledger    ledger.Ledger
	View      *view.View                              // a view of Ledger that is not running yet
	Office    Office                                  // executes commands
	Principal func(*http.Request) contracts.Principal // default: everyone is the local operator
	Now       func() time.Time                        // default time.Now; for timestamps only
	Metrics   prometheus.Registerer                   // default none
	Logger    *slog.Logger                            // default silent
	Version   string                                  // version of the server; default "dev"
	Sources   contracts.Sources                       // where agents come from

	// Check returns the command to execute in place of the given one, or a refusal; default: every
	// command is executed as is.
	Check func(context.Context, contracts.Command) (contracts.Command, *contracts.Refusal)

	SnapshotHz float64 // default contracts.SnapshotHzDefault; clamped to SnapshotHzMin and SnapshotHzMax
	ReplayOff  bool    // answer every resume with REPLAY_UNAVAILABLE
	Limits     Limits
}

// Hub serves the viewers of one office. Create it with New, then call Run.
type Hub struct {
	ledger    ledger.Ledger
	office    Office
	check     func(context.Context, contracts.Command) (contracts.Command, *contracts.Refusal) // may be nil
	principal func(*http.Request) contracts.Principal
	now       func() time.Time
	logger    *slog.Logger
	metrics   *metrics
	version   string
	sources   contracts.Sources
	sceneID   string
	hz        float64
	replayOff bool
	limits    Limits
	view      *view.View

	mu        sync.RWMutex // guards the next four fields; locked after the view's lock
	log       *frameLog
	snap      *snapState // snapshot of the last tick
	newest    *snapState // snapshot from the last tick or join
	snapCount uint64

	streams     *streamLog
	segments    segmentHolder
	batches     batchCache
	pages       pageCache
	edits       atomic.Uint64 // how many times frames in the log were replaced
	shards      []*shard
	began       time.Time
	registry    registry
	snapViewers atomic.Int64

	runCtx context.Context // cancelled when the hub shuts down
	cancel context.CancelFunc
}

// New returns a hub that is attached to its view. It sends nothing before Run.
func New(c Config) (*Hub, error) {
	if c.Ledger == nil || c.View == nil || c.Office == nil {
		return nil, errors.New("hub: ledger, view and office are required")
	}
	h := &Hub{
		ledger: c.Ledger, office: c.Office, check: c.Check, principal: c.Principal, now: c.Now, logger: c.Logger,
		version: c.Version, sources: c.Sources, hz: c.SnapshotHz, replayOff: c.ReplayOff, limits: c.Limits.withDefaults(),
		view: c.View, streams: newStreamLog(), began: time.Now(),
	}
	c.View.Peek(func(w *world.World) { h.sceneID = w.Scene().ID() })
	h.fillDefaults()
	h.log = newFrameLog(h.limits.RingBytes, c.View.Seq())
	// Snapshot ids must not repeat after a restart, because clients drop snapshots with an id that
	// they have already seen.
	h.snapCount = uint64(h.now().UnixMilli())
	h.runCtx, h.cancel = context.WithCancel(context.Background())
	for range runtime.GOMAXPROCS(0) {
		h.shards = append(h.shards, newShard(h))
	}
	var err error
	if h.metrics, err = newMetrics(h, c.Metrics); err != nil {
		return h, err
	}
	c.View.Attach(h)
	return h, nil
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

// Run serves viewers until ctx is done. Call it once, while the view's Run is running too. It does
// not close connections; Shutdown does.
func (h *Hub) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	for _, sh := range h.shards {
		wg.Go(func() { sh.run(ctx) })
	}
	wg.Go(func() { h.runSnapshots(ctx) })
	wg.Wait()
	return nil
}

// Show encodes records as frames in the same step that applies them to the world, so that a
// snapshot exactly matches the frames at its position.
func (h *Hub) Show(b view.Batch) {
	h.noteSegment()
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range b.Records {
		h.log.add(&b.Records[i])
		if invariant.On {
			invariant.Framed(b.Records[i].Seq, h.ledger.Head())
		}
	}
	if b.Edited {
		h.editLocked(b.Tombstones)
	}
}

// Shown drops caches that may contain erased text, and wakes the viewers.
func (h *Hub) Shown(b view.Batch) {
	if b.Edited {
		h.pages.clear()
		h.batches.clear()
	}
	if slices.ContainsFunc(b.Records, func(r contracts.Record) bool { return channelOf(r.Kind) != 0 }) {
		h.wake()
	}
}

func (h *Hub) wake() {
	for _, sh := range h.shards {
		if sh.size.Load() > 0 {
			sh.poke()
		}
	}
}

// runSnapshots takes a snapshot on each tick while any viewer receives snapshots.
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

// PublishStream cleans a piece of an agent's output (W19) and sends it to viewers. The piece is
// never stored. If it is longer than LimitStreamText, only its end is sent.
func (h *Hub) PublishStream(d contracts.StreamDelta) {
	if n := len(d.Delta); n > contracts.LimitStreamText {
		h.logger.Warn("stream delta truncated", "stream", d.StreamID, "bytes", n, "limit", contracts.LimitStreamText)
	}
	switch shown, err := h.streams.publish(d, h.now().UnixMilli()); {
	case err != nil:
		h.logger.Warn("stream delta dropped", "stream", d.StreamID, "err", err)
	case shown:
		h.wake()
	}
}
