package crew

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// sink turns what a runner shows into HUD facts and stream deltas. Its lock keeps
// the facts of one turn in order.
type sink struct {
	turn   *turn
	source hud.Source
	stream contracts.StreamDelta // the members that every delta of the turn shares

	mu      sync.Mutex
	id      string // of the turn
	since   time.Time
	open    []*span // started and not ended, in order
	streams bool    // a delta was published
	closed  bool
}

// span is a think or a tool call that was started.
type span struct {
	hud.Span
	call  hud.Call // Tool is empty for thinking
	since time.Time
}

func newSink(t *turn, number uint64) *sink {
	s := &sink{turn: t}
	s.source = hud.Source{AgentID: t.work.AgentID, Session: t.name + ":" + t.work.AgentID, Rehearsal: t.name == Rehearsal}
	s.stream = contracts.StreamDelta{
		StreamID: streamID(t.work, number), AgentID: t.work.AgentID, ProjectID: t.work.Project.ProjectID, Rehearsal: t.name == Rehearsal,
	}
	if w := t.work.Task; w != nil {
		s.source.TaskID = w.Task.TaskID
		s.stream.TaskID = w.Task.TaskID
	}
	return s
}

// streamID names a stream after what it belongs to: stream_<run>_<number>.
func streamID(w contracts.Work, number uint64) string {
	base := "turn"
	switch {
	case w.Task != nil && w.Task.RunID != "":
		base = w.Task.RunID
	case w.Task != nil:
		base = w.Task.Task.TaskID
	case w.Chat != nil:
		base = fmt.Sprintf("chat_%d", w.Chat.Seq)
	case w.Plan:
		base = "plan_" + w.Project.ProjectID
	}
	return fmt.Sprintf("%s_%s_%d", contracts.PrefixStream, strings.ToLower(base), number)
}

// Progress reports how far the task is.
func (s *sink) Progress(percent int, preview string) {
	if s.isClosed() {
		return
	}
	s.turn.pulse.progress(percent, preview)
}

// Delta publishes text in pieces that a viewer can take at once.
func (s *sink) Delta(kind, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || text == "" {
		return
	}
	s.turn.pulse.touch()
	if kind != "thought" && kind != "code" {
		kind = "token" // the contract knows no other hint
	}
	text = contracts.CleanText(text)
	for text != "" {
		piece := hud.Cut(text, contracts.LimitText)
		text = text[len(piece):]
		s.publish(kind, piece, false)
	}
}

func (s *sink) publish(kind, text string, done bool) {
	s.streams = true
	s.stream.Seq++
	d := s.stream
	d.Kind, d.Delta, d.Done = kind, text, done
	s.turn.crew.Streams.PublishStream(d)
}

// Think reports a stretch of thinking.
func (s *sink) Think() func() {
	end := s.start(hud.Call{})
	return func() { end(nil) }
}

// ToolStart reports a tool call.
func (s *sink) ToolStart(tool string, args any) func(result any) {
	if tool = hud.Shorten(tool, contracts.LimitName); tool == "" {
		tool = "unnamed"
	}
	return s.start(hud.Call{Tool: tool, Args: hud.Value(args)})
}

func (s *sink) start(call hud.Call) func(result any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return func(any) {}
	}
	sp := &span{call: call, since: s.turn.crew.Now(), Span: hud.Span{Parent: s.id}}
	if call.Tool == "" {
		sp.Correlation = s.turn.crew.NewUUID()
		s.record(hud.ThinkStart(s.source, s.turn.crew.NewUUID(), sp.Span))
	} else {
		sp.Correlation = "call_" + strings.ReplaceAll(s.turn.crew.NewUUID(), "-", "")
		s.record(hud.ToolStart(s.source, s.turn.crew.NewUUID(), sp.Span, call))
	}
	s.open = append(s.open, sp)
	return func(result any) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.end(sp, result, "")
	}
}

// end closes a span once; the caller holds the lock. The failure of a tool call is
// in its result.
func (s *sink) end(sp *span, result any, failure string) {
	for i, o := range s.open {
		if o != sp {
			continue
		}
		s.open = append(s.open[:i], s.open[i+1:]...)
		took := s.turn.crew.Now().Sub(sp.since)
		id := s.turn.crew.NewUUID()
		if sp.call.Tool == "" {
			s.record(hud.ThinkEnd(s.source, id, sp.Span, took, failure))
		} else {
			end, whole := hud.ToolEnd(s.source, id, sp.Span, sp.call, result, took)
			s.keep(whole)
			s.record(end)
		}
		return
	}
}

// begin opens the turn.
func (s *sink) begin(label string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.id, s.since = s.turn.crew.NewUUID(), s.turn.crew.Now()
	s.record(hud.TurnStart(s.source, s.turn.crew.NewUUID(), hud.Span{Correlation: s.id}, label))
}

// finish closes whatever is open, newest first, then the turn and its stream.
// What a runner shows afterwards is ignored.
func (s *sink) finish(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	failure := ""
	if err != nil {
		failure = err.Error()
		if cause := context.Cause(s.turn.ctx); cause != nil && !errors.Is(cause, errStalled) {
			failure = "stopped: " + cause.Error()
		}
	}
	for len(s.open) > 0 {
		sp := s.open[len(s.open)-1]
		var result any
		if failure != "" {
			result = hud.FailedCall(sp.call, failure)
		}
		s.end(sp, result, failure)
	}
	s.closed = true
	if s.streams {
		s.publish("token", "", true)
	}
	s.record(hud.TurnEnd(s.source, s.turn.crew.NewUUID(), hud.Span{Correlation: s.id}, s.turn.crew.Now().Sub(s.since), failure))
}

// received acknowledges a message before the turn that answers it.
func (s *sink) received(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record(hud.ReceivedMessage(s.source, s.turn.crew.NewUUID(), text))
}

// keep stores the whole of a result before the fact that refers to it.
func (s *sink) keep(whole []byte) {
	if whole == nil {
		return
	}
	err := insist(s.turn.farewell, s.turn.log, "a tool result", func(ctx context.Context) error {
		s.turn.pulse.touch()
		_, err := s.turn.crew.Blobs.PutBlob(ctx, whole)
		return err
	})
	if err != nil {
		s.turn.log.Debug("the whole of a tool result was not stored", "bytes", len(whole), "error", err)
	}
}

// record hands a HUD fact over, also when the turn was stopped, because a start
// that was recorded needs its end. While the office cannot take it, the turn waits
// and is not stalled. A refusal of activity does not end the work.
func (s *sink) record(h contracts.HUD) {
	err := insist(s.turn.farewell, s.turn.log, string(h.Event), func(ctx context.Context) error {
		s.turn.pulse.touch()
		return s.turn.crew.Office.Record(ctx, contracts.HUDSeen{HUD: h})
	})
	if err != nil {
		s.turn.log.Debug("a HUD fact was not recorded", "event", h.Event, "error", err)
	}
}

func (s *sink) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

var _ Sink = (*sink)(nil)
