// Package crew gets the office's work done. It compares the list of work with
// the turns it runs, starts what is missing, and stops what is no longer listed.
//
// It guarantees: a turn that fails, hangs or panics ends as a reported fact and
// never takes the crew down; a fact that the ledger did not take is offered again
// for as long as its turn is wanted; every HUD start has its end and every stream
// its done, also when a turn is stopped, and what a killed crew left open is ended
// by the next one before it takes up work; no fact of a turn follows its last one; no
// turn begins or goes on once a budget is used up; no turn outlives Run, unless its
// runner ignores its context.
//
// It keeps nothing: after a restart the list of work is the same and every unit
// on it is taken up again. It never decides what the work is.
package crew

import (
	"context"
	"log/slog"
	"time"

	"github.com/bullpen-office/bullpen/backoff"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/staff"
)

// Office is where work comes from and where facts go.
type Office interface {
	// Work lists everything that should be running now.
	Work() []contracts.Work
	// WorkChanged signals that the list may have changed. Signals coalesce.
	WorkChanged() <-chan struct{}
	// Record takes a fact and returns once it is durable. A fact about work that
	// is over fails with a *contracts.Refusal and changes nothing. Any other error,
	// and the code INTERNAL, says that nothing happened and it may be offered again.
	Record(ctx context.Context, f contracts.Fact) error
}

// Blobs stores content by its hash.
type Blobs interface {
	PutBlob(ctx context.Context, content []byte) (sha256 string, err error)
	Blob(ctx context.Context, sha256 string) (content []byte, ok bool, err error)
}

// Streams shows text that is being written. Publishing never blocks for long and
// keeps nothing.
type Streams interface {
	PublishStream(d contracts.StreamDelta)
}

// Config says whom the crew works for and with whom. Office, Blobs, Streams,
// Runners and NewUUID are needed; the rest has defaults.
type Config struct {
	Office  Office
	Blobs   Blobs
	Streams Streams
	Runners map[string]Runner
	Default string // the runner of work that names none; Rehearsal when empty

	Budgets  staff.Budgets // none
	Accounts Accounts      // nil counts only what runs now

	// Permit asks a person whether a tool of an agent's program may run and waits for
	// the answer. nil means that nobody can be asked: nothing that needs a permission
	// runs then.
	Permit func(ctx context.Context, agentID string, p contracts.Permission) (drive.Verdict, error)

	// Ask puts questions of an agent's program to a person and waits for the answers.
	// nil means that questions cannot be asked.
	Ask func(ctx context.Context, agentID string, questions []contracts.AskSeen) ([]contracts.Decision, error)

	// Roots say how the paths of an agent are shown. nil means: as they are.
	Roots func(agentID string) hud.Roots

	NewUUID func() string
	Now     func() time.Time // time.Now
	Logger  *slog.Logger     // silent
	Turns   int              // at the same time; contracts.LimitTurns
	Stall   time.Duration    // without a sign of life; contracts.TurnStall
	Grace   time.Duration    // for a stopped turn to return; contracts.TurnGrace
}

// Crew runs turns.
type Crew struct {
	Config
	turns   map[string]*turn // running, also while they are being stopped
	resting map[string]rest  // ended, but their work has not gone away yet
	ended   chan *turn
	streams uint64 // numbers stream ids
	meter   meter
}

// rest keeps a unit of work that did not go away from being tried in a hot loop.
type rest struct {
	retry backoff.Backoff
	until time.Time
}

// New makes a crew; Run sets it to work.
func New(cfg Config) *Crew {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Roots == nil {
		cfg.Roots = func(string) hud.Roots { return hud.Roots{} }
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Default == "" {
		cfg.Default = Rehearsal
	}
	if cfg.Turns <= 0 {
		cfg.Turns = contracts.LimitTurns
	}
	if cfg.Stall <= 0 {
		cfg.Stall = contracts.TurnStall
	}
	if cfg.Grace <= 0 {
		cfg.Grace = contracts.TurnGrace
	}
	return &Crew{
		Config: cfg, turns: map[string]*turn{}, resting: map[string]rest{}, ended: make(chan *turn),
		// Counting on from the clock keeps a stream id from being used again after
		// a restart, when viewers still hold the old stream.
		streams: uint64(cfg.Now().UnixMilli()),
	}
}

// Run works until ctx ends, then stops every turn, waits for them and returns nil.
func (c *Crew) Run(ctx context.Context) error {
	changed := c.Office.WorkChanged()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		timer.Reset(c.reconcile(ctx))
		select {
		case <-ctx.Done():
			c.stop()
			return nil
		case _, open := <-changed:
			if !open { // the office is gone; without this the loop would spin
				changed = nil
			}
		case t := <-c.ended:
			c.settle(t)
		case <-timer.C:
		}
	}
}

// reconcile makes what runs equal to what is listed, and returns when to look
// again even if nothing changes.
func (c *Crew) reconcile(ctx context.Context) time.Duration {
	now := c.Now()
	again := contracts.TurnRetryMax
	listed := map[string]bool{}
	var missing []contracts.Work
	for _, w := range c.Office.Work() {
		listed[w.Key] = true
		if c.turns[w.Key] != nil {
			continue
		}
		if wait := c.resting[w.Key].until.Sub(now); wait > 0 {
			again = min(again, wait)
			continue
		}
		missing = append(missing, w)
	}
	for key, t := range c.turns {
		if !listed[key] {
			t.cancel(errUnlisted)
		}
	}
	for key := range c.resting {
		if !listed[key] {
			delete(c.resting, key)
		}
	}
	for _, w := range missing {
		if len(c.turns) >= c.Turns {
			break // the end of a turn brings us back here
		}
		c.start(ctx, w)
	}
	return again
}

func (c *Crew) start(ctx context.Context, w contracts.Work) {
	c.streams++
	t := newTurn(ctx, c, w, c.streams)
	c.turns[w.Key] = t
	go func() {
		t.run()
		c.ended <- t
	}()
}

// settle forgets a turn. If its work is still listed, it rests before it is tried
// again, longer each time.
func (c *Crew) settle(t *turn) {
	delete(c.turns, t.work.Key)
	r, again := c.resting[t.work.Key]
	if !again {
		r.retry = backoff.Backoff{First: contracts.TurnRetryMin, Most: contracts.TurnRetryMax, Rand: backoff.NoJitter}
	}
	r.until = c.Now().Add(r.retry.Next())
	c.resting[t.work.Key] = r
}

func (c *Crew) stop() {
	for _, t := range c.turns {
		t.cancel(errShutdown)
	}
	for len(c.turns) > 0 {
		t := <-c.ended
		delete(c.turns, t.work.Key)
	}
}
