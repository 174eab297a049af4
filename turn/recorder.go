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

// recorder is the Sink of a turn: it records, streams and meters what the driver reports, detects
// stalls, and asks people.
type recorder struct {
	spans
	engine *Engine
	turn   *Turn
	route  Route
	own    bool
	log    *slog.Logger
	stall  *stall

	stopped context.Context // ends when the turn is stopped
	// recording ends once the end of the turn is recorded. If the turn is stopped, it outlives the
	// turn by the grace period for the driver and by contracts.RecordTimeout.
	recording context.Context
	release   context.CancelFunc
	progress  func(percent int, preview string) // nil if not wanted
	notBegun  error                             // why the start was not recorded

	mu      sync.Mutex
	pending []contracts.Fact // facts not recorded yet, in order
	spent   contracts.Usage  // usage of earlier prompts of the turn
	used    contracts.Usage  // usage of this prompt
	alive   bool             // the agent was active since listen
	first   func()           // called on the first activity
	steps   *steps           // derives progress from activity; nil for agents that report their own progress
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
	rec.stopped = x.ctx
	rec.recording, rec.release = Outlive(x.ctx, e.cfg.Grace+contracts.RecordTimeout)
	stream := contracts.StreamDelta{StreamID: r.Stream, AgentID: x.route.AgentID, TaskID: r.TaskID, ProjectID: r.Project, Rehearsal: r.Rehearsal}
	source := hud.Source{AgentID: x.route.AgentID, Session: session, TaskID: r.TaskID, Rehearsal: r.Rehearsal, Origin: r.Origin, Roots: e.cfg.Roots(x.route.AgentID)}
	rec.book = book{record: rec.record, keep: rec.keep, publish: e.cfg.Office.PublishStream, newUUID: e.cfg.NewUUID, now: e.cfg.Now}
	rec.source, rec.stream, rec.spans.mu = source, stream, newLock()
	return rec
}

// begin records the start of the turn. A refusal means that the turn must not run here: the agent
// is unknown, or another run of the office took over. The profile names one session, so it does not
// change while the agent has other running turns.
func (r *recorder) begin(others bool) error {
	q := &r.turn.request
	if q.Begin != nil {
		if err := q.Begin(r.recording); err != nil {
			r.release()
			return err
		}
	}
	if !r.own && !r.route.Crew {
		p := contracts.AgentProfile{AgentID: r.route.AgentID, Name: q.Key.Agent, Source: contracts.SourceBridge, Place: q.Workspace}
		if !others {
			p.Session = r.source.Session
		}
		ctx, done := r.recordContext()
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
		if Refused(r.notBegun) == nil { // the start may have been recorded and then needs its end
			r.finish(outcome{failure: r.notBegun.Error()})
			r.flushLater()
		}
		r.release()
		return r.notBegun
	}
	r.report(status.TurnStarted, "", "turn started", hud.Line(label, contracts.LimitPreview))
	return nil
}

// recordContext returns the context for recording, limited to contracts.RecordTimeout if a caller
// waits.
func (r *recorder) recordContext() (context.Context, context.CancelFunc) {
	if r.own {
		return r.recording, func() {}
	}
	return context.WithTimeout(r.recording, contracts.RecordTimeout)
}

// record records activity facts, as take does; it keeps the error of a turn start in notBegun.
func (r *recorder) record(hs ...contracts.HUD) {
	facts := make([]contracts.Fact, len(hs))
	for i, h := range hs {
		facts[i] = contracts.HUDSeen{HUD: h, Once: true} // a fact told again counts once
	}
	last := hs[len(hs)-1].Event
	if err := r.take(string(last), facts...); err != nil && last == contracts.HUDTurnStart {
		r.notBegun = err
	}
}

// take records facts until they are durable or refused, for a while even after the turn was stopped,
// because a recorded start needs its end. Facts that cannot be recorded while a caller waits are
// recorded later, in order. Waiting for the office does not count as a stall. The returned error is
// that of the last fact.
func (r *recorder) take(what string, facts ...contracts.Fact) error {
	r.mu.Lock()
	late := len(r.pending) > 0
	if late {
		r.pending = append(r.pending, facts...)
	}
	r.mu.Unlock()
	if late {
		return nil
	}
	ctx, done := r.recordContext()
	defer done()
	left, err := r.tell(ctx, what, facts...)
	if err == nil {
		return nil
	}
	r.log.Warn("activity not recorded", "what", what, "error", err)
	r.mu.Lock()
	r.pending = append(r.pending, left...)
	r.mu.Unlock()
	return err
}

// flushLater records pending facts in the background, in order. If the office closes first, the rest
// is not recorded, and the next run of the office ends the open turn.
func (r *recorder) flushLater() {
	r.mu.Lock()
	pending := r.pending
	r.mu.Unlock()
	if len(pending) == 0 {
		return
	}
	r.engine.start(func() {
		for _, f := range pending {
			_, err := r.tell(r.engine.life, "activity of a turn that has ended", f)
			if err == nil {
				continue
			}
			r.log.Warn("activity not recorded", "error", err)
			if Refused(err) == nil || startsTurn(f) { // the rest does not make sense without it
				return
			}
		}
	})
}

func startsTurn(f contracts.Fact) bool {
	h, ok := f.(contracts.HUDSeen)
	return ok && h.HUD.Event == contracts.HUDTurnStart
}

// tell records facts in one append where possible, and retries those that were not recorded. It
// returns the facts that are still not recorded, and the error of the last fact.
func (r *recorder) tell(ctx context.Context, what string, facts ...contracts.Fact) (left []contracts.Fact, err error) {
	var refused error
	left = facts
	err = Insist(ctx, r.log, what, func(ctx context.Context) error {
		r.stall.touch()
		var failed error
		told := left
		left = nil
		for i, reply := range r.engine.cfg.Office.Tell(ctx, told...) {
			switch refusal := reply.Refusal; {
			case refusal == nil:
			case Refused(refusal) == nil:
				left, failed = append(left, told[i]), refusal
			case i < len(told)-1:
				r.log.Warn("activity not recorded", "what", what, "error", refusal)
			default:
				refused = refusal
			}
		}
		return failed
	})
	if err == nil {
		err = refused
	}
	return left, err
}

// keep stores a large result in full, before the fact that refers to it.
func (r *recorder) keep(whole []byte) {
	ctx, done := r.recordContext()
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

// report records evidence of what an agent outside the crew is doing.
func (r *recorder) report(claim status.Claim, call, says, line string) {
	r.reportEvidence(status.Evidence{Claim: claim, Call: call, Says: says, Line: line})
}

func (r *recorder) reportEvidence(e status.Evidence) {
	if r.own || r.route.Crew {
		return
	}
	e.Source, e.At = contracts.FromStream, r.engine.cfg.Now().UnixMilli()
	r.engine.cfg.Office.Witness(r.recording, r.route.AgentID, e)
}

// listen prepares for an answer; first is called when the agent first shows activity.
func (r *recorder) listen(caps drive.Capabilities, first func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.alive, r.first = false, first
	if r.own && !caps.Messages && r.steps == nil {
		r.steps = &steps{}
	}
}

// markAlive restarts the stall timeout, and on the first activity calls the function given to
// listen.
func (r *recorder) markAlive() {
	r.stall.touch()
	r.mu.Lock()
	first := r.first
	r.alive, r.first = true, nil
	r.mu.Unlock()
	if first != nil {
		first()
	}
}

// wasAlive reports whether the agent was active since listen.
func (r *recorder) wasAlive() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.alive
}

// Delta publishes text and streams it to the callers.
func (r *recorder) Delta(kind, text string) {
	r.markAlive()
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

// ToolStart records a tool call; the returned function records its end.
func (r *recorder) ToolStart(callID, tool string, args any) func(any) {
	r.markAlive()
	if callID == "" {
		callID = "call_" + strings.ReplaceAll(r.engine.cfg.NewUUID(), "-", "")
	}
	end := r.spans.call(callID, tool, args)
	r.stall.tools.Add(1)
	r.report(status.ToolStarted, callID, tool+" started", tool)
	if r.steps != nil {
		r.step(hud.ToolStart(hud.Source{}, "", hud.Span{}, hud.Call{Tool: tool, Args: hud.Value(args)}).Label)
	}
	return once(func(result any) {
		end(result)
		r.stall.tools.Add(-1)
		r.report(status.ToolEnded, callID, tool+" ended", "")
	})
}

// Think records the start of thinking; the returned function records its end.
func (r *recorder) Think() func() {
	r.markAlive()
	return r.spans.think()
}

// Progress reports the progress of the turn's task, clamped to 0–100 percent.
func (r *recorder) Progress(percent int, preview string) {
	if r.stall.touch(); r.progress != nil && !r.Closed() {
		r.progress(min(max(percent, 0), 100), preview)
	}
}

// step reports progress after a tool call or a line of prose.
func (r *recorder) step(preview string) {
	r.Progress(r.steps.next(), hud.Line(preview, contracts.LimitPreview))
}

// Used replaces the usage of this prompt, and stops the turn if a budget is exhausted.
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

// settle adds the usage of a prompt to the turn, even if the prompt failed.
func (r *recorder) settle(u contracts.Usage) {
	r.mu.Lock()
	if !isEmpty(u) {
		r.used = u
	}
	r.spent, r.used = drive.Sum(r.spent, r.used), contracts.Usage{}
	r.mu.Unlock()
	r.afford()
}

// total returns the usage of the turn so far.
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

// isEmpty reports whether a usage report contains nothing but a model name.
func isEmpty(u contracts.Usage) bool { return u == contracts.Usage{Model: u.Model} }

// end records the end of the turn and its usage. Later reports from the driver are ignored.
func (r *recorder) end(said string, err, cause error) {
	defer r.release()
	defer r.flushLater()
	// Once the turn is stopped, wait only briefly for the office.
	defer context.AfterFunc(r.stopped, func() { time.AfterFunc(contracts.RecordTimeout, r.release) })()
	failure := ""
	if err != nil {
		failure = err.Error()
		if r.own && cause != nil && !errors.Is(cause, ErrStalled) && !errors.Is(cause, ErrStopped) {
			failure = "stopped: " + cause.Error()
		}
	}
	o := outcome{failure: failure, said: said}
	used := r.total()
	if !isEmpty(used) {
		o.usage = &used
	}
	r.finish(o)
	r.engine.meter.remove(r)
	if o.usage != nil {
		r.settleUsage(used)
	}
	e := status.Evidence{Claim: status.TurnEnded, Says: "turn ended"}
	if failure != "" {
		e.Says = hud.Line("turn failed: "+failure, contracts.LimitPreview)
	} else {
		e.Said = hud.Line(said, contracts.LimitSnapshotText)
	}
	r.reportEvidence(e)
}

// settleUsage records the usage of the turn once, however it ended.
func (r *recorder) settleUsage(u contracts.Usage) {
	f := contracts.UsageSeen{Key: "turn/" + r.ID(), AgentID: r.route.AgentID, TaskID: r.turn.request.TaskID, TurnID: r.ID(), Usage: u}
	_ = r.take("usage of a turn", f)
}

var _ drive.Sink = (*recorder)(nil)
