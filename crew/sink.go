package crew

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/bullpen-office/bullpen/activity"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// sink is what a runner sees of its turn.
type sink struct {
	*activity.Turn
	turn    *turn
	metered bool // the turn's usage is recorded on its own
}

func newSink(t *turn, number uint64) *sink {
	rehearsal := t.name == Rehearsal
	source := hud.Source{AgentID: t.work.AgentID, Session: t.name + ":" + t.work.AgentID, Rehearsal: rehearsal, Origin: t.work.Key, Roots: t.crew.Roots(t.work.AgentID)}
	stream := contracts.StreamDelta{StreamID: streamID(t.work, number), AgentID: t.work.AgentID, ProjectID: t.work.Project.ProjectID, Rehearsal: rehearsal}
	if w := t.work.Task; w != nil {
		source.TaskID, stream.TaskID = w.Task.TaskID, w.Task.TaskID
	}
	s := &sink{turn: t}
	s.Turn = activity.NewTurn(activity.Log{
		Record: s.record, Keep: s.keep, Publish: t.crew.Streams.PublishStream, NewUUID: t.crew.NewUUID, Now: t.crew.Now,
	}, source, stream)
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
	if !s.Closed() {
		s.turn.pulse.progress(percent, preview)
	}
}

// Delta shows text, which is a sign of life.
func (s *sink) Delta(kind, text string) {
	s.turn.pulse.touch()
	s.Turn.Delta(kind, text)
}

// ToolStart reports a tool call.
func (s *sink) ToolStart(tool string, args any) func(result any) {
	return s.Turn.ToolStart("", tool, args)
}

// finish ends the turn's activity and records what was said and used. What a runner shows
// afterwards is ignored.
func (s *sink) finish(said string, err error) {
	if s.ID() == "" {
		return // it was refused before it began
	}
	failure := ""
	if err != nil {
		failure = err.Error()
		if cause := context.Cause(s.turn.ctx); cause != nil && !errors.Is(cause, errStalled) {
			failure = "stopped: " + cause.Error()
		}
	}
	used, reported := s.turn.crew.meter.take(s.turn)
	s.metered = reported
	if !reported {
		s.End(activity.Outcome{Failure: failure, Said: said})
		return
	}
	s.End(activity.Outcome{Failure: failure, Said: said, Usage: &used})
	s.turn.settleUsage(used)
}

// keep stores the whole of a result before the fact that refers to it.
func (s *sink) keep(whole []byte) {
	err := activity.Insist(s.turn.farewell, s.turn.log, "a tool result", func(ctx context.Context) error {
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
	err := activity.Insist(s.turn.farewell, s.turn.log, string(h.Event), func(ctx context.Context) error {
		s.turn.pulse.touch()
		return s.turn.crew.Office.Record(ctx, contracts.HUDSeen{HUD: h})
	})
	if err != nil {
		s.turn.log.Debug("a HUD fact was not recorded", "event", h.Event, "error", err)
	}
}

var _ Sink = (*sink)(nil)
