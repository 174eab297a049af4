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
	lanes        = 32 // number of queues; each session belongs to one of them
	laneQueue    = 256
	laneBatch    = 64 // tasks that share one append
	laneReading  = 4  // maximum number of transcript-row batches waiting in all lanes together
	tickInterval = time.Second
)

// Intake records the activity of a vendor's sessions. Create it with New, then call Run; hooks
// that arrive before Run wait in their lanes.
type Intake struct {
	Config
	lanes   [lanes]*lane
	asks    *asks
	spool   *spool // nil without a data directory
	metrics *metrics
	odd     odd
	life    context.Context // cancelled by Close
	end     context.CancelFunc
	started int64         // Unix milliseconds; earlier events are history
	backlog atomic.Int64  // bytes of hooks waiting in the lanes
	reading chan struct{} // holds one token per batch of rows that is waiting in the lanes

	mu       sync.Mutex
	inside   map[string]bool               // agents that were already in the office at startup
	open     map[string][]contracts.Opened // open turns and calls of the agents in inside, by agent id; removed when the agent reappears
	workdirs workdirs
}

// New returns an intake and loads the vendor's agents that are already in the office.
func New(ctx context.Context, cfg Config) (*Intake, error) {
	in := &Intake{Config: cfg.withDefaults(), asks: newAsks(), metrics: newMetrics(cfg.Metrics, cfg.Vendor), inside: map[string]bool{}, open: map[string][]contracts.Opened{}, reading: make(chan struct{}, laneReading)}
	in.life, in.end = context.WithCancel(context.Background())
	in.started = in.Now().UnixMilli()
	for i := range in.lanes {
		in.lanes[i] = &lane{in: in, tasks: make(chan *task, laneQueue), people: make(map[string]*person)}
	}
	if cfg.Spool != "" {
		var err error
		if in.spool, err = openSpool(cfg.Spool, string(cfg.Source)); err != nil {
			return nil, err
		}
	}
	before, err := in.Office.Open(ctx, string(in.Source))
	if err != nil {
		return nil, fmt.Errorf("read the office's %s agents: %w", in.Label, err)
	}
	for _, a := range before.Agents {
		in.inside[a.AgentID] = true
	}
	for _, o := range before.Begun {
		in.open[o.HUD.AgentID] = append(in.open[o.HUD.AgentID], o)
	}
	return in, nil
}

// Doors returns the endpoint for the vendor's hooks.
func (in *Intake) Doors() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{"POST " + hook.PathOf(string(in.Source)): in.ServeHook}
}

// Links returns nil: the office does not connect to the program.
func (in *Intake) Links() []agents.Link { return nil }

// Run processes hooks, transcripts and the spool until ctx ends.
func (in *Intake) Run(ctx context.Context) error {
	var running sync.WaitGroup
	defer running.Wait()
	for _, l := range in.lanes {
		running.Go(func() { l.run(ctx) })
	}
	in.revive(ctx)
	if in.Dir != "" && in.Files != nil {
		running.Go(func() { newTail(in).run(ctx) })
	}
	if in.Survey != nil {
		running.Go(func() { in.surveys(ctx) })
	}
	if in.Dir != "" && in.Listen != nil {
		running.Go(func() { in.listens(ctx) })
	}
	if in.spool != nil {
		running.Go(func() { in.drainSpool(ctx, in.Take) })
	}
	<-ctx.Done()
	return nil
}

// Close ends permission requests that are waiting for a person, so that their HTTP requests return;
// the program still asks in its terminal.
func (in *Intake) Close() { in.end() }

func (in *Intake) withdraw(ctx context.Context, decisionID, reason string) {
	replies := in.Office.Tell(ctx, contracts.AskWithdrawn{DecisionID: decisionID, Reason: reason})
	if refusal := replies[0].Refusal; refusal != nil && refusal.Code != contracts.CodeConflict {
		in.Log.Warn("could not withdraw an obsolete permission request", "decision", decisionID, "error", refusal)
	}
}

// revive restores every agent with an open turn or call, so that the turn or call ends even if
// nothing reports the agent again.
func (in *Intake) revive(ctx context.Context) {
	in.mu.Lock()
	var tasks []*task
	for id, list := range in.open {
		session, agent := in.Source.Split(list[0].HUD.Session)
		if in.Source.AgentID(session, agent) == id {
			tasks = append(tasks, &task{session: session, agent: agent})
		}
	}
	in.mu.Unlock()
	for _, t := range tasks {
		in.send(ctx, t)
	}
}

// known reports whether an agent was in the office before the restart, and returns its open turns
// and calls. A second call returns no turns and false.
func (in *Intake) known(agentID string) (open []contracts.Opened, again bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	open, again = in.open[agentID], in.inside[agentID]
	delete(in.open, agentID)
	delete(in.inside, agentID)
	return open, again
}

// wasInside reports whether an agent was in the office before the restart and has not reappeared.
func (in *Intake) wasInside(agentID string) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.inside[agentID]
}

// laneOf returns the lane of a session. A session always has the same lane, so its tasks are handled
// in order.
func (in *Intake) laneOf(session string) *lane {
	h := fnv.New32a()
	_, _ = h.Write([]byte(session)) // never fails
	return in.lanes[h.Sum32()%lanes]
}

// sessionConfig returns the configuration that all sessions share.
func (in *Intake) sessionConfig() guest.Config {
	return guest.Config{Home: in.Home, KeepThinking: in.Keep, Price: in.Price, Repo: func(dir string) (string, bool) { return root.Of(dir, in.Home) }}
}
