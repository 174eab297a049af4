package turn

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
)

// recorder is the one Sink: what a driver shows is recorded, streamed, metered, watched
// for a stall, and asked of people here.
type recorder struct {
	spans
	engine *Engine
	turn   *Turn
	route  Route
	own    bool
	log    *slog.Logger
	stall  *stall

	// recording lasts until the end of the turn is recorded, even if the turn was stopped.
	recording context.Context
	release   context.CancelFunc
	progress  func(percent int, preview string) // nil: nobody wants to know
	notBegun  error                             // why the start was not recorded

	mu    sync.Mutex
	owed  []contracts.Fact // that the office did not take in time, and those after them
	spent contracts.Usage  // by earlier questions of the turn
	used  contracts.Usage  // by this one
	heard bool             // the agent gave a sign of life
	first func()           // called with it
	steps *steps           // made into progress; nil for agents that report their own
}

func newRecorder(x *execution) *recorder {
	e, r := x.engine, &x.turn.request
	rec := &recorder{engine: e, turn: x.turn, route: x.route, own: r.Key.Internal, progress: r.Progress}
	session := contracts.SourceBridge + ":" + r.Key.String()
	if rec.own {
		session = x.route.Runner + ":" + x.route.AgentID
	}
	rec.log = e.cfg.Log.With("agent", x.route.AgentID, "session", session, "origin", r.Origin)
	rec.stall = &stall{limit: r.Stall, cancel: x.turn.cancel, now: e.cfg.Now}
	rec.recording, rec.release = context.WithCancel(context.WithoutCancel(x.ctx))
	stream := contracts.StreamDelta{StreamID: r.Stream, AgentID: x.route.AgentID, TaskID: r.TaskID, ProjectID: r.Project, Rehearsal: r.Rehearsal}
	source := hud.Source{AgentID: x.route.AgentID, Session: session, TaskID: r.TaskID, Rehearsal: r.Rehearsal, Origin: r.Origin, Roots: e.cfg.Roots(x.route.AgentID)}
	rec.book = book{record: rec.record, keep: rec.keep, publish: e.cfg.Office.PublishStream, newUUID: e.cfg.NewUUID, now: e.cfg.Now}
	rec.source, rec.stream = source, stream
	return rec
}

// begin records the start of the turn. A refusal means that it may not run here: the
// agent is unknown, or this run of the office was declared gone. An agent that answers
// others meanwhile keeps the session of its profile, which names one conversation.
func (r *recorder) begin(others bool) error {
	q := &r.turn.request
	if !r.own && !r.route.Crew {
		p := contracts.AgentProfile{AgentID: r.route.AgentID, Name: q.Key.Agent, Source: contracts.SourceBridge, Place: q.Workspace}
		if !others {
			p.Session = r.source.Session
		}
		ctx, done := r.patience()
		defer done()
		if err := r.engine.cfg.Office.Admit(ctx, p); err != nil {
			r.release()
			return err
		}
	}
	label := q.Label
	if label == "" {
		label = q.Prompt.Text
	}
	if r.spans.start(q.Said, label); r.notBegun != nil {
		if Refused(r.notBegun) == nil { // it may yet be recorded, and then needs its end
			r.finish(outcome{failure: r.notBegun.Error()})
			r.payLater()
		}
		r.release()
		return r.notBegun
	}
	r.witness(status.TurnStarted, "", "a turn started", hud.Line(label, contracts.LimitPreview))
	return nil
}

// patience limits how long the office is waited for: a caller waits only for a while.
func (r *recorder) patience() (context.Context, context.CancelFunc) {
	if r.own {
		return r.recording, func() {}
	}
	return context.WithTimeout(r.recording, contracts.RecordTimeout)
}

// record hands facts of activity to the office.
func (r *recorder) record(hs ...contracts.HUD) {
	facts := make([]contracts.Fact, len(hs))
	for i, h := range hs {
		facts[i] = contracts.HUDSeen{HUD: h}
	}
	last := hs[len(hs)-1].Event
	if err := r.take(string(last), facts...); err != nil && last == contracts.HUDTurnStart {
		r.notBegun = err
	}
}

// take hands facts to the office until they are recorded or refused, even after the turn
// was stopped, because a start that was recorded needs its end. What is not recorded
// while a caller waits is recorded later, in order. Waiting for the office does not count
// as a stall. The error is that of the last fact.
func (r *recorder) take(what string, facts ...contracts.Fact) error {
	r.mu.Lock()
	late := len(r.owed) > 0
	if late {
		r.owed = append(r.owed, facts...)
	}
	r.mu.Unlock()
	if late {
		return nil
	}
	ctx, done := r.patience()
	defer done()
	left, err := r.tell(ctx, what, facts...)
	if err == nil {
		return nil
	}
	r.log.Warn("activity not recorded", "what", what, "error", err)
	r.mu.Lock()
	r.owed = append(r.owed, left...)
	r.mu.Unlock()
	return err
}

// payLater records the facts that are still owed, without making a caller wait. If the
// office closes first, its next run ends what is open.
func (r *recorder) payLater() {
	r.mu.Lock()
	owed := r.owed
	r.mu.Unlock()
	if len(owed) == 0 {
		return
	}
	r.engine.start(func() {
		for _, f := range owed {
			if _, err := r.tell(r.engine.life, "activity of a turn that has ended", f); err != nil {
				r.log.Warn("activity not recorded", "error", err)
			}
		}
	})
}

// tell records facts that share an append where they can, those again that the ledger
// did not take. It returns what is left of them, and why the last one is not recorded.
func (r *recorder) tell(ctx context.Context, what string, facts ...contracts.Fact) (left []contracts.Fact, err error) {
	var refused error
	left = facts
	err = Insist(ctx, r.log, what, func(ctx context.Context) error {
		r.stall.touch()
		var failed error
		told := left
		left = nil
		for i, reply := range r.engine.cfg.Office.Tell(ctx, told...) {
			switch no := reply.Refusal; {
			case no == nil:
			case Refused(no) == nil:
				left, failed = append(left, told[i]), no
			case i < len(told)-1:
				r.log.Warn("activity not recorded", "what", what, "error", no)
			default:
				refused = no
			}
		}
		return failed
	})
	if err == nil {
		err = refused
	}
	return left, err
}

// keep stores the whole of a result before the fact that refers to it.
func (r *recorder) keep(whole []byte) {
	ctx, done := r.patience()
	defer done()
	err := Insist(ctx, r.log, "tool result", func(ctx context.Context) error {
		r.stall.touch()
		_, err := r.engine.cfg.Office.PutBlob(ctx, whole)
		return err
	})
	if err != nil {
		r.log.Warn("tool result not stored in full", "bytes", len(whole), "error", err)
	}
}

// witness reports evidence of what the agent of a caller does.
func (r *recorder) witness(claim status.Claim, call, says, line string) {
	r.attest(status.Evidence{Claim: claim, Call: call, Says: says, Line: line})
}

func (r *recorder) attest(e status.Evidence) {
	if r.own || r.route.Crew {
		return
	}
	e.Source, e.At = contracts.FromStream, r.engine.cfg.Now().UnixMilli()
	r.engine.cfg.Office.Witness(r.recording, r.route.AgentID, e)
}

// listen prepares for the answer of an agent: first is called with its first sign of
// life.
func (r *recorder) listen(takes drive.Takes, first func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.heard, r.first = false, first
	if r.own && !takes.Messages && r.steps == nil {
		r.steps = &steps{}
	}
}

// sign notes a sign of life.
func (r *recorder) sign() {
	r.stall.touch()
	r.mu.Lock()
	first := r.first
	r.heard, r.first = true, nil
	r.mu.Unlock()
	if first != nil {
		first()
	}
}

// lively reports whether the agent did anything since listen.
func (r *recorder) lively() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.heard
}

// Delta shows text and streams it to the callers.
func (r *recorder) Delta(kind, text string) {
	r.sign()
	r.show(kind, text)
}

func (r *recorder) show(kind, text string) {
	preview := ""
	if r.steps != nil && kind == "token" {
		kind, preview = r.steps.wrote(text)
	}
	r.spans.show(kind, text)
	if kind == "token" && !r.own {
		r.turn.stream(contracts.CleanText(text))
	}
	if preview != "" {
		r.step(preview)
	}
}

// ToolStart records a tool call and its end.
func (r *recorder) ToolStart(callID, tool string, args any) func(any) {
	r.sign()
	if callID == "" {
		callID = "call_" + strings.ReplaceAll(r.engine.cfg.NewUUID(), "-", "")
	}
	end := r.spans.call(callID, tool, args)
	r.stall.tools.Add(1)
	r.witness(status.ToolStarted, callID, tool+" started", tool)
	if r.steps != nil {
		r.step(hud.ToolStart(hud.Source{}, "", hud.Span{}, hud.Call{Tool: tool, Args: hud.Value(args)}).Label)
	}
	return once(func(result any) {
		end(result)
		r.stall.tools.Add(-1)
		r.witness(status.ToolEnded, callID, tool+" ended", "")
	})
}

// Think records a period of thinking.
func (r *recorder) Think() func() {
	r.sign()
	return r.spans.think()
}

// Progress reports how far a task is.
func (r *recorder) Progress(percent int, preview string) {
	if r.stall.touch(); r.progress != nil && !r.Closed() {
		r.progress(min(max(percent, 0), 100), preview)
	}
}

// step makes progress out of what a program does.
func (r *recorder) step(preview string) {
	r.Progress(r.steps.next(), hud.Line(preview, contracts.LimitPreview))
}

// Used replaces what the agent has used for this question and stops the turn when that
// is too much.
func (r *recorder) Used(u contracts.Usage) {
	if r.Closed() {
		return
	}
	r.stall.touch()
	r.mu.Lock()
	r.used = u
	r.mu.Unlock()
	r.afford()
}

// settle counts what an answer used, whatever became of it.
func (r *recorder) settle(u contracts.Usage) {
	r.mu.Lock()
	if !nothing(u) {
		r.used = u
	}
	r.spent, r.used = drive.Sum(r.spent, r.used), contracts.Usage{}
	r.mu.Unlock()
	r.afford()
}

// total is what the turn has used so far.
func (r *recorder) total() contracts.Usage {
	r.mu.Lock()
	defer r.mu.Unlock()
	return drive.Sum(r.spent, r.used)
}

func (r *recorder) afford() {
	if r.route.External {
		return
	}
	if err := r.engine.afford(r.route.AgentID, r.turn.request.TaskID); err != nil {
		r.log.Warn("stopping turn", "reason", err)
		r.turn.cancel(err)
	}
}

// nothing reports whether a report says nothing.
func nothing(u contracts.Usage) bool { return u == contracts.Usage{Model: u.Model} }

// end records the end of the turn and what it used. What the driver shows afterwards is
// ignored.
func (r *recorder) end(said string, err, cause error) {
	defer r.release()
	defer r.payLater()
	if cause != nil { // the turn was stopped: the office itself waits only for a while, too
		defer time.AfterFunc(contracts.RecordTimeout, r.release).Stop()
	}
	failure := ""
	if err != nil {
		failure = err.Error()
		if r.own && cause != nil && !errors.Is(cause, ErrStalled) && !errors.Is(cause, ErrStopped) {
			failure = "stopped: " + cause.Error()
		}
	}
	o := outcome{failure: failure, said: said}
	used := r.total()
	if !nothing(used) {
		o.usage = &used
	}
	r.finish(o)
	r.engine.meter.remove(r)
	if o.usage != nil {
		r.settleUsage(used)
	}
	e := status.Evidence{Claim: status.TurnEnded, Says: "the turn ended"}
	if failure != "" {
		e.Says = hud.Line("the turn failed: "+failure, contracts.LimitPreview)
	} else {
		e.Said = hud.Line(said, contracts.LimitSnapshotText)
	}
	r.attest(e)
}

// settleUsage records what the turn used, once, whatever became of it.
func (r *recorder) settleUsage(u contracts.Usage) {
	f := contracts.UsageSeen{Key: "turn/" + r.ID(), AgentID: r.route.AgentID, TaskID: r.turn.request.TaskID, TurnID: r.ID(), Usage: u}
	_ = r.take("usage of a turn", f)
}

var _ drive.Sink = (*recorder)(nil)
