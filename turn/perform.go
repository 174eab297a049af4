package turn

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/bullpen-office/bullpen/drive"
)

// perform carries a turn from its start to its end. The order matters: the start is
// durable before the agent receives the prompt, the end before any caller sees it.
func (c *conversation) perform(t *Turn) (answer drive.Answer, err error) {
	ctx, cancel := t.ctx, context.CancelFunc(func() {})
	if limit := t.request.Timeout; limit > 0 {
		ctx, cancel = context.WithTimeoutCause(t.ctx, limit, fmt.Errorf("the turn exceeded its time limit of %v and was stopped", limit))
	}
	defer cancel()
	x := &performance{conversation: c, turn: t, ctx: ctx}
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
		said, err = t.request.Finish(x.line, answer, t.told(answer))
	}
	x.rec.end(said, err, context.Cause(ctx))
	answer.Usage = x.rec.total()
	return answer, err
}

func crashed(p any) error {
	return fmt.Errorf("the agent's driver crashed: %v; try again or use another agent", p)
}

// performance is one turn on its way through a conversation.
type performance struct {
	*conversation
	turn  *Turn
	ctx   context.Context
	route Route
	rec   *recorder
	line  *Line // that the agent was asked over last

	counted bool // among the turns of its agent
}

// enter counts the turn among those of its agent, and reports whether there are others.
func (x *performance) enter() (others bool) {
	e := x.engine
	e.mu.Lock()
	defer e.mu.Unlock()
	x.counted = true
	e.answering[x.route.AgentID]++
	return e.answering[x.route.AgentID] > 1
}

func (x *performance) leave() {
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

// cause is why a turn failed: what ended it from outside, if anything did.
func (x *performance) cause(err error) error {
	if cause := context.Cause(x.ctx); err != nil && cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return err
}

// begin finds who answers and records the start of the turn.
func (x *performance) begin() (err error) {
	if err := x.ctx.Err(); err != nil { // stopped while it waited
		return err
	}
	e, r := x.engine, &x.turn.request
	if r.Route != nil {
		x.route = *r.Route
	} else if x.route, err = e.cfg.Directory.Find(x.ctx, r.Key); err != nil {
		return err
	}
	x.route.session = r.Session
	if !r.Key.Own {
		x.route.session = e.cfg.Session(x.route.AgentID)
	}
	if line := x.openLine(); line != nil && x.route.Serves != nil && x.route.Serves(line.Session) {
		x.route.External = line.route.External // a program of ours that dialled in
	}
	if !x.route.External {
		if err := e.afford(x.route.AgentID, r.TaskID); err != nil {
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

// converse asks the agent, and asks once more when the request wants that.
func (x *performance) converse() (drive.Answer, error) {
	x.rec.stall.start()
	defer x.rec.stall.stop()
	r := &x.turn.request
	prepare := r.Prepare
	if prepare == nil {
		prepare = func(*Line) (drive.Prompt, error) { return r.Prompt, nil }
	}
	for {
		answer, err := x.ask(prepare)
		if r.Check == nil || x.line == nil || x.ctx.Err() != nil {
			return answer, err
		}
		next := r.Check(x.line, answer, err)
		if next == nil {
			return answer, err
		}
		prepare = func(*Line) (drive.Prompt, error) { return *next, nil }
	}
}

// lost tells a caller that the conversation could not be resumed: the agent has
// forgotten what was said before, and is given only what is new.
const lost = "(The earlier conversation could not be resumed. This is a new one.)\n\n"

// ask has the agent answer, in another conversation when it does not know the one that
// it was to go on with: then it is told everything, as far as the request has it.
func (x *performance) ask(prepare func(*Line) (drive.Prompt, error)) (drive.Answer, error) {
	said, before := "", ""
	for again := false; ; again = true {
		line, err := x.reach(x.ctx, x.turn, x.route)
		if err != nil {
			return drive.Answer{}, err
		}
		x.line = line
		p, err := prepare(line)
		if err != nil {
			return drive.Answer{}, err
		}
		if again && p.Text == before && !x.key.Own {
			said = lost
			x.rec.show("token", said)
		}
		before = p.Text
		x.rec.listen(line.Takes, func() { x.remembered(line) })
		answer, err := x.await(line, p)
		x.rec.settle(answer.Usage)
		if err == nil {
			line.resumed = false
			x.remembered(line)
			answer.Text = said + answer.Text
			return answer, nil
		}
		lively := x.rec.lively()
		switch {
		case !again && x.ctx.Err() == nil && !lively && line.startsOver(err):
			x.engine.cfg.Log.Warn("agent does not know the conversation; starting a new one", "session", x.key.String(), "error", err)
			x.keep(line, "")
			x.drop(line)
			continue
		case !x.key.Own && (errors.Is(err, drive.ErrGone) || errors.Is(err, drive.ErrAbsent)):
			x.drop(line)
		}
		return answer, err
	}
}

// startsOver reports whether another conversation can take the place of this one.
func (l *Line) startsOver(why error) bool {
	return errors.Is(why, drive.ErrUnknown) || l.resumed && errors.Is(why, drive.ErrGone)
}

// drop closes a line that no longer leads anywhere.
func (c *conversation) drop(line *Line) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.line == line {
		c.letGo()
	}
}

// run has the driver run the turn. A driver that panics fails its turn.
func (x *performance) run(line *Line, p drive.Prompt) (answer drive.Answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			x.rec.log.Error("agent driver panicked", "panic", p, "stack", string(debug.Stack()))
			err = crashed(p)
		}
	}()
	return line.Turn(x.ctx, p, x.rec)
}

// await runs the turn and gives the driver a grace time to return once the turn was
// stopped. A session that needs none costs no goroutine.
func (x *performance) await(line *Line, p drive.Prompt) (drive.Answer, error) {
	if _, ok := line.Session.(drive.Interruptible); ok {
		return x.run(line, p)
	}
	type outcome struct {
		answer drive.Answer
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		answer, err := x.run(line, p)
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
		x.drop(line)
		return drive.Answer{}, context.Cause(x.ctx)
	}
}

// dial opens a conversation with who answers now: where it left off, if that is known.
func (c *conversation) dial(ctx context.Context, t *Turn, r Route) (*Line, error) {
	spec := drive.Spec{Key: c.key.String(), AgentID: r.AgentID, Fleeting: c.fleeting}
	if r.Place != nil {
		var err error
		if spec.Root, spec.Workspace, err = r.Place(t.request.Workspace); err != nil {
			return nil, err
		}
	}
	if r.Runner != "" && !c.fleeting {
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
	return &Line{Session: session, Takes: drive.TakesOf(r.Driver), Spec: spec, route: r, resumed: resumed, release: release}, nil
}

// memoryKey is <runner>/<agent> for the office's own conversation with an agent, and
// <runner>/<agent>::<chat> for one of a caller.
func (c *conversation) memoryKey(r Route) string {
	if c.key.Own {
		return r.Runner + "/" + c.key.Agent
	}
	return r.Runner + "/" + c.key.String()
}

// remembered keeps the program's id of a conversation, from its first sign of life on: a
// restart may come before the answer.
func (c *conversation) remembered(line *Line) {
	if line.route.Runner == "" || c.fleeting { // nothing asks a driver that is inside its sink
		return
	}
	if id := line.ID(); id != "" {
		c.keep(line, id)
	}
}

// keep notes the id of a line's conversation for the next one; an empty id forgets it.
func (c *conversation) keep(line *Line, id string) {
	if line.route.Runner == "" || c.fleeting {
		return
	}
	if err := c.engine.cfg.Memory.Remember(c.memoryKey(line.route), id, line.route.session); err != nil {
		c.engine.cfg.Log.Warn("conversation will not be resumed after a restart", "session", c.key.String(), "error", err)
	}
}
