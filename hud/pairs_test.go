package hud

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

func begun(id, session, correlation, tool string) *contracts.HUD {
	h := ToolStart(Source{Session: session}, id, Span{Correlation: correlation, Parent: "t"}, Call{Tool: tool, Args: jsontext.Value(`{"path":"a.md"}`)})
	return &h
}

func done(id, session, correlation, tool string) *contracts.HUD {
	h, _ := ToolEnd(Source{Session: session}, id, Span{Correlation: correlation}, Call{Tool: tool}, nil, 0)
	return &h
}

// H3: ends pair by correlation; parallel calls do not mix, and a second start or
// end is dropped.
func TestPairsByCorrelation(t *testing.T) {
	var p Pairs
	for i, c := range []string{"a", "b"} {
		if tell, _ := p.Start(begun("u"+c, "s", c, "read"), int64(i)); !tell {
			t.Errorf("%s was not told", c)
		}
	}
	if tell, _ := p.Start(begun("again", "s", "a", "read"), 3); tell {
		t.Error("a start was told twice")
	}
	start, ok := p.StartOf(contracts.HUD{Session: "s", Event: contracts.HUDToolEnd, CorrelationID: "b"})
	if !ok || start.HUD.UUID != "ub" || string(start.HUD.Args) != `{"path":"a.md"}` {
		t.Errorf("start of b: %+v %v", start, ok)
	}
	end := done("eb", "s", "b", "")
	if !p.End(end, 101) || *end.DurationMS != 100 || end.ParentID != "t" || end.Payload != nil {
		t.Errorf("end of b: %+v", end)
	}
	if p.End(done("eb2", "s", "b", "read"), 102) || !p.Ended(*done("x", "s", "b", "read")) {
		t.Error("an end was told twice")
	}
	if p.Ended(*done("x", "s", "a", "read")) || len(p.Open("s", "")) != 1 || len(p.Open("s", "other turn")) != 0 {
		t.Error("a is not open any more")
	}
	if tell, _ := p.Start(begun("late", "s", "b", "read"), 103); tell {
		t.Error("a call began again after its end")
	}
	// An end with another correlation never takes the place of somebody else's.
	stray := done("stray", "s", "zzz", "read")
	if !p.End(stray, 104) || !strings.Contains(string(stray.Payload), "not seen") || len(p.Open("s", "")) != 1 {
		t.Errorf("an end without a start: %+v", stray)
	}
	if p.End(done("stray2", "s", "zzz", "read"), 105) {
		t.Error("it was told twice")
	}
	if end := done("ea", "s", "a", "read"); !p.End(end, -5) || *end.DurationMS != 0 {
		t.Error("the clock jumped back, and so did the duration")
	}
}

// FIFO only where the correlation is missing: the oldest of the same tool.
func TestPairsWithoutCorrelation(t *testing.T) {
	var p Pairs
	p.Start(begun("u1", "s", "", "read"), 1)
	p.Start(begun("u2", "s", "", "exec"), 2)
	p.Start(begun("u3", "s", "", "read"), 3)
	for _, want := range []string{"u1", "u3"} {
		if end := done("e"+want, "s", "", "read"); !p.End(end, 9) || end.CorrelationID != want || end.Payload != nil {
			t.Errorf("paired with %q, want %q", end.CorrelationID, want)
		}
	}
	if end := done("e", "s", "", "read"); !p.End(end, 9) || end.CorrelationID != "e" || end.Payload == nil {
		t.Errorf("an end too many: %+v", end)
	}
	if end := done("e2", "other", "", "exec"); !p.End(end, 9) || end.CorrelationID != "e2" {
		t.Errorf("another session's start was taken: %+v", end)
	}
}

// What nobody ended is ended from the inside out.
func TestPairsLeftover(t *testing.T) {
	var p Pairs
	turn := TurnStart(Source{Session: "s"}, "u0", Span{Correlation: "t"}, "work")
	think := ThinkStart(Source{Session: "s"}, "u1", Span{Correlation: "k", Parent: "t"})
	p.Start(&turn, 1)
	p.Start(&think, 2)
	p.Start(begun("u2", "s", "c", "exec"), 3)
	newID := func(start contracts.HUD) string { return "end of " + start.CorrelationID }
	var got []string
	for _, end := range p.Leftover("s", "t", 10, "interrupted", newID) {
		got = append(got, fmt.Sprint(end.UUID, " ", end.Event, " ", *end.DurationMS, " ", strings.Contains(string(end.Result), "interrupted")))
	}
	if want := "end of c tool_end 7 true; end of k think_end 8 true"; strings.Join(got, "; ") != want {
		t.Errorf("got %v", got)
	}
	if ends := p.Leftover("s", "", 10, "gone", newID); len(ends) != 1 || ends[0].Event != contracts.HUDTurnEnd {
		t.Errorf("the turn: %+v", ends)
	}
	p.Forget("s")
	if p.sessions["s"] != nil || len(p.quiet) != 0 {
		t.Error("a forgotten session is remembered")
	}
}

// Whatever comes, each start and each end is told at most once, every end that is
// told has its start or says so, and memory is bounded.
func TestPairsModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p Pairs
		told := map[string]bool{}
		for i := range rapid.IntRange(1, 200).Draw(t, "events") {
			c := rapid.SampledFrom([]string{"", "a", "b", "c", "d"}).Draw(t, "correlation")
			id := fmt.Sprint("u", i)
			h := begun(id, "s", c, "read")
			var tell bool
			if rapid.Bool().Draw(t, "start") {
				tell, _ = p.Start(h, int64(i))
			} else {
				h = done(id, "s", c, "read")
				tell = p.End(h, int64(i))
			}
			if !tell {
				continue
			}
			key := string(h.Event) + h.CorrelationID
			if told[key] || h.CorrelationID == "" {
				t.Fatalf("%s was told twice, or has no correlation", key)
			}
			told[key] = true
			if h.Event == contracts.HUDToolEnd && told[string(contracts.HUDToolStart)+h.CorrelationID] == (h.Payload != nil) {
				t.Fatalf("%+v", h)
			}
		}
	})
}

func TestPairsAreBounded(t *testing.T) {
	var p Pairs
	given := 0
	for i := range contracts.LimitOpenSpans + 10 {
		_, up := p.Start(begun(fmt.Sprint(i), "s", "", "read"), 0)
		given += len(up)
	}
	if given != 10 || len(p.Open("s", "")) != contracts.LimitOpenSpans {
		t.Errorf("%d were given up, %d are open", given, len(p.Open("s", "")))
	}
	for i := range 2 * contracts.LimitEndedSpans {
		p.End(done(fmt.Sprint(i), "s", fmt.Sprint("c", i), "read"), 0)
	}
	if s := p.sessions["s"]; len(s.ended) != contracts.LimitEndedSpans || len(s.order) != contracts.LimitEndedSpans {
		t.Errorf("%d ends are remembered", len(s.ended))
	}
	for i := range contracts.LimitFeedSessions + 5 {
		p.Start(begun("u", fmt.Sprint("s", i), "c", "read"), 0)
	}
	if len(p.sessions) != contracts.LimitFeedSessions || len(p.quiet) != contracts.LimitFeedSessions || p.sessions["s"] != nil {
		t.Errorf("%d sessions are remembered", len(p.sessions))
	}
}
