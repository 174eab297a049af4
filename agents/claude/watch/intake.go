package watch

import (
	"context"
	"fmt"
	"hash/fnv"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bullpen-office/bullpen/agents"
	wire "github.com/bullpen-office/bullpen/agents/claude/translate"
	"github.com/bullpen-office/bullpen/contracts"
)

const (
	lanes        = 32 // queues; a session has its place in one of them
	laneQueue    = 256
	laneBatch    = 64 // tasks that share one append
	laneReading  = 4  // batches of transcript rows that wait in all lanes together
	tickInterval = time.Second
)

// Intake takes in what Claude Code shows. Create it with New, then Run it; hooks
// that come before that wait in their queues.
type Intake struct {
	Config
	lanes   [lanes]*lane
	asks    *asks
	metrics *metrics
	odd     odd
	life    context.Context // ends with Close
	end     context.CancelFunc
	started int64         // Unix milliseconds; what happened before is history
	backlog atomic.Int64  // bytes of hooks that wait in the lanes
	reading chan struct{} // holds a token for each batch of rows that waits in them

	mu       sync.Mutex
	inside   map[string]bool               // sessions that were in the office before this life
	open     map[string][]contracts.Opened // what they had open, by agent id; taken when the person shows up
	workdirs workdirs
}

// New takes over who is in the office already.
func New(ctx context.Context, cfg Config) (*Intake, error) {
	in := &Intake{Config: cfg.withDefaults(), asks: newAsks(), metrics: newMetrics(cfg.Metrics), inside: map[string]bool{}, open: map[string][]contracts.Opened{}, reading: make(chan struct{}, laneReading)}
	in.life, in.end = context.WithCancel(context.Background())
	in.started = in.Now().UnixMilli()
	for i := range in.lanes {
		in.lanes[i] = &lane{in: in, tasks: make(chan *task, laneQueue), people: make(map[string]*person)}
	}
	before, err := in.Office.Open(ctx, wire.Source)
	if err != nil {
		return nil, fmt.Errorf("read who of Claude Code is in the office: %w", err)
	}
	for _, a := range before.Agents {
		in.inside[a.AgentID] = true
	}
	for _, o := range before.Begun {
		in.open[o.HUD.AgentID] = append(in.open[o.HUD.AgentID], o)
	}
	return in, nil
}

// Doors are where Claude Code's hooks arrive.
func (in *Intake) Doors() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{"POST /hooks/claude": in.ServeHook}
}

// Links are none: Claude Code reports by itself.
func (in *Intake) Links() []agents.Link { return nil }

// Run works the queues and reads the transcripts until ctx ends.
func (in *Intake) Run(ctx context.Context) error {
	var running sync.WaitGroup
	defer running.Wait()
	for _, l := range in.lanes {
		running.Go(func() { l.run(ctx) })
	}
	in.revive(ctx)
	if in.Dir != "" {
		running.Go(func() { newTail(in).run(ctx) })
	}
	if in.Spool != "" {
		running.Go(func() { in.drainSpool(ctx, in.Take) })
	}
	<-ctx.Done()
	return nil
}

// Close lets permission requests go that wait for a person, so that their doors can
// close; the terminal asks on.
func (in *Intake) Close() { in.end() }

func (in *Intake) withdraw(ctx context.Context, decisionID, reason string) {
	replies := in.Office.Tell(ctx, contracts.AskWithdrawn{DecisionID: decisionID, Reason: reason})
	if no := replies[0].Refusal; no != nil && no.Code != contracts.CodeConflict {
		in.Log.Warn("a permission request stays open although it needs nobody", "decision", decisionID, "error", no)
	}
}

// revive takes up everybody who has something open, so that it ends although nobody
// may speak of it again.
func (in *Intake) revive(ctx context.Context) {
	in.mu.Lock()
	var tasks []*task
	for id, list := range in.open {
		session, agent, _ := strings.Cut(strings.TrimPrefix(list[0].HUD.Session, wire.Source+":"), ":")
		if wire.AgentID(session, agent) == id {
			tasks = append(tasks, &task{session: session, agent: agent})
		}
	}
	in.mu.Unlock()
	for _, t := range tasks {
		in.send(ctx, t)
	}
}

// known hands out once whether somebody was here before the restart, and what it had
// open.
func (in *Intake) known(agentID string) (open []contracts.Opened, again bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	open, again = in.open[agentID], in.inside[agentID]
	delete(in.open, agentID)
	delete(in.inside, agentID)
	return open, again
}

// laneOf is where a session waits: everything of one session is taken in order.
func (in *Intake) laneOf(session string) *lane {
	h := fnv.New32a()
	_, _ = h.Write([]byte(session)) // never fails
	return in.lanes[h.Sum32()%lanes]
}

// people's sessions are told alike.
func (in *Intake) sessionConfig() wire.Config {
	return wire.Config{Home: in.Home, KeepThinking: in.Keep, Price: in.Price}
}
