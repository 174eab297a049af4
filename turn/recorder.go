package turn

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/activity"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
)

// recorder is the one Sink: what a driver shows is recorded, streamed, metered, watched
// for a stall, and asked of people here.
type recorder struct {
	*activity.Turn
	engine *Engine
	turn   *Turn
	route  Route
	own    bool
	log    *slog.Logger
	stall  *stall

	// farewell lasts a little longer than the turn, for what must be recorded even
	// though the turn was stopped.
	farewell context.Context
	release  context.CancelFunc
	refused  error // the start

	mu    sync.Mutex
	spent contracts.Usage // by earlier questions of the turn
	used  contracts.Usage // by this one
	heard bool            // the agent gave a sign of life
	first func()          // called with it
	steps *steps          // made into progress; nil for agents that report their own
}

func newRecorder(x *performance) *recorder {
	e, r := x.engine, &x.turn.request
	rec := &recorder{engine: e, turn: x.turn, route: x.route, own: r.Key.Own}
	session := contracts.SourceBridge + ":" + r.Key.String()
	if rec.own {
		session = x.route.Runner + ":" + x.route.AgentID
	}
	rec.log = e.cfg.Log.With("agent", x.route.AgentID, "session", session, "origin", r.Origin)
	rec.stall = &stall{limit: r.Stall, cancel: x.turn.cancel, now: e.cfg.Now}
	rec.farewell, rec.release = context.WithCancel(context.WithoutCancel(x.ctx))
	context.AfterFunc(x.ctx, func() {
		late := time.AfterFunc(contracts.RecordTimeout, rec.release)
		context.AfterFunc(rec.farewell, func() { late.Stop() })
	})
	stream := contracts.StreamDelta{StreamID: r.Stream, AgentID: x.route.AgentID, TaskID: r.TaskID, ProjectID: r.Project, Rehearsal: r.Rehearsal}
	source := hud.Source{AgentID: x.route.AgentID, Session: session, TaskID: r.TaskID, Rehearsal: r.Rehearsal, Origin: r.Origin, Roots: e.cfg.Roots(x.route.AgentID)}
	rec.Turn = activity.NewTurn(activity.Log{Record: rec.record, Keep: rec.keep, Publish: e.cfg.Office.PublishStream, NewUUID: e.cfg.NewUUID, Now: e.cfg.Now}, source, stream)
	return rec
}

// begin records the start of the turn. A refusal means that it may not run here: the
// agent is unknown, or this run of the office was declared gone.
func (r *recorder) begin() error {
	q := &r.turn.request
	if !r.own {
		p := contracts.AgentProfile{AgentID: r.route.AgentID, Name: q.Key.Agent, Source: contracts.SourceBridge, Session: contracts.SourceBridge + ":" + q.Key.String(), Place: q.Workspace}
		if err := r.engine.cfg.Office.Admit(r.farewell, p); err != nil {
			r.release()
			return err
		}
	}
	if q.Said != "" {
		r.Received(q.Said)
	}
	label := q.Label
	if label == "" {
		label = q.Prompt.Text
	}
	if r.Begin(label); r.refused != nil {
		r.release()
		return r.refused
	}
	r.witness(status.TurnStarted, "", "a turn began", hud.Line(label, contracts.LimitPreview))
	return nil
}

// record hands a fact to the office until it is taken or refused, also when the turn was
// stopped, because a start that was recorded needs its end. A caller waits only for a
// while. What waits for the office does not stall.
func (r *recorder) record(h contracts.HUD) {
	ctx := r.farewell
	if !r.own {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), contracts.RecordTimeout)
		defer cancel()
	}
	err := r.tell(ctx, string(h.Event), contracts.HUDSeen{HUD: h})
	if err == nil {
		return
	}
	if h.Event == contracts.HUDTurnStart {
		r.refused = err
	}
	r.log.Warn("activity was not recorded", "event", h.Event, "error", err)
}

// tell records a fact, again while the ledger does not take it.
func (r *recorder) tell(ctx context.Context, what string, f contracts.Fact) error {
	return activity.Insist(ctx, r.log, what, func(ctx context.Context) error {
		r.stall.touch()
		if no := r.engine.cfg.Office.Tell(ctx, f)[0].Refusal; no != nil {
			return no
		}
		return nil
	})
}

// keep stores the whole of a result before the fact that refers to it.
func (r *recorder) keep(whole []byte) {
	err := activity.Insist(r.farewell, r.log, "a tool result", func(ctx context.Context) error {
		r.stall.touch()
		_, err := r.engine.cfg.Office.PutBlob(ctx, whole)
		return err
	})
	if err != nil {
		r.log.Warn("tool result was not stored whole", "bytes", len(whole), "error", err)
	}
}

// witness reports evidence of what the agent of a caller does.
func (r *recorder) witness(claim status.Claim, call, says, line string) {
	r.attest(status.Evidence{Claim: claim, Call: call, Says: says, Line: line})
}

func (r *recorder) attest(e status.Evidence) {
	if r.own {
		return
	}
	e.Source, e.At = contracts.FromStream, r.engine.cfg.Now().UnixMilli()
	r.engine.cfg.Office.Witness(r.farewell, r.route.AgentID, e)
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
	preview := ""
	if r.steps != nil && kind == "token" {
		kind, preview = r.steps.wrote(text)
	}
	r.Turn.Delta(kind, text)
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
	end := r.Turn.ToolStart(callID, tool, args)
	r.stall.tools.Add(1)
	r.witness(status.ToolStarted, callID, tool+" began", tool)
	if r.steps != nil {
		r.step(hud.ToolStart(hud.Source{}, "", hud.Span{}, hud.Call{Tool: tool, Args: hud.Value(args)}).Label)
	}
	return once(func(result any) {
		end(result)
		r.stall.tools.Add(-1)
		r.witness(status.ToolEnded, callID, tool+" ended", "")
	})
}

// Think records a stretch of thinking.
func (r *recorder) Think() func() {
	r.sign()
	return r.Turn.Think()
}

// Progress reports how far a task is.
func (r *recorder) Progress(percent int, preview string) {
	if r.stall.touch(); r.turn.request.Progress != nil && !r.Closed() {
		r.turn.request.Progress(min(max(percent, 0), 100), preview)
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
	if r.route.Free {
		return
	}
	if err := r.engine.cfg.Afford(r.farewell, r.route.AgentID, r.turn.request.TaskID, r.total()); err != nil {
		r.log.Warn("turn is stopped", "reason", err)
		r.turn.cancel(err)
	}
}

// nothing reports whether a report says nothing.
func nothing(u contracts.Usage) bool { return u == contracts.Usage{Model: u.Model} }

// end records the end of the turn and what it used. What the driver shows afterwards is
// ignored.
func (r *recorder) end(said string, err, cause error) {
	defer r.release()
	failure := ""
	if err != nil {
		failure = err.Error()
		if r.own && cause != nil && !isStall(cause) {
			failure = "stopped: " + cause.Error()
		}
	}
	o := activity.Outcome{Failure: failure, Said: said}
	used := r.total()
	if !nothing(used) {
		o.Usage = &used
	}
	r.End(o)
	if o.Usage != nil {
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
	if err := r.tell(r.farewell, "the usage of a turn", f); err != nil {
		r.log.Warn("usage of a turn was not recorded", "error", err)
	}
}

var _ drive.Sink = (*recorder)(nil)
