package agui

import (
	"fmt"
	"testing"

	"github.com/go-json-experiment/json"
)

// rules checks a sequence against the rules of AG-UI's own client (verifyEvents of
// @ag-ui/client 1.0.0): what must be open, what must not be open, and who may close it.
type rules struct {
	begun, running bool
	messages       map[string]bool
	calls          map[string]bool
	spans, thinks  map[string]string // id to owner
	steps          map[string]bool
	callers        map[string]string // call id to owner, for every call of the run
}

func (r *rules) take(e Event) error {
	if !r.begun && e.Type != RunStarted && e.Type != RunError {
		return fmt.Errorf("the first event is %s", e.Type)
	}
	if r.begun && !r.running && e.Type != RunStarted {
		return fmt.Errorf("%s outside of a run", e.Type)
	}
	if e.Timestamp == 0 {
		return fmt.Errorf("%s has no time", e.Type)
	}
	r.begun = true
	switch e.Type {
	case RunStarted:
		if r.running {
			return fmt.Errorf("a run starts inside a run")
		}
		*r = rules{begun: true, running: true, messages: map[string]bool{}, calls: map[string]bool{}, spans: map[string]string{}, thinks: map[string]string{}, steps: map[string]bool{}, callers: map[string]string{}}
		return want(e.ThreadID, e.RunID)
	case RunFinished:
		if n := len(r.messages) + len(r.calls) + len(r.spans) + len(r.thinks) + len(r.steps); n > 0 {
			return fmt.Errorf("a run finishes with %d things open: %+v", n, r)
		}
		r.running = false
		return want(e.ThreadID, e.RunID)
	case RunError:
		r.running = false
		return want(e.Message, e.Code)
	case TextMessageStart, TextMessageContent, TextMessageEnd:
		return bracket(r.messages, e.MessageID, e.Type == TextMessageStart, e.Type == TextMessageEnd)
	case ToolCallStart, ToolCallArgs, ToolCallEnd:
		if owner, known := r.callers[e.ToolCallID]; known && owner != e.SubagentRunID {
			return fmt.Errorf("the call %s of %q continues as %q", e.ToolCallID, owner, e.SubagentRunID)
		}
		r.callers[e.ToolCallID] = e.SubagentRunID
		return bracket(r.calls, e.ToolCallID, e.Type == ToolCallStart, e.Type == ToolCallEnd)
	case StepStarted, StepFinished:
		return bracket(r.steps, e.SubagentRunID+"\x00"+e.StepName, e.Type == StepStarted, e.Type == StepFinished)
	case ReasoningStart, ReasoningEnd:
		return owned(r.spans, e, e.Type == ReasoningStart, e.Type == ReasoningEnd)
	case ReasoningMessageStart, ReasoningMessageText, ReasoningMessageEnd:
		return owned(r.thinks, e, e.Type == ReasoningMessageStart, e.Type == ReasoningMessageEnd)
	case ToolCallResult:
		if e.Content.Kind() != '"' {
			return fmt.Errorf("the content is %s", e.Content)
		}
		return want(e.MessageID, e.ToolCallID)
	case Custom:
		return want(e.Name, string(e.Value))
	case ActivitySnapshot:
		return want(e.MessageID, e.ActivityType, string(e.Content))
	case StateSnapshot:
		return want(string(e.Snapshot))
	}
	return fmt.Errorf("%q is not an event", e.Type)
}

func want(fields ...string) error {
	for i, f := range fields {
		if f == "" {
			return fmt.Errorf("required field %d is empty", i)
		}
	}
	return nil
}

func bracket(open map[string]bool, id string, starts, ends bool) error {
	if id == "" || open[id] == starts {
		return fmt.Errorf("%q: start %v while open %v", id, starts, open[id])
	}
	if starts {
		open[id] = true
	}
	if ends {
		delete(open, id)
	}
	return nil
}

func owned(open map[string]string, e Event, starts, ends bool) error {
	owner, is := open[e.MessageID]
	if e.MessageID == "" || is == starts {
		return fmt.Errorf("%q: start %v while open %v", e.MessageID, starts, is)
	}
	if !starts && owner != e.SubagentRunID {
		return fmt.Errorf("%q was opened by %q and continues as %q", e.MessageID, owner, e.SubagentRunID)
	}
	if starts {
		open[e.MessageID] = e.SubagentRunID
	}
	if ends {
		delete(open, e.MessageID)
	}
	return nil
}

// checkRules fails the test if a sequence breaks a rule.
func checkRules(t interface{ Fatalf(string, ...any) }, events []Event) *rules {
	r := &rules{}
	for i, e := range events {
		if err := r.take(e); err != nil {
			shown, _ := json.Marshal(events[max(0, i-6) : i+1])
			t.Fatalf("event %d (%s): %v\n%s", i, e.Type, err, shown)
		}
	}
	return r
}

func TestRulesAreStrict(t *testing.T) {
	for name, bad := range map[string][]Event{
		"no run":     {{Type: Custom, Timestamp: 1, Name: "x", Value: []byte("1")}},
		"two runs":   {{Type: RunStarted, Timestamp: 1, ThreadID: "t", RunID: "a"}, {Type: RunStarted, Timestamp: 1, ThreadID: "t", RunID: "b"}},
		"open think": {{Type: RunStarted, Timestamp: 1, ThreadID: "t", RunID: "a"}, {Type: ReasoningStart, Timestamp: 1, MessageID: "m"}, {Type: RunFinished, Timestamp: 1, ThreadID: "t", RunID: "a"}},
	} {
		r, failed := &rules{}, false
		for _, e := range bad {
			failed = failed || r.take(e) != nil
		}
		if !failed {
			t.Errorf("%s passed", name)
		}
	}
}
