// Package door receives reports from outposts: it records their facts, returns the state that they
// need to continue, and tracks which of them are connected. The agents of an outpost that stays
// silent go offline.
package door

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/view"
)

// Office records facts from outposts. TellAs records facts in order and returns one reply for each
// fact once the facts are durable. A fact that is reported again under the same key is not recorded
// again.
type Office interface {
	TellAs(ctx context.Context, teller contracts.Teller, facts ...contracts.Fact) []contracts.Reply
}

// Roster manages the agents of outposts that are gone.
type Roster interface {
	// Adopt marks an outpost's agents as offline, for the given reason.
	Adopt(outpost, says string)
	// Release removes an outpost's agents from the roster. When it returns, the roster reports
	// nothing more about them.
	Release(ctx context.Context, outpost string) error
}

// Config configures a Door. The fields up to ShutdownCtx are required.
type Config struct {
	Office      Office
	View        *view.View
	Roster      Roster
	PutBlob     func(ctx context.Context, content []byte) (sha256 string, err error)
	Publish     func(contracts.StreamDelta)
	Principal   func(*http.Request) contracts.Principal
	ShutdownCtx context.Context // once it is done, requests stop waiting for orders

	Announce func(contracts.OutpostSeen) // notifies the other nodes of a report; nil if there are no other nodes
	Writes   func() bool                 // reports whether this node is the office's writer; nil means that it is the only node

	Version string
	Metrics prometheus.Registerer // nil means no metrics
	Now     func() time.Time      // nil means time.Now
	Log     *slog.Logger          // nil means no logging
}

// Door serves the HTTP endpoints that outposts call.
type Door struct {
	cfg     Config
	silence silence // used by Run only

	mu    sync.Mutex
	posts map[string]*post // by name
}

// New returns a door. It starts with the outposts that are up or have agents in the office.
func New(cfg Config) *Door {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Announce == nil {
		cfg.Announce = func(contracts.OutpostSeen) {}
	}
	if cfg.Writes == nil {
		cfg.Writes = func() bool { return true }
	}
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	d := &Door{cfg: cfg, posts: map[string]*post{}}
	if cfg.Metrics != nil {
		cfg.Metrics.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "bullpen_outposts_connected", Help: "Machines that are connected as outposts."}, d.countConnected))
	}
	for _, name := range cfg.View.Outposts() {
		d.posts[name] = &post{name: name, life: cfg.View.Outpost(name).Life, last: cfg.Now()}
	}
	return d
}

// Doors returns the handlers by pattern. All routes are for outposts.
func (d *Door) Doors() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"POST /v1/facts":        d.serveFacts,
		"GET /v1/facts":         d.serveState,
		"GET /v1/facts/orders":  d.serveOrders,
		"POST /v1/facts/blobs":  d.serveBlob,
		"POST /v1/facts/stream": d.serveStream,
	}
}

// Run marks outposts as gone if they have been silent for too long. It runs until ctx is done. If
// the office has several nodes, only the writer marks outposts.
func (d *Door) Run(ctx context.Context) error {
	tick := time.NewTicker(contracts.OutpostHeartbeat)
	defer tick.Stop()
	for {
		if d.cfg.Writes() {
			d.loadPosts()
		}
		for _, p := range d.list() {
			d.check(ctx, p)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// post returns the outpost that sent a request.
func (d *Door) post(r *http.Request) *post { return d.named(d.cfg.Principal(r).Outpost) }

func (d *Door) named(name string) *post { return d.add(&post{name: name, adopted: true}) }

// add returns the known outpost with p's name; if there is none, it adds and returns p.
func (d *Door) add(p *post) *post {
	d.mu.Lock()
	defer d.mu.Unlock()
	if known := d.posts[p.name]; known != nil {
		return known
	}
	d.posts[p.name] = p
	return p
}

func (d *Door) list() (all []*post) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.posts {
		all = append(all, p)
	}
	return all
}
