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
// stalls, and puts the agent's questions to people.
type recorder struct {
	spans
	engine *Engine
	turn   *Turn
	route  Route
	own    bool
	log    *slog.Logger
	stall  *stall

	stopped context.Context // cancelled when the turn is stopped
	// recording is the context in which facts are recorded. It is cancelled once the turn's end is
	// recorded. After a stop, it is cancelled within the driver's grace period plus
	// contracts.RecordTimeout.
	recording context.Context
	release   context.CancelFunc
	progress  func(percent int, preview string) // Request.Progress; may be nil
	notBegun  error                             // why the start was not recorded

	mu      sync.Mutex
	pending []contracts.Fact // facts not recorded yet, in order
	spent   contracts.Usage  // usage of the turn's earlier prompts
	used    contracts.Usage  // usage of this prompt
	alive   bool             // the agent has shown activity since listen was called
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
// is unknown, or another run of the office has taken over. An agent's profile has only one session,
// so begin sets the session only if the agent has no other running turns.
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
		if Refused(r.notBegun) == nil { // the start may have been recorded after all, so it needs an end
			r.finish(outcome{failure: r.notBegun.Error()})
			r.flushLater()
		}
		r.release()
		return r.notBegun
	}
	r.report(status.TurnStarted, "", "turn started", hud.Line(label, contracts.LimitPreview))
	return nil
}

// report records evidence about an agent outside the crew.
func (r *recorder) report(claim status.Claim, call, says, line string) {
	r.reportEvidence(status.Evidence{Claim: claim, Call: call, Says: says, Line: line})
}

func (r *recorder) reportEvidence(e status.Evidence) {
	if r.own || r.route.Crew {
		return
	}
	e.Source, e.At = contracts.FromStream, r.engine.cfg.Now().UnixMilli()
	r.engine.cfg.Office.AddEvidence(r.recording, r.route.AgentID, e)
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

// markAlive restarts the stall timeout and, on the first activity, calls the function passed to
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

// wasAlive reports whether the agent has shown activity since listen was called.
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
		kind, preview = r.steps.addText(text)
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
	if used.Reported() {
		o.usage = &used
	}
	r.finish(o)
	r.engine.meter.remove(r)
	if o.usage != nil {
		r.recordUsage(used)
	}
	e := status.Evidence{Claim: status.TurnEnded, Says: "turn ended"}
	if failure != "" {
		e.Says = hud.Line("turn failed: "+failure, contracts.LimitPreview)
	} else {
		e.Said = hud.Line(said, contracts.LimitSnapshotText)
	}
	r.reportEvidence(e)
}

var _ drive.Sink = (*recorder)(nil)
