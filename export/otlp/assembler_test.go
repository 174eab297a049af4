package otlp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"

	"github.com/bullpen-office/bullpen/contracts"
)

func newAssembler() *assembler {
	return &assembler{state: state{Ledger: "ledger"}, profile: func(id string) contracts.AgentProfile { return contracts.AgentProfile{AgentID: id} }, provider: func(contracts.AgentProfile) string { return "" }}
}

// feed processes facts, one second apart unless they have a time.
func (a *assembler) feed(t interface{ Fatal(...any) }, bodies ...contracts.Body) {
	for _, b := range bodies {
		seq := a.Seq + 1
		if h, ok := b.(*contracts.HUD); ok && h.UUID == "" {
			h.UUID = fmt.Sprintf("u%d", seq)
		}
		rec, err := contracts.NewRecord(seq, base+int64(seq)*1000, "", b)
		if err != nil {
			t.Fatal(err)
		}
		a.record(&rec)
	}
}

func (a *assembler) spans(t interface{ Fatal(...any) }) []span {
	out := make([]span, len(a.out))
	for i, b := range a.out {
		if err := json.Unmarshal(b, &out[i], json.RejectUnknownMembers(true)); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

const hour = 3_600_000

// A turn waits for its token report, which often arrives just after the turn has ended; a report
// for the whole turn replaces the reports for its parts.
func TestTurnWaitsForItsTokens(t *testing.T) {
	report := func(in int64) contracts.Body {
		return &contracts.Event{Name: contracts.EventUsageReported, AgentID: "agent_eng_1", TurnID: "t", Usage: &contracts.Usage{TokensIn: in}}
	}
	a := newAssembler()
	a.feed(t, fact(contracts.HUDTurnStart, "t"), report(1), fact(contracts.HUDTurnEnd, "t"), report(2))
	if len(a.out) != 0 {
		t.Fatal("the turn did not wait")
	}
	a.advance(base + 8_000)
	if s := a.spans(t); len(s) != 1 || s[0].attribute(keyInputTokens) != "3" || s[0].attribute(keyCost) != "" {
		t.Errorf("%+v", s)
	}
	a = newAssembler()
	end := fact(contracts.HUDTurnEnd, "t")
	end.Usage = &contracts.Usage{TokensIn: 50}
	a.feed(t, fact(contracts.HUDTurnStart, "t"), report(1), end, report(2))
	a.advance(base + hour)
	if s := a.spans(t); len(s) != 1 || s[0].attribute(keyInputTokens) != "50" {
		t.Errorf("%+v", s)
	}
}

// Activity without an end is exported after a limit, without a status; so is a turn that the next
// turn of its session replaces.
func TestUnendedActivityIsExported(t *testing.T) {
	a := newAssembler()
	a.feed(t, fact(contracts.HUDTurnStart, "a"), fact(contracts.HUDToolStart, "c"), fact(contracts.HUDTurnStart, "b"))
	a.advance(base + 10_000)
	if s := a.spans(t); len(s) != 1 || s[0].Status.Code != 0 {
		t.Errorf("%+v", s)
	}
	a.advance(base + 2*hour)
	s := a.spans(t)
	if len(s) != 3 || s[1].Name != "execute_tool read" || s[2].Name != "invoke_agent agent_eng_1" || s[2].Status.Code != 0 || s[2].End != nanos(base+3000) {
		t.Errorf("%+v", s)
	}
	if len(a.Tracks)+len(a.Calls)+len(a.Ended) != 0 {
		t.Errorf("left: %+v", a.state)
	}
}

// A sub-agent's turn belongs to the call that started it.
func TestSubagentIsInTheTraceOfItsParent(t *testing.T) {
	sub := func(h *contracts.HUD) { h.AgentID, h.Session, h.ParentID = "agent_sub", "s1:sub", "task" }
	a := newAssembler()
	a.feed(t, fact(contracts.HUDTurnStart, "t"), fact(contracts.HUDToolStart, "task"), fact(contracts.HUDTurnStart, "sub", sub), fact(contracts.HUDTurnEnd, "sub", sub), fact(contracts.HUDToolEnd, "task"), fact(contracts.HUDTurnEnd, "t"))
	a.advance(base + hour)
	s := a.spans(t)
	if len(s) != 3 || s[1].ParentSpanID != s[0].SpanID || s[0].ParentSpanID != s[2].SpanID || s[1].TraceID != s[2].TraceID {
		t.Errorf("%+v", s)
	}
}

// If a sub-agent's turn does not name a call, the sub-agent's profile identifies the parent agent.
// The turn belongs to the parent's open call that starts a sub-agent, if there is exactly one such
// call, otherwise to the parent's turn.
func TestSubagentIsFoundByItsProfile(t *testing.T) {
	sub := func(h *contracts.HUD) { h.AgentID, h.Session = "agent_sub", "s1:sub" }
	spawn := func(h *contracts.HUD) { h.Tool = toolSpawn }
	for _, calls := range [][]string{{"one"}, {"one", "two"}, {}} {
		a := newAssembler()
		a.profile = func(id string) contracts.AgentProfile {
			p := contracts.AgentProfile{AgentID: id}
			if id == "agent_sub" {
				p.ParentID = "agent_eng_1"
			}
			return p
		}
		a.feed(t, fact(contracts.HUDTurnStart, "t"), fact(contracts.HUDToolStart, "read"))
		for _, c := range calls {
			a.feed(t, fact(contracts.HUDToolStart, c, spawn))
		}
		a.feed(t, fact(contracts.HUDTurnStart, "sub", sub), fact(contracts.HUDToolStart, "inner", sub), fact(contracts.HUDToolEnd, "inner", sub), fact(contracts.HUDTurnEnd, "sub", sub))
		for _, c := range append(calls, "read") {
			a.feed(t, fact(contracts.HUDToolEnd, c))
		}
		a.feed(t, fact(contracts.HUDTurnEnd, "t"))
		a.advance(base + hour)
		byName := map[string]span{}
		for _, s := range a.spans(t) {
			byName[s.Name] = s
		}
		inner, turn, parent := byName["execute_tool read"], byName["invoke_agent agent_sub"], byName["invoke_agent agent_eng_1"]
		want := parent.SpanID
		if len(calls) == 1 {
			want = byName["execute_tool "+toolSpawn].SpanID
		}
		if want == "" || turn.ParentSpanID != want || turn.TraceID != parent.TraceID || inner.TraceID != parent.TraceID {
			t.Errorf("%d calls: %+v in %q", len(calls), turn, want)
		}
	}
}

// A missing start is computed from the end and the duration. A clock that jumps back does not
// produce a negative span.
func TestSpanTimes(t *testing.T) {
	took := int64(500)
	a := newAssembler()
	a.feed(t, fact(contracts.HUDToolEnd, "c", func(h *contracts.HUD) { h.DurationMS = &took }))
	if s := a.spans(t)[0]; s.Start != nanos(base+500) || s.End != nanos(base+1000) {
		t.Errorf("%s to %s", s.Start, s.End)
	}
	a.feed(t, fact(contracts.HUDToolStart, "d"), fact(contracts.HUDToolEnd, "d", func(h *contracts.HUD) { h.At = base }))
	if s := a.spans(t)[1]; s.Start != s.End {
		t.Errorf("%s to %s", s.Start, s.End)
	}
}

// For any ledger, nothing panics, memory is bounded, and everything that began is eventually
// exported, even across a restart at any point.
func TestEverythingIsExported(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := newAssembler()
		began := 0
		for i := range rapid.IntRange(0, 60).Draw(t, "facts") {
			h := &contracts.HUD{
				AgentID: rapid.SampledFrom([]string{"agent_a", "agent_b"}).Draw(t, "agent"), Session: rapid.SampledFrom([]string{"s", ""}).Draw(t, "session"),
				Event: rapid.SampledFrom([]contracts.HUDEvent{contracts.HUDTurnStart, contracts.HUDTurnEnd, contracts.HUDToolStart, contracts.HUDToolEnd, contracts.HUDReceived, contracts.HUDThinkStart}).Draw(t, "event"),
				At:    rapid.SampledFrom([]int64{0, 1, base * 2}).Draw(t, "at"), Tool: rapid.StringN(0, 3, -1).Draw(t, "tool"),
				CorrelationID: fmt.Sprintf("%d", rapid.IntRange(0, i).Draw(t, "correlation")), ParentID: rapid.SampledFrom([]string{"", "1"}).Draw(t, "parent"),
			}
			before := len(a.Calls)
			a.feed(t, h)
			if h.Event == contracts.HUDToolStart && len(a.Calls) > before {
				began++
			}
			if rapid.Bool().Draw(t, "restart") {
				kept, err := json.Marshal(&a.state)
				if err != nil {
					t.Fatal(err)
				}
				a.state = state{}
				if err := json.Unmarshal(kept, &a.state); err != nil {
					t.Fatal(err)
				}
			}
		}
		a.advance(base * 3)
		if n := len(a.Tracks) + len(a.Calls) + len(a.Ended); n != 0 {
			t.Fatalf("%d items are left", n)
		}
		calls := 0
		for _, s := range a.spans(t) {
			if s.attribute(keyOperation) == operationExecute {
				calls++
			}
		}
		if calls < began {
			t.Fatalf("%d calls began, %d were exported", began, calls)
		}
	})
}

func TestMemoryIsBounded(t *testing.T) {
	a := newAssembler()
	for i := range 2 * contracts.LimitExportOpen {
		own := func(h *contracts.HUD) { h.Session = fmt.Sprint(i); h.At = base }
		a.feed(t, fact(contracts.HUDTurnStart, "t", own), fact(contracts.HUDToolStart, "c", own), fact(contracts.HUDReceived, "", own))
	}
	if len(a.Tracks) > contracts.LimitExportOpen || len(a.Calls) > contracts.LimitExportOpen || len(a.Ended) > contracts.LimitExportOpen {
		t.Errorf("%d tracks, %d calls, %d turns", len(a.Tracks), len(a.Calls), len(a.Ended))
	}
	if len(a.out) < contracts.LimitExportOpen {
		t.Errorf("only %d spans were exported", len(a.out))
	}
}

func TestEndpointAndHeaders(t *testing.T) {
	for in, want := range map[string]string{
		"http://localhost:4318":            "http://localhost:4318/v1/traces",
		"https://c.example/base/":          "https://c.example/base/v1/traces",
		"https://c.example/base/v1/traces": "https://c.example/base/v1/traces",
		"localhost:4318":                   "", "ftp://x": "", "http://u:secret@x": "", "http://u:%zz@secret": "", "http://x?k=secret": "", "": "",
	} {
		if got, err := TracesURL(in); got != want || (err == nil) != (want != "") {
			t.Errorf("TracesURL(%q) = %q, %v", in, got, err)
		} else if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the error shows a secret: %v", err)
		}
	}
	h, err := ParseHeaders("api-key=a%20b%3D, x-tenant = 7 ,")
	if err != nil || h.Get("Api-Key") != "a b=" || h.Get("X-Tenant") != "7" {
		t.Errorf("%v %v", h, err)
	}
	if _, err := ParseHeaders("a=1,,a=2,bad"); err == nil || !strings.Contains(err.Error(), "header 4 is invalid") {
		t.Errorf("the fourth header: %v", err)
	}
	for _, bad := range []string{"secret", "a=b,Authorization: Bearer secret=", "x=secret%zz", "x=secret%0d%0ay", "=secret"} {
		if h, err := ParseHeaders(bad); err == nil {
			t.Errorf("%q gave %v", bad, h)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("the error shows a secret: %v", err)
		}
	}
}
