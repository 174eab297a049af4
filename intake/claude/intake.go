package claude

import (
	"context"
	"hash/fnv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	wire "github.com/bullpen-office/bullpen/hud/claude"
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
	inside  map[string]bool
	life    context.Context // ends with Close
	end     context.CancelFunc
	started int64         // Unix milliseconds; what happened before is history
	backlog atomic.Int64  // bytes of hooks that wait in the lanes
	reading chan struct{} // holds a token for each batch of rows that waits in them

	mu       sync.Mutex
	memories map[string][]memory // by agent id, of an earlier life; taken when the person shows up
	workdirs workdirs
}

// memory is a recorded fact of an earlier life.
type memory struct {
	hud contracts.HUD
	ts  int64
}

// New takes over who is in the office already.
func New(cfg Config) *Intake {
	in := &Intake{Config: cfg.withDefaults(), asks: newAsks(), metrics: newMetrics(cfg.Metrics), inside: map[string]bool{}, memories: map[string][]memory{}, reading: make(chan struct{}, laneReading)}
	in.life, in.end = context.WithCancel(context.Background())
	in.started = in.Now().UnixMilli()
	for i := range in.lanes {
		in.lanes[i] = &lane{in: in, tasks: make(chan *task, laneQueue), people: make(map[string]*person)}
	}
	for _, a := range in.State().Agents {
		in.inside[a.AgentID] = a.Source == wire.Source
	}
	return in
}

// Run works the queues and reads the transcripts until ctx ends.
func (in *Intake) Run(ctx context.Context) error {
	in.remember(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	for _, l := range in.lanes {
		running.Go(func() { l.run(ctx) })
	}
	in.revive(ctx)
	if in.Dir != "" {
		running.Go(func() { newTail(in).run(ctx) })
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

// remember reads the newest activity that earlier lives recorded, so that what
// they left open is ended and nothing is told twice. A ledger that cannot be read
// now costs only duplicates, which count once.
func (in *Intake) remember(ctx context.Context) {
	if in.History == nil {
		return
	}
	head := in.History.Head()
	after := head - min(head, contracts.LimitLookBack)
	for {
		page, err := in.History.Read(ctx, after, contracts.LimitReplayPage, contracts.KindHUD)
		if err != nil {
			in.Log.Warn("what Claude Code did before the restart cannot be read", "error", err)
			return
		}
		for _, rec := range page {
			after = rec.Seq
			in.recall(rec)
		}
		if len(page) < contracts.LimitReplayPage {
			return
		}
	}
}

// revive takes up everybody of whom something is remembered, so that what was left
// open ends although nobody may speak of it again.
func (in *Intake) revive(ctx context.Context) {
	in.mu.Lock()
	var tasks []*task
	for id, list := range in.memories {
		session, agent, _ := strings.Cut(strings.TrimPrefix(list[0].hud.Session, wire.Source+":"), ":")
		if wire.AgentID(session, agent) == id {
			tasks = append(tasks, &task{session: session, agent: agent})
		}
	}
	in.mu.Unlock()
	for _, t := range tasks {
		in.send(ctx, t)
	}
}

func (in *Intake) recall(rec contracts.Record) {
	body, err := rec.Decode()
	if err != nil {
		return
	}
	h, ok := body.(*contracts.HUD)
	if !ok || !in.inside[h.AgentID] {
		return
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.memories[h.AgentID] = append(in.memories[h.AgentID], memory{*h, rec.TS})
}

// recalled hands out what is remembered of a person, once.
func (in *Intake) recalled(agentID string) []memory {
	in.mu.Lock()
	defer in.mu.Unlock()
	list := in.memories[agentID]
	delete(in.memories, agentID)
	return list
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
