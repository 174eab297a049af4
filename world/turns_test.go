package world_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
	"github.com/bullpen-office/bullpen/world/scene"
)

// hud returns an activity fact about agent_bd; text is "event id" or "event id in turn".
func hud(text string) *contracts.HUD {
	word := strings.Fields(text)
	h := &contracts.HUD{UUID: text, Event: contracts.HUDEvent(word[0]), AgentID: "agent_bd", Session: "s", Owner: "life_1"}
	if len(word) > 1 {
		h.CorrelationID = word[1]
	}
	if len(word) > 3 {
		h.ParentID = word[3]
	}
	return h
}

// open lists the open turns of a world, each with its calls, then the loose calls.
func open(w *world.World) (list []string) {
	for _, t := range w.Turns() {
		list = append(list, t.ID)
		for _, c := range t.Calls {
			list = append(list, t.ID+"/"+c.ID)
		}
	}
	for _, c := range w.LooseCalls() {
		list = append(list, c.ID)
	}
	return list
}

// In a snapshot, an agent's row shows its open turns, or only the newest ones if there are many,
// each with its newest calls and its open questions.
func TestSnapshotShowsOpenTurns(t *testing.T) {
	bodies := []contracts.Body{opened()}
	for i := range contracts.LimitShownTurns + 1 {
		bodies = append(bodies, hud(fmt.Sprintf("turn_start t%d", i)))
	}
	last := fmt.Sprintf("t%d", contracts.LimitShownTurns)
	for i := range contracts.LimitShownCalls + 1 {
		bodies = append(bodies, hud(fmt.Sprintf("tool_start c%d in %s", i, last)))
	}
	ask := func(id, turn string) contracts.Body {
		return &contracts.Event{Name: contracts.EventDecisionRequested, DecisionID: id, Decision: &contracts.Decision{DecisionID: id, Status: contracts.DecisionOpen, AskedBy: "agent_bd", TurnID: turn}}
	}
	w := fold(t, tape(t, append(bodies, ask("dec_1", last), ask("dec_2", "t0"))...))
	i := slices.IndexFunc(w.Agents(), func(a *world.Agent) bool { return a.AgentID == "agent_bd" })
	turns := w.Snapshot(0, nil, nil).Agents[i].Turns
	if len(turns) != contracts.LimitShownTurns || turns[0].TurnID != "t1" {
		t.Fatalf("%+v", turns)
	}
	shown := turns[len(turns)-1]
	if len(shown.Calls) != contracts.LimitShownCalls || shown.Calls[0].CallID != "c1" || !slices.Equal(shown.DecisionIDs, []string{"dec_1"}) {
		t.Errorf("%+v", shown)
	}
}

// Open turns and calls are derived from the records that start and end them; invalid input is
// ignored.
func TestTurnsAreFolded(t *testing.T) {
	left := &contracts.Event{Name: contracts.EventAgentLeft, AgentID: "agent_g"}
	joined := &contracts.Event{Name: contracts.EventAgentJoined, Agents: []contracts.AgentProfile{{AgentID: "agent_g", Name: "G", Source: "claude"}}}
	of := func(agent string, h *contracts.HUD) *contracts.HUD { h.AgentID = agent; return h }
	in := func(session string, h *contracts.HUD) *contracts.HUD { h.Session = session; return h }
	for name, c := range map[string]struct {
		bodies []contracts.Body
		want   []string
	}{
		"a turn":                           {[]contracts.Body{hud("turn_start t")}, []string{"t"}},
		"a turn that ended":                {[]contracts.Body{hud("turn_start t"), hud("turn_end t")}, nil},
		"calls in a turn":                  {[]contracts.Body{hud("turn_start t"), hud("tool_start c in t"), hud("think_start k in t")}, []string{"t", "t/c", "t/k"}},
		"a call that ended":                {[]contracts.Body{hud("turn_start t"), hud("tool_start c in t"), hud("tool_start d in t"), hud("tool_end c in t")}, []string{"t", "t/d"}},
		"a turn ends with its calls":       {[]contracts.Body{hud("turn_start t"), hud("tool_start c in t"), hud("turn_end t")}, nil},
		"a call outside any turn":          {[]contracts.Body{hud("tool_start c"), hud("think_start k"), hud("think_end k")}, []string{"c"}},
		"a call in an unknown turn":        {[]contracts.Body{hud("tool_start c in t")}, nil},
		"a call in a turn that ended":      {[]contracts.Body{hud("turn_start t"), hud("turn_end t"), hud("tool_start c in t")}, nil},
		"ends without a start":             {[]contracts.Body{hud("turn_end t"), hud("tool_end c"), hud("tool_end c in t"), hud("think_end k")}, nil},
		"a second start":                   {[]contracts.Body{hud("turn_start t"), hud("tool_start c in t"), hud("turn_start t"), hud("tool_start c in t")}, []string{"t", "t/c"}},
		"a call id that is used again":     {[]contracts.Body{hud("turn_start t"), hud("tool_start c in t"), hud("tool_end c in t"), hud("tool_start c in t")}, []string{"t", "t/c"}},
		"a turn id that is used again":     {[]contracts.Body{hud("turn_start t"), hud("turn_end t"), hud("turn_start t")}, []string{"t"}},
		"ids are unique within a session":  {[]contracts.Body{hud("turn_start t"), in("other", hud("turn_start t")), in("other", hud("turn_end t"))}, []string{"t"}},
		"received, and starts without id":  {[]contracts.Body{hud("received t"), hud("turn_start"), hud("tool_start")}, nil},
		"an agent that is not here":        {[]contracts.Body{of("agent_x", hud("turn_start t")), of("agent_x", hud("tool_start c"))}, nil},
		"a script that has no name":        {[]contracts.Body{of("", hud("tool_start c"))}, []string{"c"}},
		"an agent that left":               {[]contracts.Body{joined, of("agent_g", hud("turn_start t")), of("agent_g", hud("tool_start c")), hud("turn_start u"), left}, []string{"u"}},
		"an agent that left and came back": {[]contracts.Body{joined, of("agent_g", hud("turn_start t")), left, joined, of("agent_g", hud("tool_start c in t"))}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			recs := tape(t, append([]contracts.Body{opened()}, c.bodies...)...)
			live := fold(t, recs)
			if diff := cmp.Diff(c.want, open(live)); diff != "" {
				t.Error(diff)
			}
			for i := range recs {
				recs[i] = read(recs[i])
			}
			if hashOf(t, live) != hashOf(t, fold(t, recs)) {
				t.Error("the records read from a ledger lead to a different world")
			}
		})
	}
}

// An ended turn leaves nothing in the world, and activity does not change the world's time.
func TestEndedTurnLeavesNothing(t *testing.T) {
	with := fold(t, tape(t, opened(), hud("turn_start t"), hud("tool_start c in t"), hud("tool_start d"), hud("tool_end d"), hud("turn_end t")))
	without := fold(t, tape(t, opened()))
	without.SkipTo(6)
	if hashOf(t, with) != hashOf(t, without) {
		t.Errorf("open %v; the time is %d, want %d", open(with), with.TS(), without.TS())
	}
}

// Activity that cannot be decoded, or that this version would not write, is ignored.
func TestInvalidActivityIsIgnored(t *testing.T) {
	for _, body := range []string{
		"", "{", "null", "[]", `{"event":5}`, `{"event":"turn_start","correlationId":7}`, `{"event":"tool_end"`, `{"event":"tool_end","correlationId`,
		`{"event":"tool_end","correlationId":"c`, `{"event":"tool_end","correlationId":null}`, `{"event":"turn_start"}`, `{"event":"later","correlationId":"t"}`,
		`{"event":"turn_start","correlationId":"t","correlationId":"u"}`, "{\"event\":\"turn_start\",\"correlationId\":\"\xff\"}",
	} {
		recs := append(tape(t, opened(), hud("turn_start t")), contracts.Record{Seq: 3, TS: 3000, Kind: contracts.KindHUD, ID: "x", Body: []byte(body)})
		if got := open(fold(t, recs)); len(got) != 1 {
			t.Errorf("%q: %v", body, got)
		}
	}
}

// Decoding an end only up to its result returns the same head as decoding the whole record.
func TestHeadOfAnEndEqualsFullDecoding(t *testing.T) {
	for _, id := range []string{"c", `quote"d`, `back\slash`, "ünïcode", "<&>"} {
		h := hud("tool_end x in t")
		h.CorrelationID, h.Session, h.Result = id, "se:"+id, jsontext.Value(`{"ok":true,"correlationId":"inner"}`)
		rec := tape(t, h)[0]
		made, _ := rec.Head()
		again := read(rec)
		if got, ok := again.Head(); !ok || cmp.Diff(made, got) != "" {
			t.Errorf("%q: %s", id, cmp.Diff(made, got))
		}
	}
}

// The world keeps only as much of a call's arguments as the end of the call needs.
func TestArgumentsOfACallAreBounded(t *testing.T) {
	big := strings.Repeat("x", 5000)
	for _, c := range []struct{ args, want string }{
		{`{"path":"a.go"}`, `{"path":"a.go"}`},
		{` { "path" : "\u0061.go" } `, `{"path":"a.go"}`},
		{`{"path":"a.go","content":"` + big + `","offset":3}`, `{"path":"a.go","offset":3}`},
		{`{"path":` + strings.Repeat(" ", contracts.LimitCallArgs) + `"a.go","list":[` + strings.Repeat("1,", 150) + `1]}`, `{"path":"a.go","list":[` + strings.Repeat("1,", 150) + `1]}`},
		{`"` + big + `"`, ""},
	} {
		h := hud("tool_start c")
		h.Args = jsontext.Value(c.args)
		recs := tape(t, opened(), h)
		w := fold(t, recs)
		if got := string(w.LooseCalls()[0].Args); got != c.want {
			t.Errorf("%.40s: %s", c.args, got)
		}
		if hashOf(t, w) != hashOf(t, fold(t, []contracts.Record{read(recs[0]), read(recs[1])})) {
			t.Errorf("%.40s: the record read from a ledger gives a different world", c.args)
		}
	}
	many := "{"
	for i := range 500 {
		many += fmt.Sprintf(`"k%d":%d,`, i, i)
	}
	h := hud("tool_start c")
	h.Args = jsontext.Value(many + `"last":1}`)
	got := fold(t, tape(t, opened(), h)).LooseCalls()[0].Args
	if len(got) == 0 || len(got) > contracts.LimitCallArgs || !got.IsValid() {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}

// Owners that are down are forgotten after their grace period.
func TestOwnersAreFolded(t *testing.T) {
	recs := tape(t, opened(),
		&contracts.Owner{ID: "life_2", Node: "n", Up: true},
		&contracts.Owner{ID: "watch_ui@n", Node: "n", Up: true},
		&contracts.Owner{ID: "life_2", Node: "n"},
		&contracts.Owner{ID: "watch_ui@n", Node: "n", Until: 7000},
		&contracts.Owner{ID: "life_6", Node: "n", Up: true},
		&contracts.Owner{ID: "life_6", Node: "n", Up: true})
	if w := fold(t, recs[:6]); w.Owner("life_2") != nil || w.Owner("watch_ui@n") == nil || w.Owner("watch_ui@n").Up || !w.Owner("life_6").Up || len(w.Owners()) != 2 {
		t.Errorf("%+v", w.Owners())
	}
	if w := fold(t, recs); len(w.Owners()) != 1 || w.TS() != 7000 {
		t.Errorf("%+v at %d", w.Owners(), w.TS())
	}
}

// heavy returns a history of mostly activity: 50 guests, 12 calls per turn, three calls at a time.
func heavy(tb testing.TB, n, resultBytes int) []contracts.Record {
	result := jsontext.Value(`{"ok":true,"text":"` + strings.Repeat("abcdefghijklmnopqrstuvwxyz", resultBytes/26+1)[:resultBytes] + `"}`)
	var recs []contracts.Record
	add := func(b contracts.Body) {
		r, err := contracts.NewRecord(uint64(len(recs)+1), int64(len(recs)+1), "", b)
		if err != nil {
			tb.Fatal(err)
		}
		recs = append(recs, r)
	}
	var people []contracts.AgentProfile
	for i := range 50 {
		people = append(people, contracts.AgentProfile{AgentID: fmt.Sprintf("agent_g%d", i), Name: "G", Source: "claude"})
	}
	add(&contracts.Event{Name: contracts.EventOfficeCreated, OfficeID: "l", Agents: people})
	ms := int64(12)
	for i := 0; len(recs) < n; i++ {
		turn := fmt.Sprintf("prompt-%d", i)
		fact := func(event contracts.HUDEvent, id, parent string) contracts.HUD {
			return contracts.HUD{
				UUID: fmt.Sprintf("5c5dd6a6-1111-4222-8333-%012d", len(recs)), Event: event, CorrelationID: id, ParentID: parent,
				AgentID: fmt.Sprintf("agent_g%d", i%50), Session: fmt.Sprintf("claude:0b1f5a1e-7c1e-4a53-9f57-%012d", i%50),
			}
		}
		h := fact(contracts.HUDTurnStart, turn, "")
		h.Label, h.Owner, h.Origin = "Fix the login form so that it works", "watch_claude@local", contracts.OriginOutside
		add(&h)
		for c := range 12 {
			h := fact(contracts.HUDToolStart, fmt.Sprintf("toolu_%d_%d", i, c), turn)
			h.Tool, h.Args, h.Label = "exec", jsontext.Value(`{"command":"go test ./... -run TestLogin -count=1"}`), "go test ./..."
			add(&h)
			for back := range 3 {
				if c%3 == 2 {
					h := fact(contracts.HUDToolEnd, fmt.Sprintf("toolu_%d_%d", i, c-back), turn)
					h.Tool, h.Result, h.DurationMS, h.Label = "exec", result, &ms, "go test ./..."
					add(&h)
				}
			}
		}
		h = fact(contracts.HUDTurnEnd, turn, "")
		h.DurationMS = &ms
		add(&h)
	}
	return recs
}

// BenchmarkFoldActivity folds 100,000 activity records, both new and as read from a ledger.
func BenchmarkFoldActivity(b *testing.B) {
	for _, size := range []int{200, 4000} {
		made := heavy(b, 100_000, size)
		kept := make([]contracts.Record, len(made))
		for i := range made {
			kept[i] = read(made[i])
		}
		for name, recs := range map[string][]contracts.Record{"made": made, "read": kept} {
			b.Run(fmt.Sprintf("%s/result=%d", name, size), func(b *testing.B) {
				for b.Loop() {
					w := world.New(scene.Default())
					for i := range recs {
						if err := w.Apply(recs[i]); err != nil {
							b.Fatal(err)
						}
					}
				}
			})
		}
	}
}
