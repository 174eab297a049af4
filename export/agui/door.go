package agui

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
)

// Ledger is the part of package ledger that a stream uses, with the same guarantees.
type Ledger interface {
	ID() string
	Segment() string
	Holds(segment string, seq uint64) bool
	Head() uint64
	Floor() uint64
	Read(ctx context.Context, after uint64, limit int, kinds ...contracts.Kind) ([]contracts.Record, error)
	Follow(ctx context.Context, after uint64, fn func([]contracts.Record) error) error
}

// Config configures a Door. Ledger is required.
type Config struct {
	Ledger    Ledger
	Open      Open                                    // returns the activity in progress; default none
	State     func() contracts.Snapshot               // returns the office's state; default: no STATE_SNAPSHOT
	Principal func(*http.Request) contracts.Principal // returns the sender of a request; CloseRevoked ends the sender's streams
	Now       func() time.Time                        // default time.Now
	KeepAlive time.Duration                           // default contracts.StreamKeepAlive
	Log       *slog.Logger                            // default silent
}

// Open returns the start records of all activity that began at or before a seq and has not ended,
// oldest first.
type Open func(ctx context.Context, upTo uint64) ([]contracts.Record, error)

// Door serves GET /v1/agui/stream.
type Door struct {
	cfg Config

	mu      sync.Mutex
	closed  bool
	clients map[*client]struct{}
}

// client is an HTTP client whose response is open.
type client struct {
	principal string
	cancel    context.CancelFunc
}

// New returns a Door; Close ends its streams.
func New(cfg Config) *Door {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.KeepAlive = cmp.Or(cfg.KeepAlive, contracts.StreamKeepAlive)
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	if cfg.Open == nil {
		cfg.Open = func(context.Context, uint64) ([]contracts.Record, error) { return nil, nil }
	}
	if cfg.Principal == nil {
		cfg.Principal = func(*http.Request) contracts.Principal { return contracts.Principal{} }
	}
	return &Door{cfg: cfg, clients: map[*client]struct{}{}}
}

// ServeHTTP streams the events after a cursor (?after=, Last-Event-ID; without either, only new
// events) for ?agent= and ?session=, as server-sent events. The last event of each record has the
// record's seq as its id, so a client that reconnects continues where it stopped.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set(contracts.HeaderEpoch, d.cfg.Ledger.ID())
	w.Header().Set(contracts.HeaderSegment, d.cfg.Ledger.Segment())
	scope, refusal := readScope(r)
	from, bad := d.readCursor(r)
	refusal = cmp.Or(refusal, bad)
	if refusal != nil {
		refuse(w, http.StatusBadRequest, refusal)
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	c := &client{principal: d.cfg.Principal(r).ID, cancel: cancel}
	if !d.addClient(c) {
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusServiceUnavailable, contracts.Refuse(contracts.CodeRateLimited, "too many streams; try again later"))
		return
	}
	defer d.removeClient(c)
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return
	}
	s := stream{door: d, mapper: NewMapper(scope), w: w, rc: http.NewResponseController(w)}
	if err := s.run(ctx, scope, from); err != nil && ctx.Err() == nil {
		d.cfg.Log.Info("AG-UI stream aborted", "after", s.after, "error", err)
	}
}

func (d *Door) addClient(c *client) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed || len(d.clients) >= contracts.LimitAGUIStreams {
		return false
	}
	d.clients[c] = struct{}{}
	return true
}

func (d *Door) removeClient(c *client) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.clients, c)
}

// CloseRevoked ends the streams of a revoked credential.
func (d *Door) CloseRevoked(principalID string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for c := range d.clients {
		if c.principal == principalID {
			c.cancel()
		}
	}
}

// Close ends all streams and accepts no more. It does not wait for them: the HTTP server
// does.
func (d *Door) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	for c := range d.clients {
		c.cancel()
	}
}

func refuse(w http.ResponseWriter, status int, r *contracts.Refusal) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.MarshalWrite(w, r)
}
