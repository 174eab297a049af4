package watch

import (
	"context"
	"fmt"
	"hash/fnv"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/agents/hook"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/repo/root"
)

const (
	shards       = 32 // number of queues; each session belongs to one of them
	shardQueue   = 256
	shardBatch   = 64 // tasks that share one append
	shardReading = 4  // maximum number of transcript-row batches waiting across all shards
	tickInterval = time.Second
)

// Watcher records the activity of a vendor's sessions. Create it with New, then call Run; hooks
// that arrive before Run wait in their shards.
type Watcher struct {
	Config
	shards     [shards]*shard
	asks       *asks
	spool      *spool // nil without a data directory
	metrics    *metrics
	mismatches mismatches
	untilClose context.Context // cancelled by Close
	end        context.CancelFunc
	started    int64         // Unix milliseconds; earlier events are history
	backlog    atomic.Int64  // bytes of hooks waiting in the shards
	reading    chan struct{} // holds one token per batch of rows that is waiting in the shards

	mu       sync.Mutex
	inside   map[string]bool               // agents that were already in the office at startup
	open     map[string][]contracts.Opened // open turns and calls of the agents in inside, by agent id; removed when the agent reappears
	workdirs workdirs
}

// New returns a watcher and loads the vendor's agents that are already in the office.
func New(ctx context.Context, cfg Config) (*Watcher, error) {
	w := &Watcher{Config: cfg.withDefaults(), asks: newAsks(), metrics: newMetrics(cfg.Metrics, cfg.Vendor), inside: map[string]bool{}, open: map[string][]contracts.Opened{}, reading: make(chan struct{}, shardReading)}
	w.untilClose, w.end = context.WithCancel(context.Background())
	w.started = w.Now().UnixMilli()
	for i := range w.shards {
		w.shards[i] = &shard{watcher: w, tasks: make(chan *task, shardQueue), agents: make(map[string]*tracked)}
	}
	if cfg.Spool != "" {
		var err error
		if w.spool, err = openSpool(cfg.Spool, string(cfg.Source)); err != nil {
			return nil, err
		}
	}
	before, err := w.Office.SourceState(ctx, string(w.Source))
	if err != nil {
		return nil, fmt.Errorf("read the office's %s agents: %w", w.Label, err)
	}
	for _, a := range before.Agents {
		w.inside[a.AgentID] = true
	}
	for _, o := range before.Begun {
		w.open[o.HUD.AgentID] = append(w.open[o.HUD.AgentID], o)
	}
	return w, nil
}

// Doors returns the endpoint for the vendor's hooks.
func (w *Watcher) Doors() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{"POST " + hook.PathOf(string(w.Source)): w.ServeHook}
}

// Links returns nil: the watcher has no connection to report.
func (w *Watcher) Links() []agents.Link { return nil }

// Run processes hooks, transcripts and the spool until ctx is done.
func (w *Watcher) Run(ctx context.Context) error {
	var running sync.WaitGroup
	defer running.Wait()
	for _, s := range w.shards {
		running.Go(func() { s.run(ctx) })
	}
	w.revive(ctx)
	if w.Dir != "" && w.Files != nil {
		running.Go(func() { newTail(w).run(ctx) })
	}
	if w.Survey != nil {
		running.Go(func() { w.runSurveys(ctx) })
	}
	if w.Dir != "" && w.Listen != nil {
		running.Go(func() { w.runListener(ctx) })
	}
	if w.spool != nil {
		running.Go(func() { w.drainSpool(ctx, w.RecordSpooled) })
	}
	<-ctx.Done()
	return nil
}

// Close ends permission requests that are waiting for a person, so that their HTTP requests return;
// the program still asks in its terminal.
func (w *Watcher) Close() { w.end() }

func (w *Watcher) withdraw(ctx context.Context, decisionID, reason string) {
	replies := w.Office.Tell(ctx, contracts.AskWithdrawn{DecisionID: decisionID, Reason: reason})
	if refusal := replies[0].Refusal; refusal != nil && refusal.Code != contracts.CodeConflict {
		w.Log.Warn("could not withdraw an obsolete permission request", "decision", decisionID, "error", refusal)
	}
}

// revive restores every agent with an open turn or call, so that the turn or call ends even if
// nothing reports the agent again.
func (w *Watcher) revive(ctx context.Context) {
	w.mu.Lock()
	var tasks []*task
	for id, list := range w.open {
		session, agent := w.Source.Split(list[0].HUD.Session)
		if w.Source.AgentID(session, agent) == id {
			tasks = append(tasks, &task{session: session, agent: agent})
		}
	}
	w.mu.Unlock()
	for _, t := range tasks {
		w.send(ctx, t)
	}
}

// takeRestored removes and returns an agent's open turns and calls from before the restart.
// returning reports whether the agent was in the office then; it is false in a second call.
func (w *Watcher) takeRestored(agentID string) (open []contracts.Opened, returning bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	open, returning = w.open[agentID], w.inside[agentID]
	delete(w.open, agentID)
	delete(w.inside, agentID)
	return open, returning
}

// wasInside reports whether an agent was in the office before the restart and has not reappeared.
func (w *Watcher) wasInside(agentID string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.inside[agentID]
}

// shardOf returns the shard of a session. A session always has the same shard, so its tasks are
// handled in order.
func (w *Watcher) shardOf(session string) *shard {
	h := fnv.New32a()
	_, _ = h.Write([]byte(session)) // never fails
	return w.shards[h.Sum32()%shards]
}

// sessionConfig returns the configuration that all sessions share.
func (w *Watcher) sessionConfig() guest.Config {
	return guest.Config{Home: w.Home, KeepThinking: w.KeepThinking, Price: w.Price, Repo: func(dir string) (string, bool) { return root.Of(dir, w.Home) }}
}
