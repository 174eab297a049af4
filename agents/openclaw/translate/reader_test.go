package translate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/go-json-experiment/json/jsontext"
)

// ids counts how often each fact was found, by event and id.
func ids(found []Finding) map[string]int {
	seen := map[string]int{}
	for _, f := range found {
		if fact, ok := f.Fact.(contracts.HUDSeen); ok {
			seen[string(fact.HUD.Event)+" "+fact.HUD.UUID]++
		}
		if fact, ok := f.Fact.(contracts.UsageSeen); ok {
			seen["usage "+fact.Key]++
		}
	}
	return seen
}

// The live events and the history of a session produce the same facts, each exactly once.
func TestLiveAndHistoryAreOneRecord(t *testing.T) {
	for _, name := range []string{"tools", "fail"} {
		r, _ := readerWithAgents(t)
		live := ids(play(t, r, recorded(t, name+".jsonl")))
		again, err := r.History(answer(t, name+"_history.json"), 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		past := ids(again)
		for id, n := range past {
			if live[id] != 1 || n != 1 {
				t.Errorf("%s: %s was found %d times live and %d times in the history", name, id, live[id], n)
			}
		}
		if len(past) != len(live) {
			t.Errorf("%s: %d facts live, %d in the history", name, len(live), len(past))
		}
	}
}

// Wherever the connection is cut, the history supplies the missing facts, and no fact appears again
// under another id.
func TestHistoryFillsEveryGap(t *testing.T) {
	frames := recorded(t, "tools.jsonl")
	r, _ := readerWithAgents(t)
	whole := ids(play(t, r, frames))
	for cut := range frames {
		r, _ := readerWithAgents(t)
		got := ids(play(t, r, frames[:cut]))
		found, err := r.History(answer(t, "tools_history.json"), 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		for id := range ids(found) {
			got[id] = 1
		}
		for id := range got {
			if whole[id] == 0 {
				t.Fatalf("cut after frame %d: %s is not in the uninterrupted run", cut, id)
			}
		}
		if len(got) != len(whole) {
			t.Fatalf("cut after frame %d: %d facts, want %d", cut, len(got), len(whole))
		}
		if busy := r.Running("agent_openclaw_main"); len(busy) != 0 {
			t.Fatalf("cut after frame %d: still running %v", cut, busy)
		}
	}
}

// Repeated frames produce no new facts.
func TestRepeatedFramesGiveNothingNew(t *testing.T) {
	r, _ := readerWithAgents(t)
	var doubled []Frame
	for _, f := range recorded(t, "abort.jsonl") {
		doubled = append(doubled, f, f)
	}
	for id, n := range ids(play(t, r, doubled)) {
		if n != 1 && !strings.HasPrefix(id, "received") && !strings.HasPrefix(id, "usage") {
			t.Errorf("%s was found %d times", id, n)
		}
	}
}

func event(stream string, seq int, data string) jsontext.Value {
	return jsontext.Value(fmt.Sprintf(`{"runId":"r1","seq":%d,"stream":%q,"ts":%d,"sessionKey":"agent:main:Main","agentId":"main","data":%s}`, seq, stream, 1000+seq, data))
}

// events plays steps of one run and returns the facts and claims found in them.
func events(t *testing.T, r *Reader, steps ...jsontext.Value) (facts, claims []string) {
	t.Helper()
	for _, step := range steps {
		found, err := r.Event("agent", step, 5)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			switch {
			case f.Evidence != nil:
				claims = append(claims, string(f.Evidence.Claim))
			case f.Reread != "":
				claims = append(claims, "reread "+f.Reread)
			case f.Fact != nil:
				facts = append(facts, string(f.Fact.(contracts.HUDSeen).HUD.Event))
			}
		}
	}
	return facts, claims
}

// A retry restarts a run, and the agent works again, but there is still only one turn.
func TestRetryIsOneTurn(t *testing.T) {
	r := NewReader(Gateway{})
	facts, claims := events(t, r,
		event("lifecycle", 1, `{"phase":"start"}`), event("lifecycle", 2, `{"phase":"error","error":"overloaded"}`),
		event("lifecycle", 3, `{"phase":"start"}`), event("lifecycle", 4, `{"phase":"end"}`))
	if want := []string{"turn_start", "turn_end", "turn_end"}; !slices.Equal(facts, want) { // the second end has the same id as the first
		t.Errorf("facts %v, want %v", facts, want)
	}
	if want := []string{"turn_started", "turn_ended", "turn_started", "turn_ended"}; !slices.Equal(claims, want) {
		t.Errorf("claims %v, want %v", claims, want)
	}
}

// A gap in the sequence numbers of a run makes the reader request the history.
func TestGapAsksForHistory(t *testing.T) {
	r := NewReader(Gateway{})
	_, claims := events(t, r, event("lifecycle", 1, `{"phase":"start"}`), event("thinking", 4, `{"text":"x"}`))
	if !slices.Contains(claims, "reread agent:main:main") {
		t.Errorf("claims %v", claims)
	}
}

// If an agent is busy, the gateway immediately reports a final state for a new message. That report
// does not count as a turn.
func TestMessageToABusyAgentIsNotATurn(t *testing.T) {
	r := NewReader(Gateway{})
	found, err := r.Event("chat", jsontext.Value(`{"runId":"k-busy","sessionKey":"agent:main:main","seq":1,"state":"final"}`), 1)
	if err != nil || len(found) != 0 {
		t.Errorf("%v %v", found, err)
	}
}

// The exit code may arrive after the result, instead of the result, or not at all.
func TestExitCodeIsMerged(t *testing.T) {
	start := event("tool", 1, `{"phase":"start","name":"exec","toolCallId":"c","args":{"command":"make"}}`)
	result := event("tool", 2, `{"phase":"result","name":"exec","toolCallId":"c","result":{"content":[{"type":"text","text":"out"}]}}`)
	output := event("command_output", 3, `{"phase":"end","toolCallId":"c","output":"out","exitCode":2,"durationMs":40}`)
	for name, c := range map[string]struct {
		steps []jsontext.Value
		want  string
	}{
		"after":   {[]jsontext.Value{start, result, output}, `"exitCode":2`},
		"never":   {[]jsontext.Value{start, result, event("assistant", 4, `{"text":"x"}`)}, `"exitCode":0`},
		"instead": {[]jsontext.Value{start, output, event("lifecycle", 5, `{"phase":"end"}`)}, `"exitCode":2`},
	} {
		r := NewReader(Gateway{})
		var ends []string
		for _, step := range c.steps {
			found, err := r.Event("session.tool", step, 1)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range found {
				if h, ok := f.Fact.(contracts.HUDSeen); ok && h.HUD.Event == contracts.HUDToolEnd {
					ends = append(ends, string(h.HUD.Result))
				}
			}
		}
		if len(ends) != 1 || !strings.Contains(ends[0], c.want) || !strings.Contains(ends[0], `"stdout":"out"`) {
			t.Errorf("%s: %v", name, ends)
		}
	}
}

// Missing starts and ends of turns and calls are added.
func TestMissingStartsAndEndsAreAdded(t *testing.T) {
	r := NewReader(Gateway{})
	facts, _ := events(t, r, event("tool", 7, `{"phase":"result","name":"read","toolCallId":"c"}`), event("tool", 8, `{"phase":"start","name":"read","toolCallId":"d"}`), event("lifecycle", 9, `{"phase":"end"}`))
	want := []string{"turn_start", "tool_start", "tool_end", "tool_start", "tool_end", "turn_end"}
	if !slices.Equal(facts, want) {
		t.Errorf("facts %v, want %v", facts, want)
	}
}

// An agent keeps working when one of its two sessions ends.
func TestAgentWorksWhileOneSessionEnds(t *testing.T) {
	r := NewReader(Gateway{})
	other := jsontext.Value(`{"runId":"r2","seq":1,"stream":"lifecycle","ts":1,"sessionKey":"agent:main:other","agentId":"main","data":{"phase":"start"}}`)
	_, claims := events(t, r, event("lifecycle", 1, `{"phase":"start"}`), other, event("lifecycle", 2, `{"phase":"end"}`))
	if want := []string{string(status.TurnStarted), string(status.TurnStarted), string(status.Sign)}; !slices.Equal(claims, want) {
		t.Errorf("claims %v, want %v", claims, want)
	}
}

func TestGuestIDs(t *testing.T) {
	one, two := Gateway{}, Gateway{Tag: TagOf("ws://b")}
	seen := map[string]string{}
	for _, id := range []string{"main", "my-agent", "my_agent", "My-Agent", "日本", "", "--", strings.Repeat("x", 300), strings.Repeat("x", 301)} {
		for _, g := range []Gateway{one, two} {
			guest := g.GuestID(id)
			if !contracts.HasPrefix(guest, contracts.PrefixAgent) {
				t.Errorf("%q gives %q, which is not an id", id, guest)
			}
			if before, twice := seen[guest]; twice {
				t.Errorf("%q and %q are both %q", before, id, guest)
			}
			seen[guest] = id
		}
	}
	if one.GuestID("main") != "agent_openclaw_main" {
		t.Error(one.GuestID("main"))
	}
}

// A reader's memory is bounded, whatever a gateway sends.
func TestMemoryIsBounded(t *testing.T) {
	r := NewReader(Gateway{})
	for i := range 3 * contracts.LimitGatewaySessions {
		payload := fmt.Sprintf(`{"runId":"r%d","seq":1,"stream":"lifecycle","ts":1,"sessionKey":"agent:a%d:s%d","data":{"phase":"start"}}`, i, i, i)
		if _, err := r.Event("agent", jsontext.Value(payload), 1); err != nil {
			t.Fatal(err)
		}
	}
	if len(r.sessions) > contracts.LimitGatewaySessions || len(r.order) != len(r.sessions) || len(r.agents) > contracts.LimitGuests {
		t.Errorf("%d sessions, %d agents", len(r.sessions), len(r.agents))
	}
	for i := range 3 * contracts.LimitGatewayRuns {
		payload := fmt.Sprintf(`{"runId":"r%d","seq":1,"stream":"tool","ts":1,"sessionKey":"agent:main:main","data":{"phase":"start","toolCallId":"c%d","name":"x"}}`, i, i)
		if _, err := r.Event("agent", jsontext.Value(payload), 1); err != nil {
			t.Fatal(err)
		}
	}
	if s := r.sessions["agent:main:main"]; len(s.runs) > contracts.LimitGatewayRuns || len(s.order) != len(s.runs) {
		t.Errorf("%d runs", len(s.runs))
	}
	for i := range 3 * contracts.LimitGatewayCalls {
		if _, err := r.Event("agent", event("tool", i+1, fmt.Sprintf(`{"phase":"start","toolCallId":"c%d","name":"x"}`, i)), 1); err != nil {
			t.Fatal(err)
		}
	}
}

// Session keys are case-insensitive.
func TestSessionKeysAreLowerCase(t *testing.T) {
	r := NewReader(Gateway{})
	events(t, r, event("lifecycle", 1, `{"phase":"start"}`))
	if got := r.Running("agent_openclaw_main"); !slices.Equal(got, []string{"agent:main:main"}) {
		t.Errorf("running %v", got)
	}
}

// No input makes the reader panic or return a fact that cannot be recorded.
func FuzzEvent(f *testing.F) {
	for _, name := range []string{"agent", "session.tool", "chat", "session.message", "sessions.changed", "exec.approval.requested", "exec.approval.resolved"} {
		f.Add(name, []byte(event("tool", 1, `{"phase":"result","result":{"content":7,"details":[]},"exitCode":1e99}`)))
		f.Add(name, []byte(`{"sessionKey":"agent:a:b","message":{"role":"user","content":[{"type":"text","text":"\ud800"}]},"id":"x","request":{"agentId":"a"}}`))
	}
	f.Fuzz(func(t *testing.T, name string, payload []byte) {
		r := NewReader(Gateway{})
		for range 2 {
			found, _ := r.Event(name, payload, 1)
			past, _ := r.History(payload, 0, 1)
			for _, f := range append(found, past...) {
				if fact, ok := f.Fact.(contracts.HUDSeen); ok {
					if _, err := contracts.NewRecord(1, 0, "", &fact.HUD); err != nil || !contracts.HasPrefix(fact.HUD.AgentID, contracts.PrefixAgent) {
						t.Fatalf("%+v: %v", fact.HUD, err)
					}
				}
			}
		}
		r.Agents(payload, 1)
		r.Sessions(payload, 1)
		r.Approvals(payload, 1)
	})
}

// The thinking text, live or from history, is kept only if KeepThinking is set.
func TestThinkingIsKeptOnlyIfConfigured(t *testing.T) {
	for _, keep := range []bool{false, true} {
		live, past := NewReader(Gateway{KeepThinking: keep}), NewReader(Gateway{KeepThinking: keep})
		found := play(t, live, recorded(t, "tools.jsonl"))
		history, err := past.History(answer(t, "tools_history.json"), 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, list := range [][]Finding{found, history} {
			thoughts := 0
			for _, f := range list {
				h, ok := f.Fact.(contracts.HUDSeen)
				if ok && h.HUD.Event == contracts.HUDThinkEnd && strings.Contains(string(h.HUD.Result), "Let me think.") {
					thoughts++
				}
			}
			if keep != (thoughts == 4) || !keep && thoughts > 0 {
				t.Errorf("keep %v: %d thoughts", keep, thoughts)
			}
		}
	}
}

// The history of a helper whose task is over reports that the helper has ended.
func TestHelperOfHistoryLeaves(t *testing.T) {
	r := NewReader(Gateway{})
	found, err := r.History(jsontext.Value(`{"sessionKey":"agent:main:subagent:1","sessionInfo":{"hasActiveRun":false,"spawnedBy":"agent:main:main"},"messages":[
		{"role":"assistant","content":"done","stopReason":"stop","timestamp":1,"__openclaw":{"id":"m","runId":"r"}}]}`), 0, 1)
	if err != nil || len(found) == 0 {
		t.Fatal(found, err)
	}
	last := found[len(found)-1]
	if last.Evidence == nil || last.Evidence.Claim != status.Ended || last.AgentID == "agent_openclaw_main" {
		t.Errorf("the last finding is %+v", last)
	}
}
