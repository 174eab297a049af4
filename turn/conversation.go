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

// errReset is returned by a conversation that was closed before the request reached it.
var errReset = errors.New("the conversation was reset")

// conversation is the conversation agentId::chatId with its running turn, queue and connection.
type conversation struct {
	engine    *Engine
	key       Key
	group     string
	workspace string
	temporary bool

	mu             sync.Mutex
	running        *Turn
	queue          []*Turn
	recent         map[string]*Turn // recent turns by idempotency key
	conn           *Connection      // nil while no connection is open
	idle           *time.Timer
	closeAfterTurn bool // close the connection when the running turn ends

	removed bool // removed from the engine: no new turns
}

// submit starts or queues a turn, or joins the earlier turn that r repeats.
func (c *conversation) submit(r Request) (*Turn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.removed {
		return nil, errReset
	}
	if r.Confined && r.Workspace != c.workspace {
		return nil, ErrWorkspace
	}
	if r.Workspace == "" {
		r.Workspace = c.workspace // needed if the connection is opened again
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
	case r.Join.MustJoin: // the turn to join is missing or has failed, and the agent may have received the prompt
		return nil, ErrNoTurn
	case !c.key.Internal && len(c.queue) >= contracts.LimitBridgeQueue:
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

// reused reports whether an explicit idempotency key has already been used for a request with
// different content.
func (c *conversation) reused(j Join) bool {
	t := c.recent[j.ID]
	return t != nil && j.Explicit && t.request.Join.Content != j.Content
}

// earlier returns the turn that a request repeats, or nil. A failed turn is not returned, so that a
// retry runs it again. A turn that a person stopped has not failed, so it is returned.
func (c *conversation) earlier(j Join) (found *Turn) {
	if t := c.recent[j.ID]; t != nil && t.request.Join.Content == j.Content { // one trace may cover several requests
		found = t
	}
	for _, t := range c.recent {
		if j.Retry && t.request.Join.Content == j.Content && (found == nil || t.asked > found.asked) {
			found = t
		}
	}
	if found == nil || found.failed() {
		return nil
	}
	return found
}

func (c *conversation) hasReceived(j Join) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dropOld()
	return c.reused(j) || c.earlier(j) != nil
}

// remember keeps a turn so that retries can join it. If there are too many turns, it drops the
// oldest one that has ended, or the given turn if none has.
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

// dropOld removes turns that retries can no longer join.
func (c *conversation) dropOld() {
	now := c.engine.cfg.Now()
	for id, t := range c.recent {
		if ended := t.endedAt(); !ended.IsZero() && now.Sub(ended) > contracts.BridgeRetryWindow {
			delete(c.recent, id)
		}
	}
}

// work runs the current turn and then the queued turns until the queue is empty.
func (c *conversation) work() {
	for t := c.running; t != nil; {
		answer, err := c.execute(t)
		var exit *drive.ExitError
		if errors.As(err, &exit) {
			c.engine.cfg.Log.Warn("agent program exited during a turn", "session", c.key.String(), "status", exit.Status, "stderr", exit.Stderr)
		}
		t.finish(answer, err, c.engine.cfg.Now())
		c.mu.Lock()
		if t = nil; c.closeAfterTurn {
			c.releaseConnection()
			c.closeAfterTurn = false
		}
		if len(c.queue) > 0 {
			t, c.queue = c.queue[0], c.queue[1:]
		}
		if c.running = t; t == nil {
			c.idle = time.AfterFunc(c.engine.cfg.Idle, c.closeIdle)
		}
		c.mu.Unlock()
	}
	c.engine.park(c)
}

// closeForRetries closes the connection of an idle conversation. The conversation itself stays open
// while retries can still join its turns.
func (c *conversation) closeForRetries() {
	c.mu.Lock()
	c.dropOld()
	if len(c.recent) > 0 && c.running == nil && !c.removed {
		c.releaseConnection()
		if c.idle != nil { // nil while the engine is closing
			c.idle.Reset(contracts.BridgeRetryWindow)
		}
		c.mu.Unlock()
		return
	}
	c.mu.Unlock()
	c.closeIdle()
}

// closeIdle closes a conversation unless a turn is running.
func (c *conversation) closeIdle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running != nil || c.removed {
		return
	}
	if c.idle != nil {
		c.idle.Stop()
	}
	c.releaseConnection()
	c.removed = true
	c.engine.forget(c)
}

// close stops the idle timer and closes the connection; the engine calls close on shutdown.
func (c *conversation) close() {
	c.mu.Lock()
	if c.idle != nil {
		c.idle.Stop()
	}
	conn := c.conn
	c.conn = nil
	c.mu.Unlock()
	c.closeConnection(conn)
}

// releaseConnection closes the connection in the background, because a program may be slow to exit.
// Engine.Close waits until the connection is closed. The caller holds the lock.
func (c *conversation) releaseConnection() {
	conn := c.conn
	if c.conn = nil; conn == nil {
		return
	}
	if !c.engine.start(func() { c.closeConnection(conn) }) {
		c.closeConnection(conn)
	}
}

func (c *conversation) closeConnection(conn *Connection) {
	if conn == nil {
		return
	}
	defer conn.release()
	if err := conn.Close(); err != nil {
		c.engine.cfg.Log.Warn("agent conversation did not close cleanly", "session", c.key.String(), "error", err)
	}
}

// cancel stops a turn. A queued turn ends immediately.
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
	if c.running != nil && !c.key.Internal {
		c.running.cancel(ErrStopped)
	}
}

func (c *conversation) reset(session int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.key.Internal && c.session() >= session {
		return
	}
	for _, t := range c.queue {
		if !c.key.Internal { // the office stops its own queued turns
			t.cancel(ErrStopped)
		}
	}
	if c.running == nil {
		c.releaseConnection()
		return
	}
	c.running.cancel(ErrStopped)
	c.closeAfterTurn = true
}

// openConnection returns the open connection, or nil.
func (c *conversation) openConnection() *Connection {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.conn
}

// session returns the number of the agent's session that the conversation serves, or 0 if the
// conversation has neither a turn nor a connection. The caller holds the lock.
func (c *conversation) session() int {
	switch {
	case c.running != nil:
		return c.running.request.Session
	case c.conn != nil:
		return c.conn.route.session
	}
	return 0
}

// connect returns the open connection if it still reaches the agent, otherwise a new one.
func (c *conversation) connect(ctx context.Context, t *Turn, r Route) (*Connection, error) {
	if conn := c.openConnection(); conn != nil && conn.reaches(r) {
		return conn, nil
	}
	conn, err := c.openNew(ctx, t, r)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.releaseConnection()
	c.conn = conn
	return conn, nil
}

// reaches reports whether the connection still reaches the agent that the route names.
func (l *Connection) reaches(r Route) bool {
	if r.Serves != nil && r.Serves(l.Session) {
		return true
	}
	return l.route.Driver == r.Driver && l.route.Runner == r.Runner && l.route.session == r.session
}
