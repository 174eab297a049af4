package translate

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/go-json-experiment/json/jsontext"
)

// page is the response to chat.history.
type page struct {
	SessionKey string           `json:"sessionKey"`
	Messages   []jsontext.Value `json:"messages"`
	HasMore    bool             `json:"hasMore"`
	InFlight   struct {
		RunID string `json:"runId"`
	} `json:"inFlightRun"`
	Info row `json:"sessionInfo"`
}

// History reads the response to chat.history. It returns the facts that live events would have
// reported, marked as replay. Only usage after usageSince is reported, so that old activity does
// not add to today's cost. Runs that the gateway no longer lists as active are ended.
func (r *Reader) History(payload jsontext.Value, usageSince, now int64) ([]Finding, error) {
	r.now, r.found = now, nil
	var p page
	if err := Decode(payload, &p); err != nil {
		return nil, fmt.Errorf("read a session's history: %w", err)
	}
	s := r.open(p.SessionKey, p.Info.AgentID, p.Info.caller())
	if s == nil {
		return nil, fmt.Errorf("read a session's history: %w", errNoSession)
	}
	t := &historyReader{r: r, s: s, past: map[string]*run{}, partial: p.HasMore, usageSince: usageSince}
	t.active = slices.Clone(p.Info.ActiveRunIDs)
	if p.InFlight.RunID != "" && !slices.Contains(t.active, p.InFlight.RunID) {
		t.active = append(t.active, p.InFlight.RunID)
	}
	busy := p.Info.HasActiveRun != nil && *p.Info.HasActiveRun
	t.unknown = busy && len(t.active) == 0
	for _, raw := range p.Messages {
		var msg message
		if Decode(raw, &msg) == nil {
			t.read(&msg)
		}
	}
	t.close(nil)
	for _, id := range t.active {
		t.continueRun(id)
	}
	if p.Info.HasActiveRun != nil && !t.unknown {
		t.closeLive()
		r.reportLeft(s)
	}
	return r.found, nil
}

// historyReader reads the messages of a history. It keeps its own runs, so that live runs are not
// affected. Facts from the history and from live runs have the same ids.
type historyReader struct {
	r          *Reader
	s          *session
	past       map[string]*run
	current    *run
	last       *message // last message of the current run
	partial    bool     // the first run started before this page
	active     []string // ids of active runs
	unknown    bool     // a run is active, but the gateway does not report its id
	usageSince int64
}

func (t *historyReader) at(msg *message) mark {
	at := msg.Timestamp
	if at <= 0 {
		at = msg.Meta.RecordedAt
	}
	return mark{at: int64(at), replay: true}
}

func (t *historyReader) read(msg *message) {
	m := t.at(msg)
	switch {
	case msg.Meta.Kind == "reset":
		t.close(msg)
		t.partial = false
		h := hud.Received(t.r.source(t.s), t.r.uuid(t.s, contracts.HUDReceived, msg.Meta.ID), hud.SubtypeNewSession, "the session was reset", nil)
		t.r.joinAgent(t.s)
		t.r.addHUD(m.on(h), nil)
		return
	case msg.Role == "user":
		t.close(msg)
		t.partial = false
		t.r.received(t.s, msg, m)
		return
	case msg.Meta.RunID == "":
		return
	}
	if t.current == nil || t.current.id != msg.Meta.RunID {
		t.close(msg)
		t.current = t.past[msg.Meta.RunID]
		if t.current == nil {
			t.current = &run{id: msg.Meta.RunID, calls: map[string]*call{}, idCounts: map[string]int{}}
			t.past[msg.Meta.RunID] = t.current
		}
		t.open(m)
	}
	t.last = msg
	t.entry(msg, m)
}

// open starts a run's turn, unless the turn started before this page.
func (t *historyReader) open(m mark) {
	x := t.current
	if t.partial {
		x.started, x.since = true, 0
		return
	}
	t.r.begin(t.s, x, m)
}

// entry records the activity in a message: text, thinking, tool calls and results.
func (t *historyReader) entry(msg *message, m mark) {
	x := t.current
	for _, b := range msg.Content {
		switch b.Type {
		case "thinking":
			if !t.partial { // otherwise the number of earlier thoughts, which is part of the id, is unknown
				t.r.think(t.s, x, m)
				t.r.keepThought(x, b.Thinking)
				t.r.endThought(t.s, x, m)
			}
		case "toolCall": // contains the complete call
			at := mark{at: int64(cmp.Or(b.Timestamp, msg.Meta.RecordedAt, msg.Timestamp)), replay: true}
			t.r.beginCall(t.s, x, b.ID, hud.Call{Tool: b.Name, Args: b.Arguments}, at)
		case "toolResult":
			at := mark{at: int64(b.Timestamp), replay: true}
			t.result(b.ToolCallID, b.ToolName, toolResult{Content: b.Content, Details: b.Details}, b.IsError, at)
		}
	}
	if msg.Role == "toolResult" {
		t.result(msg.ToolCallID, msg.ToolName, toolResult{Content: msg.Content, Details: msg.Details}, msg.IsError, m)
	}
	if msg.Role == "assistant" {
		x.keepText(msg.Content.text())
		if m.at >= t.usageSince {
			t.r.reportUsage(t.s, msg)
		}
	}
}

func (t *historyReader) result(id, name string, result toolResult, failed bool, m mark) {
	c := t.r.ensureCall(t.s, t.current, id, hud.Call{Tool: name}, m)
	if c == nil || id == "" {
		return
	}
	c.pending, c.failed = &result, failed
	t.r.endCall(t.s, t.current, c, m)
}

// close ends the current run unless it is active. next is the first message after the run, or nil at
// the end of the history.
func (t *historyReader) close(next *message) {
	x := t.current
	t.current = nil
	if x == nil || t.last == nil || slices.Contains(t.active, x.id) || next == nil && t.unknown {
		return
	}
	m := t.at(t.last)
	if at := int64(t.last.Meta.RecordedAt); at > m.at {
		m.at = at
	}
	failure := ""
	switch t.last.StopReason {
	case "error":
		if failure = textOf(t.last.ErrorMessage); failure == "" {
			failure = t.last.Content.text()
		}
		failure = hud.Line(failure, contracts.LimitNote)
	case "aborted":
		failure = stopText("")
	}
	known := x.since
	t.r.finish(t.s, x, m, failure)
	if known == 0 && len(t.r.found) > 0 { // the turn started before this page, so its duration is unknown
		if seen, ok := t.r.found[len(t.r.found)-1].Fact.(contracts.HUDSeen); ok && seen.HUD.Event == contracts.HUDTurnEnd {
			seen.HUD.DurationMS = nil
			t.r.found[len(t.r.found)-1].Fact = seen
		}
	}
}

// continueRun copies an active run's state from the history to the live run.
func (t *historyReader) continueRun(id string) {
	live, past := t.s.run(id), t.past[id]
	if past != nil {
		live.started = live.started || past.started
		live.since = max(live.since, past.since)
		live.thoughts = max(live.thoughts, past.thoughts)
		live.answer = cmp.Or(live.answer, past.answer)
		for call, c := range past.calls {
			if live.calls[call] == nil {
				live.calls[call] = c
				live.idCounts[call] = max(live.idCounts[call], past.idCounts[call])
				if !c.ended {
					live.open = append(live.open, call)
				}
			}
		}
	}
	if live.ended {
		return
	}
	t.r.begin(t.s, live, mark{at: t.r.now + t.r.skew})
	t.r.addEvidence(t.s.guestID, status.TurnStarted, "", "run active", t.s.lastMessage)
}

// closeLive ends live runs that the gateway no longer lists as active: their end events were missed
// and may be absent from the history.
func (t *historyReader) closeLive() {
	for _, id := range t.s.order {
		x := t.s.runs[id]
		if x.started && !x.ended && !slices.Contains(t.active, id) {
			failure := hud.NoEnd
			if t.past[id] != nil {
				failure = ""
			}
			t.r.endRun(t.s, x, mark{at: t.r.now + t.r.skew}, failure, false)
		}
	}
}
