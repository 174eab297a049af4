// Package crew carries out the office's work. It compares the list of work with the turns that it
// runs, starts missing turns, and stops turns whose work is no longer listed.
//
// Every unit of work is one turn of the engine. An answer becomes a plan, a result or a reply only
// if it is complete and valid; an invalid answer is sent back once with the reason, and if the
// second answer is also invalid, the turn fails, except that a lenient worker's prose becomes the
// result of a task. Files that a program delivers are read only if they are inside its workspace. A
// turn that fails, hangs or panics ends with a recorded fact. A fact that could not be recorded is
// retried while the office still lists the work. Nothing about a turn is recorded after its final
// fact. No turn outlives Run, unless its driver ignores its context. A prompt contains everything
// that the work needs, so losing a conversation loses only its history.
//
// A task in a repository is done in its own worktree. The crew runs the repository's checks on the
// files that an agent delivers, and sends failures back to the agent.
//
// The crew stores nothing: after a restart the list of work is the same, and every listed unit is
// started again. The crew never decides what the work is.
package crew

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"time"

	"github.com/bullpen-office/bullpen/backoff"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/turn"
)

// Office lists the work and records facts.
type Office interface {
	// Work lists everything that should be running now.
	Work() []contracts.Work
	// WorkChanged signals that the result of Work may have changed. Signals coalesce.
	WorkChanged() <-chan struct{}
	// Record returns nil once a fact is durable. A fact about work that has ended is rejected with
	// a *contracts.Refusal and changes nothing. After any other error, or a refusal with the code
	// INTERNAL, the fact may be missing, and the caller may record it again.
	Record(ctx context.Context, f contracts.Fact) error
}

// Blobs stores content by its hash.
type Blobs interface {
	PutBlob(ctx context.Context, content []byte) (sha256 string, err error)
	Blob(ctx context.Context, sha256 string) (content []byte, ok bool, err error)
}

// Config configures a Crew. Office, Blobs, Engine, Workers and NewUUID are required.
type Config struct {
	Office  Office
	Blobs   Blobs
	Engine  *turn.Engine
	Workers map[string]Worker // by runner name
	Default string            // runner for work that does not name one; default Rehearsal
	Repos   Repos             // nil if the crew does not work in repositories

	Profile func(agentID string) contracts.AgentProfile // default: a profile with the id as the name
	Summary func() contracts.OfficeSummary              // default: empty

	NewUUID func() string
	Now     func() time.Time // default time.Now
	Logger  *slog.Logger     // default: no logging
	Turns   int              // concurrent turns; default contracts.LimitTurns
	Stall   time.Duration    // stop a turn after this long without activity; default contracts.TurnStall
}

// Crew runs a turn for every unit of work that the office lists.
type Crew struct {
	Config
	turns     map[string]*run     // running turns by work key, including turns that are being stopped
	cooldowns map[string]cooldown // ended turns whose work is still listed
	ended     chan *run
	streams   uint64 // number of the latest stream
}

// cooldown delays the retry of work that is still listed, to avoid a hot loop.
type cooldown struct {
	retry backoff.Backoff
	until time.Time
}

// New returns a crew that does nothing until Run is called.
func New(cfg Config) *Crew {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Profile == nil {
		cfg.Profile = func(id string) contracts.AgentProfile { return contracts.AgentProfile{AgentID: id, Name: id} }
	}
	if cfg.Summary == nil {
		cfg.Summary = func() contracts.OfficeSummary { return contracts.OfficeSummary{} }
	}
	cfg.Logger = cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler))
	cfg.Default = cmp.Or(cfg.Default, Rehearsal)
	if cfg.Turns <= 0 {
		cfg.Turns = contracts.LimitTurns
	}
	if cfg.Stall <= 0 {
		cfg.Stall = contracts.TurnStall
	}
	return &Crew{
		Config: cfg, turns: map[string]*run{}, cooldowns: map[string]cooldown{}, ended: make(chan *run),
		// Starting from the clock avoids reusing a stream id after a restart, when viewers may
		// still be showing the old stream.
		streams: uint64(cfg.Now().UnixMilli()),
	}
}

// Run carries out listed work until ctx is done, then stops every turn, waits for all of them and
// returns nil.
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
			if !open { // the office has closed; avoid a busy loop
				changed = nil
			}
		case t := <-c.ended:
			c.removeEnded(t)
		case <-timer.C:
		}
	}
}

// reconcile starts the work that the office lists, and stops the turns of work that is not listed.
// It returns how long to wait before the next call if nothing changes.
func (c *Crew) reconcile(ctx context.Context) time.Duration {
	now := c.Now()
	again := contracts.TurnRetryMax
	listed := map[string]bool{}
	var missing []contracts.Work
	for _, w := range c.Office.Work() {
		if c.pulled(w) {
			continue
		}
		listed[w.Key] = true
		if c.turns[w.Key] != nil {
			continue
		}
		if wait := c.cooldowns[w.Key].until.Sub(now); wait > 0 {
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
	maps.DeleteFunc(c.cooldowns, func(key string, _ cooldown) bool { return !listed[key] })
	for _, w := range missing {
		if len(c.turns) >= c.Turns {
			break // reconcile runs again when a turn ends
		}
		c.start(ctx, w)
	}
	return again
}

// pulled reports whether an agent fetches this work itself. Plans and reviews always start a turn:
// if the agent cannot do them, the turn fails, so that nobody waits for a result.
func (c *Crew) pulled(w contracts.Work) bool {
	return !w.Plan && w.Review == nil && drive.CapabilitiesOf(c.Workers[cmp.Or(w.Runner, c.Default)].Driver).Pulls
}

func (c *Crew) start(ctx context.Context, w contracts.Work) {
	c.streams++
	t := newRun(ctx, c, w, c.streams)
	c.turns[w.Key] = t
	go func() {
		t.do()
		c.ended <- t
	}()
}

// removeEnded removes a turn that has ended. If the work is still listed, it is retried after a delay
// that grows each time.
func (c *Crew) removeEnded(t *run) {
	delete(c.turns, t.work.Key)
	r, again := c.cooldowns[t.work.Key]
	if !again {
		r.retry = backoff.Backoff{First: contracts.TurnRetryMin, Max: contracts.TurnRetryMax, Rand: backoff.NoJitter}
	}
	r.until = c.Now().Add(r.retry.Next())
	c.cooldowns[t.work.Key] = r
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
