package translate

import (
	"errors"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/go-json-experiment/json/jsontext"
)

// streamed is one step of a run. The gateway sends it as an agent event, a session.tool event or
// both, with the same sequence number.
type streamed struct {
	RunID      string     `json:"runId"`
	Seq        int64      `json:"seq"`
	Stream     string     `json:"stream"`
	TS         int64      `json:"ts"`
	SessionKey string     `json:"sessionKey"`
	AgentID    string     `json:"agentId"`
	SpawnedBy  string     `json:"spawnedBy"`
	Data       streamData `json:"data"`
}

// streamData holds the relevant members of all kinds of streams.
type streamData struct {
	Phase      string         `json:"phase"`
	Name       string         `json:"name"`
	ToolCallID string         `json:"toolCallId"`
	Args       jsontext.Value `json:"args"`
	Result     toolResult     `json:"result"`
	IsError    bool           `json:"isError"`
	Text       string         `json:"text"` // thinking or message text so far
	Model      string         `json:"model"`
	Status     string         `json:"status"`
	StopReason string         `json:"stopReason"`
	Aborted    bool           `json:"aborted"`
	Error      jsontext.Value `json:"error"`
	StartedAt  float64        `json:"startedAt"`
	output
}

// output holds the members of the event that ends a command_output stream.
type output struct {
	Output     string   `json:"output"`
	ExitCode   *float64 `json:"exitCode"`
	DurationMS *float64 `json:"durationMs"`
}

var errNoSession = errors.New("the session is missing")

func (r *Reader) readStream(payload jsontext.Value) error {
	var e streamed
	if err := Decode(payload, &e); err != nil {
		return err
	}
	s := r.open(e.SessionKey, e.AgentID, e.SpawnedBy)
	if s == nil || e.RunID == "" {
		return errNoSession
	}
	x := s.run(e.RunID)
	if e.Seq > 0 {
		if e.Seq <= x.seq {
			return nil // a repetition, or the same step in another kind of event
		}
		if x.seq > 0 && e.Seq > x.seq+1 {
			r.reread(s.key)
		}
		x.seq = e.Seq
	}
	if e.TS <= 0 {
		e.TS = max(x.seenAt, r.now)
	}
	x.seenAt, r.skew = e.TS, e.TS-r.now
	m := mark{at: e.TS}
	if e.Stream != "thinking" && e.Stream != "run_status" {
		r.endThought(s, x, m)
	}
	if e.Stream != "command_output" && e.Stream != "item" && e.Stream != "tool" {
		r.endPending(s, x, m)
	}
	r.step(s, x, e, m)
	return nil
}

func (r *Reader) step(s *session, x *run, e streamed, m mark) {
	switch e.Stream {
	case "lifecycle":
		r.lifecycle(s, x, e.Data, m)
	case "thinking":
		r.begin(s, x, m)
		r.think(s, x, m)
		r.keepThought(x, e.Data.Text)
		r.addEvidence(s.guestID, status.Sign, "", "thinking", "Thinking")
	case "assistant":
		r.begin(s, x, m)
		x.keepText(e.Data.Text)
		r.addEvidence(s.guestID, status.Sign, "", "writing", "Writing")
	case "tool":
		r.tool(s, x, e.Data, m)
	case "command_output":
		r.commandOutput(s, x, e.Data, m)
	case "item", "usage", "approval", "run_status":
		if x.started && !x.ended {
			r.addEvidence(s.guestID, status.Sign, "", "run active", "")
		}
	}
}

// lifecycle handles a change in a run's state. A retry starts the run again; an abort is reported
// as an end and then as an error.
func (r *Reader) lifecycle(s *session, x *run, d streamData, m mark) {
	switch d.Phase {
	case "start":
		again := x.started
		x.ended = false
		r.begin(s, x, m)
		says := "run started"
		if again {
			says = "run retried"
		}
		r.addEvidence(s.guestID, status.TurnStarted, "", says, hud.Line(s.lastMessage, contracts.LimitPreview))
	case "model":
		if d.Model != "" && !x.ended {
			r.begin(s, x, m)
			r.addEvidence(s.guestID, status.Sign, "", "model call: "+hud.Line(d.Model, contracts.LimitName), "")
		}
	case "end":
		failure := ""
		if d.Aborted || d.Status == "cancelled" {
			failure = stopText(d.StopReason)
		}
		r.endRun(s, x, m, failure, failure != "")
	case "error":
		r.endRun(s, x, m, failureText(d), d.Aborted)
	}
}

// endRun ends a run and reports the end, unless the run has already ended.
func (r *Reader) endRun(s *session, x *run, m mark, failure string, aborted bool) {
	if x.ended {
		return
	}
	x.ended = !x.started // an end without a start also ends the run
	r.finish(s, x, m, failure)
	switch {
	case aborted:
		r.reportStop(s, status.Interrupted, "run stopped", "")
	case failure != "":
		r.reportStop(s, status.TurnEnded, "run failed: "+hud.Line(failure, contracts.LimitPreview), "")
	default:
		r.reportStop(s, status.TurnEnded, "run ended", x.answer)
	}
}

func failureText(d streamData) string {
	if text := textOf(d.Error); text != "" {
		return hud.Line(text, contracts.LimitNote)
	}
	return "the run failed"
}

// stopText converts the gateway's reason for stopping a run to the failure text of that run.
func stopText(reason string) string {
	switch reason {
	case "", "aborted":
		return "stopped"
	case "rpc":
		return "stopped by a client of the gateway"
	case "restart":
		return "stopped because the session was reset"
	}
	return "stopped: " + hud.Line(reason, contracts.LimitName)
}

// readChat handles a chat event that ends a run. It ignores runs that have not started, because the
// gateway reports an empty run for each message to a busy agent. The work starts later under
// another id.
func (r *Reader) readChat(payload jsontext.Value) error {
	var e struct {
		RunID        string         `json:"runId"`
		SessionKey   string         `json:"sessionKey"`
		AgentID      string         `json:"agentId"`
		State        string         `json:"state"`
		StopReason   string         `json:"stopReason"`
		ErrorMessage jsontext.Value `json:"errorMessage"`
	}
	if err := Decode(payload, &e); err != nil {
		return err
	}
	s := r.open(e.SessionKey, e.AgentID, "")
	if s == nil || s.runs[e.RunID] == nil || !s.runs[e.RunID].started {
		return nil
	}
	x := s.runs[e.RunID]
	m := mark{at: r.now + r.skew}
	switch e.State {
	case "final":
		r.endRun(s, x, m, "", false)
	case "aborted":
		r.endRun(s, x, m, stopText(e.StopReason), true)
	case "error":
		r.endRun(s, x, m, failureText(streamData{Error: e.ErrorMessage}), false)
	}
	return nil
}
