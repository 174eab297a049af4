package agui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/bullpen-office/bullpen/contracts"
)

const now = 1_800_000_000_000

func record(t interface{ Fatal(...any) }, seq uint64, body contracts.Body) contracts.Record {
	rec, err := contracts.NewRecord(seq, now+int64(seq), "", body)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func fact(event contracts.HUDEvent, correlation string, more ...func(*contracts.HUD)) *contracts.HUD {
	h := &contracts.HUD{Event: event, CorrelationID: correlation, AgentID: "agent_eng_1", Session: "s1"}
	if event == contracts.HUDToolStart || event == contracts.HUDToolEnd {
		h.Tool = "read"
	}
	for _, f := range more {
		f(h)
	}
	return h
}

func result(v string) func(*contracts.HUD) {
	return func(h *contracts.HUD) { h.Result = jsontext.Value(v) }
}
func of(agent, session string) func(*contracts.HUD) {
	return func(h *contracts.HUD) { h.AgentID, h.Session = agent, session }
}

// play maps bodies from the beginning and returns a summary of each event.
func play(t *testing.T, m *Mapper, bodies ...contracts.Body) []string {
	t.Helper()
	events := m.Begin(now, nil)
	for i, b := range bodies {
		if h, ok := b.(*contracts.HUD); ok && h.UUID == "" {
			h.UUID = fmt.Sprintf("u%d", i)
		}
		rec := record(t, uint64(i+1), b)
		events = append(events, m.Map(&rec)...)
	}
	checkRules(t, events)
	var short []string
	for _, e := range events {
		short = append(short, strings.TrimSpace(strings.Join([]string{string(e.Type), e.ThreadID, e.RunID, e.StepName, e.MessageID, e.ToolCallID, e.Name, e.Delta, string(e.Content), e.Message}, " ")))
	}
	for i := range short {
		short[i] = strings.Join(strings.Fields(short[i]), " ")
	}
	return short
}

func same(t *testing.T, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

const began, finished = "RUN_STARTED agent_eng_1 run_begin", "RUN_FINISHED agent_eng_1 run_begin"

func TestTurnIsARun(t *testing.T) {
	price := 0.25
	end := fact(contracts.HUDTurnEnd, "turn")
	end.Usage = &contracts.Usage{Model: "m", TokensIn: 10, TokensOut: 5, CacheRead: 100, CostUSD: &price}
	m := NewMapper(Scope{AgentID: "agent_eng_1"})
	got := play(t, m,
		fact(contracts.HUDTurnStart, "turn"),
		fact(contracts.HUDThinkStart, "th"), fact(contracts.HUDThinkEnd, "th"),
		fact(contracts.HUDToolStart, "call_1", func(h *contracts.HUD) { h.Args = []byte(`{"path":"a"}`) }),
		fact(contracts.HUDToolEnd, "call_1", result(`{"ok":true}`)),
		fact(contracts.HUDToolEnd, "call_1", result(`{"ok":true}`)), // idempotent
		fact(contracts.HUDReceived, "", func(h *contracts.HUD) { h.Subtype = "stop" }),
		end, fact(contracts.HUDTurnEnd, "turn"))
	same(t, got, began, finished,
		"RUN_STARTED s1 turn",
		"REASONING_START u1", "REASONING_MESSAGE_START u1", "REASONING_MESSAGE_END u1", "REASONING_END u1",
		`TOOL_CALL_START call_1`, `TOOL_CALL_ARGS call_1 {"path":"a"}`, "TOOL_CALL_END call_1",
		`TOOL_CALL_RESULT u4 call_1 "{\"ok\":true}"`,
		"CUSTOM bullpen.received",
		"RUN_FINISHED s1 turn")
	rec := record(t, 99, end)
	events := m.Map(&rec)
	if len(events) != 0 {
		t.Errorf("a second end gave %v", events)
	}
	if u := usage(end.Usage); u[0].InputTokens != 110 || u[0].CachedInputTokens != 100 || u[0].OutputTokens != 5 {
		t.Errorf("usage %+v", u)
	}
}

func TestFailedTurnIsAnError(t *testing.T) {
	got := play(t, NewMapper(Scope{AgentID: "agent_eng_1"}),
		fact(contracts.HUDTurnStart, "t"), fact(contracts.HUDThinkStart, "th"),
		fact(contracts.HUDTurnEnd, "t", result(`{"ok":false,"error":"no money"}`)))
	same(t, got, began, finished, "RUN_STARTED s1 t", "REASONING_START u1", "REASONING_MESSAGE_START u1",
		"REASONING_MESSAGE_END u1", "REASONING_END u1", "RUN_ERROR no money")
}

// Incomplete activity (ends without starts, starts without ends, calls outside of turns) still
// produces valid event sequences.
func TestIncompleteActivity(t *testing.T) {
	for _, c := range []struct {
		name   string
		bodies []contracts.Body
		want   []string
	}{
		{"call outside of a turn", []contracts.Body{fact(contracts.HUDToolStart, "c"), fact(contracts.HUDToolEnd, "c")},
			[]string{"RUN_STARTED s1 run_u0", "TOOL_CALL_START c", "TOOL_CALL_END c", `TOOL_CALL_RESULT u1 c ""`, "RUN_FINISHED s1 run_u0"}},
		{"end of a call without a start", []contracts.Body{fact(contracts.HUDToolEnd, "c")},
			[]string{"RUN_STARTED s1 run_u0", "TOOL_CALL_START c", "TOOL_CALL_END c", `TOOL_CALL_RESULT u0 c ""`, "RUN_FINISHED s1 run_u0"}},
		{"end of a turn without a start", []contracts.Body{fact(contracts.HUDTurnEnd, "t")},
			[]string{"RUN_STARTED s1 t", "RUN_FINISHED s1 t"}},
		{"turn without an end", []contracts.Body{fact(contracts.HUDTurnStart, "a"), fact(contracts.HUDTurnStart, "b"), fact(contracts.HUDTurnEnd, "a")},
			[]string{"RUN_STARTED s1 a", "RUN_ERROR The end of the turn was not reported.", "RUN_STARTED s1 b"}},
		{"calls without ids pair in order", []contracts.Body{fact(contracts.HUDToolStart, ""), fact(contracts.HUDToolStart, ""), fact(contracts.HUDToolEnd, ""), fact(contracts.HUDToolEnd, "")},
			[]string{"RUN_STARTED s1 run_u0", "TOOL_CALL_START u0", "TOOL_CALL_END u0", "TOOL_CALL_START u1", "TOOL_CALL_END u1",
				`TOOL_CALL_RESULT u2 u0 ""`, `TOOL_CALL_RESULT u3 u1 ""`, "RUN_FINISHED s1 run_u0"}},
		{"result after its turn", []contracts.Body{fact(contracts.HUDTurnStart, "t"), fact(contracts.HUDToolStart, "c"), fact(contracts.HUDTurnEnd, "t"), fact(contracts.HUDToolEnd, "c")},
			[]string{"RUN_STARTED s1 t", "TOOL_CALL_START c", "TOOL_CALL_END c", "RUN_FINISHED s1 t", "RUN_STARTED s1 run_u3", `TOOL_CALL_RESULT u3 c ""`, "RUN_FINISHED s1 run_u3"}},
		{"message", []contracts.Body{&contracts.Chat{ThreadID: "bd_main", From: "agent_eng_1", To: "user", Text: "Done."}},
			[]string{"RUN_STARTED agent_eng_1 run_chat_s1", "TEXT_MESSAGE_START chat_s1 agent_eng_1", "TEXT_MESSAGE_CONTENT chat_s1 Done.", "TEXT_MESSAGE_END chat_s1", "RUN_FINISHED agent_eng_1 run_chat_s1"}},
		{"of another agent", []contracts.Body{fact(contracts.HUDToolEnd, "c", of("agent_bd", "s")), &contracts.Chat{From: "agent_bd", To: "user", Text: "x"}, &contracts.UI{Name: "abstract.status", Kind: contracts.UIStatus, AgentID: "agent_bd", Raw: []byte(`1`)},
			&contracts.Event{Name: contracts.EventTaskDone, AgentID: "agent_bd"}}, nil},
		{"ignored workflow event", []contracts.Body{&contracts.UI{Name: "abstract.nothing", AgentID: "agent_eng_1", Raw: []byte(`1`), Ignored: "unknown name"}}, nil},
		{"status", []contracts.Body{&contracts.Event{Name: contracts.EventAgentStatus, AgentID: "agent_eng_1", Status: &contracts.AgentStatus{AgentID: "agent_eng_1", Activity: contracts.ActivityIdle, Why: "w", Authority: contracts.FromHook}}},
			[]string{"RUN_STARTED agent_eng_1 run_evt_s1", `ACTIVITY_SNAPSHOT status_agent_eng_1 {"agent_id":"agent_eng_1","activity":"idle","why":"w","authority":"hook"}`, "RUN_FINISHED agent_eng_1 run_evt_s1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			same(t, play(t, NewMapper(Scope{AgentID: "agent_eng_1"}), c.bodies...), append([]string{began, finished}, c.want...)...)
		})
	}
}

// In the office stream, overlapping turns are steps of one run.
func TestOfficeIsOneRun(t *testing.T) {
	other := of("agent_bd", "s2")
	got := play(t, NewMapper(Scope{}),
		fact(contracts.HUDTurnStart, "a"), fact(contracts.HUDTurnStart, "b", other), fact(contracts.HUDTurnEnd, "a"),
		fact(contracts.HUDTurnEnd, "b", other, result(`{"ok":false,"error":"no"}`)), &contracts.Event{Name: contracts.EventTaskDone, TaskID: "task_a"})
	same(t, got, "RUN_STARTED office office", "STEP_STARTED agent_eng_1/a", "STEP_STARTED agent_bd/b", "STEP_FINISHED agent_eng_1/a",
		"CUSTOM bullpen.turn_failed", "STEP_FINISHED agent_bd/b", "CUSTOM bullpen.task_done")
}

// anyBody returns a random body that a ledger may contain.
func anyBody(t *rapid.T, i int) contracts.Body {
	agent := rapid.SampledFrom([]string{"agent_a", "agent_b", ""}).Draw(t, "agent")
	session := rapid.SampledFrom([]string{"s1", "s2", ""}).Draw(t, "session")
	switch rapid.IntRange(0, 11).Draw(t, "kind") {
	case 0:
		return &contracts.Chat{From: agent, To: "user", Text: rapid.String().Draw(t, "text")}
	case 1:
		return &contracts.UI{Name: "abstract.status", Kind: contracts.UIStatus, AgentID: agent, Session: session, Raw: []byte(`{}`)}
	case 2:
		return &contracts.Event{Name: contracts.EventTaskDone, AgentID: agent}
	}
	return &contracts.HUD{
		UUID: fmt.Sprintf("uuid-%d", i), AgentID: agent, Session: session, Tool: rapid.SampledFrom([]string{"read", "exec", ""}).Draw(t, "tool"),
		CorrelationID: rapid.SampledFrom([]string{"", "x", "y", "z"}).Draw(t, "correlation"),
		Result:        jsontext.Value(rapid.SampledFrom([]string{`null`, `{"ok":false}`, `{"text":"t"}`, `"plain"`, `[1]`}).Draw(t, "result")),
		Event: rapid.SampledFrom([]contracts.HUDEvent{contracts.HUDTurnStart, contracts.HUDTurnEnd, contracts.HUDThinkStart, contracts.HUDThinkEnd,
			contracts.HUDToolStart, contracts.HUDToolEnd, contracts.HUDReceived, "nonsense"}).Draw(t, "event"),
	}
}

// Every sequence is valid, whatever the ledger contains and wherever a client begins.
func TestEverySequenceIsValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scope := rapid.SampledFrom([]Scope{{}, {AgentID: "agent_a"}, {Session: "s1"}, {AgentID: "agent_a", Session: "s1"}}).Draw(t, "scope")
		m := NewMapper(scope)
		n := rapid.IntRange(0, 60).Draw(t, "records")
		begin := rapid.IntRange(0, n).Draw(t, "begin")
		var events []Event
		for i := range n {
			if i == begin {
				events = m.Begin(now, []byte(`{}`))
			}
			rec := record(t, uint64(i+1), anyBody(t, i))
			if got := m.Map(&rec); i >= begin {
				events = append(events, got...)
			}
		}
		checkRules(t, events)
	})
}

// Turns that never end do not accumulate.
func TestMemoryIsBounded(t *testing.T) {
	m := NewMapper(Scope{})
	events := m.Begin(now, nil)
	for i := range 3 * contracts.LimitExportOpen {
		for _, event := range []contracts.HUDEvent{contracts.HUDTurnStart, contracts.HUDToolStart, contracts.HUDThinkStart} {
			h := fact(event, fmt.Sprintf("%s-%d", event, i), of("agent_a", fmt.Sprintf("s%d", i)))
			h.UUID = fmt.Sprintf("u-%s-%d", event, i)
			rec := record(t, uint64(i+1), h)
			events = append(events, m.Map(&rec)...)
		}
	}
	checkRules(t, events)
	if len(m.tracks) > contracts.LimitExportOpen || len(m.calls) > contracts.LimitExportOpen || len(m.done.known) > contracts.LimitExportDone {
		t.Errorf("%d tracks, %d calls, %d ids are kept", len(m.tracks), len(m.calls), len(m.done.known))
	}
}
