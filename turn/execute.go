package turn

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

// execute runs a turn from start to end. The start is durable before the agent receives the prompt.
// The end is durable before any caller sees it, unless recording it takes longer than
// RecordTimeout; in that case, the end is recorded later.
func (c *conversation) execute(t *Turn) (answer drive.Answer, err error) {
	ctx, cancel := t.ctx, context.CancelFunc(func() {})
	if limit := t.request.Timeout; limit > 0 {
		ctx, cancel = context.WithTimeoutCause(t.ctx, limit, fmt.Errorf("the turn exceeded its time limit of %v and was stopped", limit))
	}
	defer cancel()
	x := &execution{conversation: c, turn: t, ctx: ctx}
	defer x.leave()
	begun := false
	defer func() {
		if p := recover(); p != nil {
			c.engine.cfg.Log.Error("turn panicked", "session", c.key.String(), "panic", p, "stack", string(debug.Stack()))
			if err = crashed(p); begun {
				x.rec.end("", err, nil)
			}
		}
	}()
	if err := x.begin(); err != nil {
		return drive.Answer{}, x.cause(err)
	}
	begun = true
	answer, err = x.converse()
	said := answer.Text
	switch err = x.cause(err); {
	case err != nil && t.request.Explain != nil:
		err = t.request.Explain(err)
	case err == nil && t.request.Finish != nil:
		said, err = x.finish(answer)
	}
	x.rec.end(said, err, context.Cause(ctx))
	answer.Usage = x.rec.total()
	return answer, err
}

func crashed(p any) error {
	return fmt.Errorf("the agent's driver crashed: %v; try again or use another agent", p)
}

// execution is the state of a running turn.
type execution struct {
	*conversation
	turn  *Turn
	ctx   context.Context
	route Route
	rec   *recorder
	conn  *Connection // the most recently used connection

	counted bool // counted in Engine.answering
}

// enter increments the number of the agent's running turns, and reports whether there are others.
func (x *execution) enter() (others bool) {
	e := x.engine
	e.mu.Lock()
	defer e.mu.Unlock()
	x.counted = true
	e.answering[x.route.AgentID]++
	return e.answering[x.route.AgentID] > 1
}

func (x *execution) leave() {
	if !x.counted {
		return
	}
	e := x.engine
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.answering[x.route.AgentID]--; e.answering[x.route.AgentID] == 0 {
		delete(e.answering, x.route.AgentID)
	}
}

// cause returns the reason the turn was stopped, or err if it was not stopped.
func (x *execution) cause(err error) error {
	if cause := context.Cause(x.ctx); err != nil && cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return err
}

// begin routes the turn and records its start.
func (x *execution) begin() (err error) {
	if err := x.ctx.Err(); err != nil { // stopped while queued
		return err
	}
	e, r := x.engine, &x.turn.request
	if r.Route != nil {
		x.route = *r.Route
	} else if x.route, err = e.cfg.Directory.Find(x.ctx, r.Key); err != nil {
		return err
	}
	x.route.session = r.Session
	if !r.Key.Internal {
		x.route.session = e.cfg.Session(x.route.AgentID)
	}
	if conn := x.openConnection(); conn != nil && x.route.Serves != nil && x.route.Serves(conn.Session) {
		x.route.External = conn.route.External // the connection may belong to one of the office's own programs
	}
	if !x.route.External {
		if err := e.checkBudget(x.route.AgentID, r.TaskID); err != nil {
			return err
		}
	}
	x.rec = newRecorder(x)
	if err := x.rec.begin(x.enter()); err != nil {
		return err
	}
	if !x.route.External {
		e.meter.add(x.rec)
	}
	return nil
}

// converse prompts the agent, and prompts it again whenever Request.Check returns another prompt.
func (x *execution) converse() (drive.Answer, error) {
	x.rec.stall.start()
	defer x.rec.stall.stop()
	r := &x.turn.request
	prepare := r.Prepare
	if prepare == nil {
		prepare = func(*Connection) (drive.Prompt, error) { return r.Prompt, nil }
	}
	for {
		answer, err := x.ask(prepare)
		if r.Check == nil || x.conn == nil || x.ctx.Err() != nil {
			return answer, err
		}
		x.conn.Sink = x.rec
		next := r.Check(x.ctx, x.conn, answer, err)
		if next == nil {
			return answer, err
		}
		prepare = func(*Connection) (drive.Prompt, error) { return *next, nil }
	}
}

// finish calls Request.Finish with a context that remains valid for contracts.RecordTimeout after the
// turn is stopped.
func (x *execution) finish(answer drive.Answer) (said string, err error) {
	ctx, cancel := Outlive(x.ctx, contracts.RecordTimeout)
	defer cancel()
	said, err = x.turn.request.Finish(ctx, x.conn, answer, x.turn.answerVersions(answer))
	return said, x.cause(err)
}

// notResumedNote informs a caller that the conversation could not be resumed: the agent does not
// have the earlier messages and receives only the new message.
const notResumedNote = "(The earlier conversation could not be resumed. This is a new one.)\n\n"

// ask runs one prompt and returns the answer. If the agent cannot find the conversation to resume, ask
// opens a new conversation and calls prepare once more.
func (x *execution) ask(prepare func(*Connection) (drive.Prompt, error)) (drive.Answer, error) {
	said, before := "", ""
	for again := false; ; again = true {
		conn, err := x.connect(x.ctx, x.turn, x.route)
		if err != nil {
			return drive.Answer{}, err
		}
		x.conn = conn
		p, err := prepare(conn)
		if err != nil {
			return drive.Answer{}, err
		}
		if again && p.Text == before && !x.key.Internal {
			said = notResumedNote
			x.rec.show("token", said)
		}
		before = p.Text
		x.rec.listen(conn.Capabilities, func() { x.saveCurrentID(conn) })
		answer, err := x.await(conn, p)
		x.rec.addUsage(answer.Usage)
		if err == nil {
			conn.resumed = false
			x.saveCurrentID(conn)
			answer.Text = said + answer.Text
			return answer, nil
		}
		alive := x.rec.wasAlive()
		switch {
		case !again && x.ctx.Err() == nil && !alive && conn.startsOver(err):
			x.engine.cfg.Log.Warn("agent cannot find the conversation; starting a new one", "session", x.key.String(), "error", err)
			x.saveID(conn, "")
			x.drop(conn)
			continue
		case !x.key.Internal && (errors.Is(err, drive.ErrGone) || errors.Is(err, drive.ErrUnreachable)):
			x.drop(conn)
		}
		return answer, err
	}
}

// startsOver reports whether a failed turn may be retried in a new conversation; why is the turn's
// error.
func (l *Connection) startsOver(why error) bool {
	return errors.Is(why, drive.ErrNoConversation) || l.resumed && errors.Is(why, drive.ErrGone)
}

// drop closes a connection that is no longer usable.
func (c *conversation) drop(conn *Connection) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn == conn {
		c.releaseConnection()
	}
}

// run calls the driver to run the turn. A panic in the driver fails the turn.
func (x *execution) run(conn *Connection, p drive.Prompt) (answer drive.Answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			x.rec.log.Error("agent driver panicked", "panic", p, "stack", string(debug.Stack()))
			err = crashed(p)
		}
	}()
	return conn.Turn(x.ctx, p, x.rec)
}

// await runs the turn. Once the turn is stopped, the driver has a grace period to return. An
// interruptible session needs no goroutine.
func (x *execution) await(conn *Connection, p drive.Prompt) (drive.Answer, error) {
	if _, ok := conn.Session.(drive.Interruptible); ok {
		return x.run(conn, p)
	}
	type outcome struct {
		answer drive.Answer
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		answer, err := x.run(conn, p)
		done <- outcome{answer, err}
	}()
	select {
	case o := <-done:
		return o.answer, o.err
	case <-x.ctx.Done():
	}
	grace := time.NewTimer(x.engine.cfg.Grace)
	defer grace.Stop()
	select {
	case o := <-done:
		return o.answer, o.err
	case <-grace.C:
		x.rec.log.Error("agent driver did not stop within the grace period; abandoning it", "grace", x.engine.cfg.Grace)
		x.drop(conn)
		return drive.Answer{}, context.Cause(x.ctx)
	}
}

// openNew opens a connection to the agent, resuming the conversation if its id is stored.
func (c *conversation) openNew(ctx context.Context, t *Turn, r Route) (*Connection, error) {
	spec := drive.Spec{Key: c.key.String(), AgentID: r.AgentID, Temporary: c.temporary}
	if r.Workspace != nil {
		var err error
		if spec.Root, spec.Workspace, err = r.Workspace(t.request.Workspace); err != nil {
			return nil, err
		}
	}
	if r.Runner != "" && !c.temporary {
		c.engine.cfg.Memory.visited(c.memoryKey(r))
		spec.Resume = c.engine.cfg.Memory.Resume(c.memoryKey(r), r.session)
	}
	resumed, release := spec.Resume != "", func() {}
	if r.Acquire != nil {
		var err error
		if release, err = r.Acquire(&spec); err != nil {
			return nil, err
		}
	}
	session, err := r.Driver.Open(ctx, spec)
	if err != nil {
		release()
		return nil, err
	}
	return &Connection{Session: session, Capabilities: drive.CapabilitiesOf(r.Driver), Spec: spec, route: r, resumed: resumed, release: release}, nil
}

// memoryKey returns <runner>/<agent> for the office's own conversation with an agent, and
// <runner>/<agent>::<chat> for a caller's conversation.
func (c *conversation) memoryKey(r Route) string {
	if c.key.Internal {
		return r.Runner + "/" + c.key.Agent
	}
	return r.Runner + "/" + c.key.String()
}

// saveCurrentID stores the program's conversation id on the first activity, because the office may
// restart before the answer arrives.
func (c *conversation) saveCurrentID(conn *Connection) {
	if conn.route.Runner == "" || c.temporary { // for these drivers, ID must not be called from inside the sink
		return
	}
	if id := conn.ID(); id != "" {
		c.saveID(conn, id)
	}
}

// saveID stores the program's conversation id for resuming; an empty id deletes the stored id.
func (c *conversation) saveID(conn *Connection, id string) {
	if conn.route.Runner == "" || c.temporary {
		return
	}
	if err := c.engine.cfg.Memory.Remember(c.memoryKey(conn.route), id, conn.route.session); err != nil {
		c.engine.cfg.Log.Warn("stored conversation id not updated; the conversation might not be resumed after a restart", "session", c.key.String(), "error", err)
	}
}
