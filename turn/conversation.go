package turn

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

// errForgotten says that a conversation was closed for good meanwhile.
var errForgotten = errors.New("the conversation was reset")

// conversation is agentId::chatId with its one running turn, its queue and its line.
type conversation struct {
	engine    *Engine
	key       Key
	group     string
	workspace string
	fleeting  bool

	mu      sync.Mutex
	running *Turn
	queue   []*Turn
	recent  map[string]*Turn // by what a retry carries
	line    *Line            // nil while none is open
	idle    *time.Timer
	again   bool // the line is closed when the running turn has ended

	gone bool // the engine no longer knows it: nothing may begin in it
}

// submit starts, queues or joins a turn.
func (c *conversation) submit(r Request) (*Turn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gone {
		return nil, errForgotten
	}
	if r.Confined && r.Workspace != c.workspace {
		return nil, ErrWorkspace
	}
	if r.Workspace == "" {
		r.Workspace = c.workspace // should the program have to be started again
	}
	c.dropOld()
	if c.reused(r.Join) {
		return nil, ErrReused
	}
	if t := c.earlier(r.Join); t != nil {
		if !t.attach() {
			return nil, ErrCallers
		}
		return t, nil
	}
	switch {
	case r.Join.Only: // what it wanted to join has failed, and the agent may have heard it
		return nil, ErrNoTurn
	case !c.key.Own && len(c.queue) >= contracts.LimitBridgeQueue:
		return nil, ErrQueue
	}
	t := newTurn(c, r)
	if c.idle != nil {
		c.idle.Stop()
		c.idle = nil
	}
	if c.running != nil {
		c.queue = append(c.queue, t)
	} else if c.running = t; !c.engine.start(c.work) {
		c.running = nil
		return nil, ErrClosing
	}
	if r.Join.ID != "" {
		c.remember(t)
	}
	return t, nil
}

// reused reports whether a caller uses the id of another request.
func (c *conversation) reused(j Join) bool {
	t := c.recent[j.ID]
	return t != nil && j.Own && t.request.Join.Same != j.Same
}

// earlier is the turn that a request repeats, nil when there is none. A turn that failed
// is tried again; one that a person stopped stays stopped.
func (c *conversation) earlier(j Join) (found *Turn) {
	if t := c.recent[j.ID]; t != nil && t.request.Join.Same == j.Same { // one trace may hold several requests
		found = t
	}
	for _, t := range c.recent {
		if j.Again && t.request.Join.Same == j.Same && (found == nil || t.asked > found.asked) {
			found = t
		}
	}
	if found == nil || found.failed() {
		return nil
	}
	return found
}

func (c *conversation) tried(j Join) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dropOld()
	return c.reused(j) || c.earlier(j) != nil
}

// remember keeps a turn for its retries, and of too many the latest.
func (c *conversation) remember(t *Turn) {
	c.recent[t.request.Join.ID] = t
	if len(c.recent) <= contracts.LimitBridgeRecent {
		return
	}
	oldest := t
	for _, have := range c.recent {
		if !have.endedAt().IsZero() && have.asked <= oldest.asked {
			oldest = have
		}
	}
	delete(c.recent, oldest.request.Join.ID)
}

// dropOld forgets turns whose retries have had their time.
func (c *conversation) dropOld() {
	now := c.engine.cfg.Now()
	for id, t := range c.recent {
		if ended := t.endedAt(); !ended.IsZero() && now.Sub(ended) > contracts.BridgeRemember {
			delete(c.recent, id)
		}
	}
}

// work runs turn after turn until none waits.
func (c *conversation) work() {
	for t := c.running; t != nil; {
		answer, err := c.perform(t)
		var exit *drive.ExitError
		if errors.As(err, &exit) {
			c.engine.cfg.Log.Warn("agent program exited during a turn", "session", c.key.String(), "status", exit.Status, "stderr", exit.Stderr)
		}
		t.finish(answer, err, c.engine.cfg.Now())
		c.mu.Lock()
		if t = nil; c.again {
			c.letGo()
			c.again = false
		}
		if len(c.queue) > 0 {
			t, c.queue = c.queue[0], c.queue[1:]
		}
		if c.running = t; t == nil {
			c.idle = time.AfterFunc(c.engine.cfg.Idle, c.retire)
		}
		c.mu.Unlock()
	}
	c.engine.park(c)
}

// unload closes the line of a conversation that has nothing to do, and keeps its turns
// for as long as they may be retried.
func (c *conversation) unload() {
	c.mu.Lock()
	c.dropOld()
	if len(c.recent) > 0 && c.running == nil && !c.gone {
		c.letGo()
		if c.idle != nil { // nil while the engine closes
			c.idle.Reset(contracts.BridgeRemember)
		}
		c.mu.Unlock()
		return
	}
	c.mu.Unlock()
	c.retire()
}

// retire ends a conversation that has nothing to do.
func (c *conversation) retire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running != nil || c.gone {
		return
	}
	if c.idle != nil {
		c.idle.Stop()
	}
	c.letGo()
	c.gone = true
	c.engine.forget(c)
}

// close closes the line permanently.
func (c *conversation) close() {
	c.mu.Lock()
	if c.idle != nil {
		c.idle.Stop()
	}
	line := c.line
	c.line = nil
	c.mu.Unlock()
	c.hangUp(line)
}

// letGo closes the line in the background, because a program may be slow to exit;
// Engine.Close waits for it. The caller holds the lock.
func (c *conversation) letGo() {
	line := c.line
	if c.line = nil; line == nil {
		return
	}
	if !c.engine.start(func() { c.hangUp(line) }) {
		c.hangUp(line)
	}
}

func (c *conversation) hangUp(line *Line) {
	if line == nil {
		return
	}
	defer line.release()
	if err := line.Close(); err != nil {
		c.engine.cfg.Log.Warn("agent conversation did not close cleanly", "session", c.key.String(), "error", err)
	}
}

// cancel stops a turn; one that waits for others ends at once.
func (c *conversation) cancel(t *Turn, why error) {
	t.cancel(why)
	c.mu.Lock()
	i := slices.Index(c.queue, t)
	if i >= 0 {
		c.queue = slices.Delete(c.queue, i, i+1)
	}
	c.mu.Unlock()
	if i >= 0 {
		t.finish(drive.Answer{}, why, c.engine.cfg.Now())
	}
}

func (c *conversation) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running != nil && !c.key.Own {
		c.running.cancel(ErrStopped)
	}
}

func (c *conversation) reset(number int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.key.Own && c.number() >= number {
		return
	}
	for _, t := range c.queue {
		if !c.key.Own { // the office's own work is listed again
			t.cancel(ErrStopped)
		}
	}
	if c.running == nil {
		c.letGo()
		return
	}
	c.running.cancel(ErrStopped)
	c.again = true
}

// openLine returns the open line, nil when there is none.
func (c *conversation) openLine() *Line {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.line
}

// number is that of the agent's session which the conversation serves; the caller holds
// the lock.
func (c *conversation) number() int {
	switch {
	case c.running != nil:
		return c.running.request.Session
	case c.line != nil:
		return c.line.route.session
	}
	return 0
}

// reach is the open line to who answers now, or a new one.
func (c *conversation) reach(ctx context.Context, t *Turn, r Route) (*Line, error) {
	if line := c.openLine(); line != nil && line.goesOn(r) {
		return line, nil
	}
	line, err := c.dial(ctx, t, r)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.letGo()
	c.line = line
	return line, nil
}

// goesOn reports whether an open line still leads to who answers now.
func (l *Line) goesOn(r Route) bool {
	if r.Serves != nil && r.Serves(l.Session) {
		return true
	}
	return l.route.Driver == r.Driver && l.route.Runner == r.Runner && l.route.session == r.session
}
