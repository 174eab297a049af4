package translate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/status"
)

func row(t testing.TB, line string) *Row {
	t.Helper()
	r, err := ParseRow([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func events(updates Updates) string {
	var list []string
	for _, f := range updates.Facts {
		list = append(list, strings.TrimSpace(string(f.HUD.Event)+" "+f.HUD.CorrelationID))
	}
	return strings.Join(list, ", ")
}

// In whatever order events arrive, every start has exactly one end.
func TestEveryStartHasOneEnd(t *testing.T) {
	pre := `{"session_id":"s","prompt_id":"p","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"x"},"tool_use_id":"c1"}`
	post := `{"session_id":"s","prompt_id":"p","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"x"},"tool_response":{"stdout":"ok"},"tool_use_id":"c1"}`
	for _, c := range []struct {
		name  string
		hooks []string
		want  string
	}{
		{"an end without a start", []string{post}, "turn_start p, tool_end c1, turn_end p"},
		{"an end before its start", []string{post, pre}, "turn_start p, tool_end c1, tool_start c1, turn_end p"},
		{"a start without an end", []string{pre}, "turn_start p, tool_start c1, tool_end c1, turn_end p"},
		{"everything twice", []string{pre, pre, post, post}, "turn_start p, tool_start c1, tool_end c1, turn_end p"},
		{"two ends of a turn", []string{pre, post, `{"session_id":"s","prompt_id":"p","hook_event_name":"Stop"}`, `{"session_id":"s","prompt_id":"p","hook_event_name":"StopFailure","error":{"odd":1}}`}, "turn_start p, tool_start c1, tool_end c1, turn_end p"},
		{"a stop without a turn", []string{`{"session_id":"s","hook_event_name":"Stop"}`}, ""},
		{"an unknown event", []string{`{"session_id":"s","hook_event_name":"Elsewhere","tool_name":"x"}`}, ""},
		{"a call without an id", []string{`{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash"}`}, ""},
		{"an interrupt", []string{pre, `{"session_id":"s","prompt_id":"p","hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_use_id":"c1","error":"stopped","is_interrupt":true}`}, "turn_start p, tool_start c1, tool_end c1, turn_end p"},
		{"the next prompt ends what was left open", []string{pre, `{"session_id":"s","prompt_id":"q","hook_event_name":"UserPromptSubmit","prompt":"hi"}`, `{"session_id":"s","prompt_id":"q","hook_event_name":"Stop"}`},
			"turn_start p, tool_start c1, received, tool_end c1, turn_end p, turn_start q, turn_end q"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := NewSession("s", "", Config{})
			var all Updates
			for i, body := range c.hooks {
				at := int64(5000 - 1000*i) // the clock runs backwards
				updates := s.Hook(hook(t, body), at)
				if len(updates.Evidence) == 0 {
					t.Errorf("%s gives no evidence", body)
				}
				all.Add(updates)
			}
			all.Add(s.GiveUp(9000, "gone"))
			if got := events(all); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			for _, f := range all.Facts {
				if d := f.HUD.DurationMS; d != nil && *d < 0 {
					t.Errorf("%s took %d ms", f.HUD.Event, *d)
				}
			}
			if s.Busy() {
				t.Errorf("%v is open", s.Open)
			}
		})
	}
}

// A hook that started before a person pressed Esc, but arrives after the transcript has
// reported the interruption, does not make the agent look busy again.
func TestLateHookAfterAnInterrupt(t *testing.T) {
	rows := []string{
		`{"type":"user","uuid":"u1","promptId":"p","timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":"wait"}}`,
		`{"type":"assistant","uuid":"u2","timestamp":"2026-01-01T00:00:01Z","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"c1","name":"Bash","input":{"command":"sleep 60"}}]}}`,
		`{"type":"user","uuid":"u3","timestamp":"2026-01-01T00:00:02Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","is_error":true,"content":"stopped"}]}}`,
		`{"type":"user","uuid":"u4","timestamp":"2026-01-01T00:00:02Z","message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user for tool use]"}]}}`,
	}
	s := NewSession("s", "", Config{})
	var updates Updates
	for _, line := range rows {
		updates.Add(s.Row(row(t, line)))
	}
	late := row(t, rows[3]).At + 100
	updates.Add(s.Hook(hook(t, `{"session_id":"s","prompt_id":"p","hook_event_name":"UserPromptSubmit","prompt":"wait"}`), late))
	updates.Add(s.Hook(hook(t, `{"session_id":"s","prompt_id":"p","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"sleep 60"},"tool_use_id":"c1"}`), late))
	var c status.Case
	for _, e := range updates.Evidence {
		c.Add(e)
	}
	if v, _ := c.Verdict(late + 1000); v.Activity != contracts.ActivityIdle || !strings.Contains(v.Why, "interrupted") {
		t.Errorf("%s: %s", v.Activity, v.Why)
	}
}

// Hooks from an earlier turn that arrive again, because they were not answered in time, do not end
// the current turn.
func TestRepeatedHooksOfAnEarlierTurn(t *testing.T) {
	turn := func(id string) []string {
		call := `,"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"call-` + id + `"`
		var list []string
		for _, rest := range []string{`"UserPromptSubmit","prompt":"go"`, `"PreToolUse"` + call, `"PostToolUse"` + call + `,"tool_response":{"stdout":"x"}`, `"Stop"`} {
			list = append(list, `{"session_id":"s","prompt_id":"`+id+`","hook_event_name":`+rest+`}`)
		}
		return list
	}
	first, second := turn("p1"), turn("p2")
	s := NewSession("s", "", Config{})
	var c status.Case
	var updates Updates
	for i, body := range slices.Concat(first, second[:1], first, second[1:3]) {
		now := s.Hook(hook(t, body), int64(1000+i))
		updates.Add(now)
		for _, e := range now.Evidence {
			c.Add(e)
		}
	}
	if v, _ := c.Verdict(2000); v.Activity != contracts.ActivityWorking {
		t.Errorf("in the second turn: %s: %s", v.Activity, v.Why)
	}
	updates.Add(s.Hook(hook(t, second[3]), 3000))
	if got, want := events(updates), "received, turn_start p1, tool_start call-p1, tool_end call-p1, turn_end p1, received, turn_start p2, tool_start call-p2, tool_end call-p2, turn_end p2"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A session whose last call ends after SessionEnd does not stay busy or closing forever.
func TestSessionEndWithNothingOpen(t *testing.T) {
	s := NewSession("s", "", Config{})
	s.Hook(hook(t, `{"session_id":"s","prompt_id":"p","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"c1"}`), 1000)
	s.Hook(hook(t, `{"session_id":"s","hook_event_name":"SessionEnd","reason":"other"}`), 1100)
	s.Hook(hook(t, `{"session_id":"s","prompt_id":"p","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_response":{"stdout":"x"},"tool_use_id":"c1"}`), 1200)
	if !s.Busy() {
		t.Error("an ending session is not busy")
	}
	s.Settle(1100 + maxRowDelay)
	if s.Busy() || s.Closing() {
		t.Errorf("the session never ends: busy %t, closing %t", s.Busy(), s.Closing())
	}
}

// A body that is not a hook is rejected with a reason.
func TestMalformedHookIsRejected(t *testing.T) {
	for _, body := range []string{"", "null", "[]", "{", `{"hook_event_name":"Stop"}`, `{"session_id":"s"}`, `{"session_id":[5],"hook_event_name":"Stop"}`, `{"session_id":"s","hook_event_name":{}}`, "\xff\xfe", `{"session_id":"\u0000","hook_event_name":"Stop"}`} {
		if h, err := ParseHook([]byte(body)); err == nil {
			t.Errorf("%q was accepted as %+v", body, h)
		}
	}
	h := hook(t, "{\"session_id\":\"s\",\"session_id\":\"s2\",\"hook_event_name\":\"UserPromptSubmit\",\"prompt\":\"a\xffb\"}")
	if h.Session != "s2" {
		t.Errorf("%+v", h)
	}
	updates := NewSession("s", "", Config{}).Hook(h, 1)
	if got := string(updates.Facts[0].HUD.Payload); strings.ContainsRune(got, '\xff') {
		t.Errorf("invalid UTF-8 was kept: %q", got)
	}
}

// A huge result is truncated in the fact and stored in full separately; neither copy contains
// credentials.
func TestLargeResult(t *testing.T) {
	s := NewSession("s", "", Config{})
	big := strings.Repeat("x", 3*contracts.LimitHUDInline)
	updates := s.Hook(hook(t, `{"session_id":"s","prompt_id":"p","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"curl -u me:hunter22 https://example.org"},"tool_response":{"stdout":"`+big+`"},"tool_use_id":"c"}`), 1)
	end := updates.Facts[1]
	if end.Whole == nil || end.HUD.ResultSHA256 == "" || len(end.HUD.Result) > 2*contracts.LimitHUDInline || !strings.Contains(string(end.HUD.Result), `"ref":"/v1/hud/`+end.HUD.UUID) {
		t.Errorf("%d bytes inline, %d stored", len(end.HUD.Result), len(end.Whole))
	}
	for _, f := range updates.Facts {
		if strings.Contains(fmt.Sprint(f), "hunter22") {
			t.Errorf("the password is in %s", f.HUD.Event)
		}
	}
}

// Each message counts once, with its last reported numbers, even if a fork of the session repeats
// the message. Without list prices, a cost is reported only if the transcript contains one.
func TestUsage(t *testing.T) {
	s := NewSession("s", "", Config{})
	const message = `{"type":"assistant","uuid":"u%d","timestamp":"2026-11-15T10:00:0%d.000Z","message":{"id":"%s","model":"m","content":[{"type":"text","text":"x"}],"stop_reason":%s,"usage":{"input_tokens":10,"output_tokens":%d,"cache_read_input_tokens":3,"cache_creation_input_tokens":2}}}`
	feed := func(s *Session) (all Updates) {
		for _, line := range []string{
			fmt.Sprintf(message, 1, 1, "m1", "null", 1), fmt.Sprintf(message, 2, 2, "m1", "null", 9),
			`{"type":"user","promptId":"p","message":{"content":"hi"}}`,
			fmt.Sprintf(message, 3, 3, "m1", `"end_turn"`, 9), fmt.Sprintf(message, 4, 4, "m2", `"end_turn"`, 5), fmt.Sprintf(message, 5, 5, "m2", `"end_turn"`, 5),
			`{"type":"assistant","uuid":"u6","isApiErrorMessage":true,"message":{"id":"m3","model":"<synthetic>","content":"no","usage":{"input_tokens":1}}}`,
			`{"type":"cost-state","totalCostUSD":0.5}`, `{"type":"cost-state","totalCostUSD":0.75}`, `{"type":"cost-state","totalCostUSD":0.75}`, `{"type":"cost-state","totalCostUSD":"x"}`,
		} {
			all.Add(s.Row(row(t, line)))
		}
		return all
	}
	got := feed(s).Usage
	if len(got) != 4 {
		t.Fatalf("%d reports: %+v", len(got), got)
	}
	if u := got[0]; u.Usage != (contracts.Usage{Model: "m", TokensIn: 10, TokensOut: 9, CacheRead: 3, CacheWrite: 2, At: 1_794_736_802_000}) || u.AgentID != AgentID("s", "") {
		t.Errorf("%+v", u)
	}
	if a, b := got[2].Usage.CostUSD, got[3].Usage.CostUSD; a == nil || b == nil || *a != 0.5 || *b != 0.25 {
		t.Errorf("costs %v, %v", a, b)
	}
	if again := feed(NewSession("fork", "", Config{})).Usage; again[0].Key != got[0].Key || again[1].Key != got[1].Key || again[2].Key == got[2].Key {
		t.Errorf("the fork counts again: %v", again)
	}
}

// Thinking is reported with its duration, and with its text only if KeepThinking is set.
func TestThinking(t *testing.T) {
	const line = `{"type":"assistant","uuid":"u1","timestamp":"2026-11-15T10:00:05.000Z","thinkingDurationMs":1500,"message":{"id":"m","content":[{"type":"thinking","thinking":"secret thought"}]}}`
	for _, keep := range []bool{false, true} {
		s := NewSession("s", "", Config{KeepThinking: keep})
		s.Row(row(t, `{"type":"user","promptId":"p","timestamp":"2026-11-15T10:00:01.000Z","message":{"content":"hi"}}`))
		updates := s.Row(row(t, line))
		if len(updates.Facts) != 2 || *updates.Facts[1].HUD.DurationMS != 1500 || updates.Facts[0].HUD.At+1500 != updates.Facts[1].HUD.At || updates.Facts[1].HUD.ParentID != "p" {
			t.Fatalf("%+v", updates.Facts)
		}
		if kept := strings.Contains(string(updates.Facts[1].HUD.Result), "secret thought"); kept != keep {
			t.Errorf("kept %v, wanted %v", kept, keep)
		}
	}
}

// A command counts as a prompt only if the agent answers it; a summary never counts as one.
func TestCommandIsAPromptIfAnswered(t *testing.T) {
	s := NewSession("s", "", Config{})
	var all Updates
	for _, line := range []string{
		`{"type":"user","promptId":"p1","message":{"content":"<command-name>/clear</command-name>"}}`,
		`{"type":"user","promptId":"p1","isMeta":true,"message":{"content":"<local-command-caveat>x</local-command-caveat>"}}`,
		`{"type":"user","promptId":"p2","isCompactSummary":true,"message":{"content":"This session is being continued"}}`,
		`{"type":"user","promptId":"p3","message":{"content":"<command-message>fix</command-message>\n<command-name>/fix</command-name><command-args>it all</command-args>"}}`,
		`{"type":"user","promptId":"p3","isMeta":true,"message":{"content":[{"type":"text","text":"the expanded command"}]}}`,
		`{"type":"assistant","uuid":"u","message":{"id":"m","content":[{"type":"text","text":"ok"}],"stop_reason":"end_turn"}}`,
		`{"type":"system","subtype":"turn_duration","durationMs":5}`,
	} {
		all.Add(s.Row(row(t, line)))
	}
	if got := events(all); got != "received, turn_start p3, turn_end p3" {
		t.Error(got)
	}
	if got := all.Facts[1].HUD.Label; got != "/fix it all" {
		t.Errorf("label %q", got)
	}
}

// The state file of a running session reveals questions and turn endings that no hook reports.
func TestNoteShowsQuestionsAndEnds(t *testing.T) {
	l, err := ParseLive(lines(t, "session.json")[0])
	if err != nil || l.PID != 15553 || l.Started() != 1175816 {
		t.Fatal(l, err)
	}
	s := NewSession(l.Session, "", Config{})
	claims := func(updates Updates) (list []status.Claim) {
		for _, e := range updates.Evidence {
			list = append(list, e.Claim)
		}
		return list
	}
	if got := fmt.Sprint(claims(s.Live(l))); got != "[asked]" {
		t.Error(got)
	}
	l.Status = "idle"
	if got := fmt.Sprint(claims(s.Live(l))); got != "[answered turn_ended]" {
		t.Error(got)
	}
	for _, bad := range []string{"", "[]", `{"pid":0,"sessionId":"x"}`, `{"pid":7}`} {
		if _, err := ParseLive([]byte(bad)); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

// If a person presses Esc before the first word of the answer, no hook or row reports the end;
// only the state file does. A prompt that starts after the file changed stays open.
func TestStoppedBeforeTheFirstWord(t *testing.T) {
	s := NewSession("s", "", Config{})
	prompt := func(id string, at int64) Updates {
		h, err := ParseHook([]byte(`{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":"go","prompt_id":"` + id + `"}`))
		if err != nil {
			t.Fatal(err)
		}
		return s.Hook(h, at)
	}
	var all Updates
	all.Add(prompt("p1", 1000))
	all.Add(s.Live(Live{PID: 1, Session: "s", Status: "idle", Since: 2000}))
	all.Add(s.Settle(2000 + 2*quietPeriod - 1))
	if got := events(all); got != "received, turn_start p1" {
		t.Errorf("too early: %s", got)
	}
	all.Add(s.Settle(2000 + 2*quietPeriod))
	if got := events(all); got != "received, turn_start p1, turn_end p1" {
		t.Error(got)
	}
	last := all.Facts[len(all.Facts)-1].HUD
	if last.At != 2000 || !strings.Contains(string(last.Result), stopped) || s.Busy() {
		t.Errorf("%+v", last)
	}
	all = prompt("p2", 9000)
	all.Add(s.Live(Live{PID: 1, Session: "s", Status: "idle", Since: 8000})) // read late
	all.Add(s.Settle(60000))
	if got := events(all); got != "received, turn_start p2" {
		t.Errorf("a running turn was ended: %s", got)
	}
}

func FuzzHook(f *testing.F) {
	for _, line := range lines(f, "hooks.jsonl") {
		f.Add(line[len(`{"at": 1794772306, "body": `):])
	}
	f.Add([]byte(request))
	f.Fuzz(func(t *testing.T, body []byte) {
		h, err := ParseHook(body)
		if err != nil {
			return
		}
		s := NewSession(h.Session, h.AgentID, Config{})
		updates := s.Hook(h, 1000)
		s.Asks(h, 1)
		updates.Add(s.Hook(h, 500))
		updates.Add(s.GiveUp(2000, "over"))
		checkFacts(t, s, updates)
	})
}

func FuzzRow(f *testing.F) {
	for _, file := range []string{"transcript.jsonl", "subagent.jsonl"} {
		for _, line := range lines(f, file) {
			f.Add(line)
		}
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := ParseRow(line)
		if err != nil || r == nil {
			return
		}
		s := NewSession("s", "", Config{KeepThinking: true})
		updates := s.Row(r)
		updates.Add(s.Row(r))
		updates.Add(s.Settle(1 << 60))
		updates.Add(s.GiveUp(2000, "over"))
		checkFacts(t, s, updates)
	})
}

// checkFacts checks the properties that hold for every input: facts are unique and valid, nothing
// is left open, and no usage is negative.
func checkFacts(t *testing.T, s *Session, updates Updates) {
	t.Helper()
	seen := map[string]bool{}
	for _, f := range updates.Facts {
		if seen[f.HUD.UUID] {
			t.Errorf("%s twice", f.HUD.Event)
		}
		seen[f.HUD.UUID] = true
		if _, err := contracts.NewRecord(1, 1, "", &f.HUD); err != nil {
			t.Errorf("not a valid record: %v", err)
		}
	}
	if len(s.Open) > 0 {
		t.Errorf("%d turns or calls are open", len(s.Open))
	}
	for _, u := range updates.Usage {
		if u.Usage.TokensIn < 0 || u.Usage.TokensOut < 0 || u.Key == "" {
			t.Errorf("%+v", u)
		}
	}
}

// After a restart of the office, a hook without a prompt id still ends the open turn as a success.
func TestRestartInATurnWithoutPromptIDs(t *testing.T) {
	before, after := NewSession("s", "", Config{}), NewSession("s", "", Config{})
	for _, f := range before.Hook(hook(t, `{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"go"}`), 1000).Facts {
		if f.HUD.Event.Starts() {
			after.Restore(contracts.Opened{HUD: f.HUD, TS: 1000})
		}
	}
	updates := after.Hook(hook(t, `{"session_id":"s","hook_event_name":"Stop"}`), 5000)
	updates.Add(after.Settle(10_000))
	if len(updates.Facts) != 1 || updates.Facts[0].HUD.Event != contracts.HUDTurnEnd || updates.Facts[0].HUD.Result != nil || *updates.Facts[0].HUD.DurationMS != 4000 {
		t.Errorf("%+v", updates.Facts)
	}
}

// If the office restarts during a turn, stored hooks from earlier turns, whose facts are already
// recorded, do not end that turn. The turn's own stored hooks continue it in order.
func TestStoredHooksRepeatEarlierTurns(t *testing.T) {
	stored := func(event, turn, rest string) *Hook {
		h := hook(t, `{"session_id":"s","prompt_id":"`+turn+`","hook_event_name":"`+event+`"`+rest+`}`)
		h.Stored = true
		return h
	}
	call := `,"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"c2"`
	for name, c := range map[string]struct {
		rest []*Hook
		want []string
	}{
		"its own hooks follow": {
			[]*Hook{stored("PreToolUse", "p2", call), stored("PostToolUse", "p2", call), stored("Stop", "p2", "")},
			[]string{"turn_start p1", "turn_end p1", "tool_start c2", "tool_end c2", "turn_end p2"},
		},
		"a later turn follows": {
			[]*Hook{stored("UserPromptSubmit", "p3", `,"prompt":"on"`), hook(t, `{"session_id":"s","prompt_id":"p3","hook_event_name":"Stop"}`)},
			[]string{"turn_start p1", "turn_end p1", "turn_start p3", "turn_end p2", "turn_end p3"},
		},
		"it continues after the restart": {
			[]*Hook{hook(t, `{"session_id":"s","prompt_id":"p2","hook_event_name":"Stop"}`)},
			[]string{"turn_start p1", "turn_end p1", "turn_end p2"},
		},
	} {
		s := NewSession("s", "", Config{})
		for _, f := range NewSession("s", "", Config{}).Hook(stored("UserPromptSubmit", "p2", `,"prompt":"go"`), 900).Facts {
			if f.HUD.Event.Starts() {
				s.Restore(contracts.Opened{HUD: f.HUD, TS: 900})
			}
		}
		var updates Updates
		for i, h := range append([]*Hook{stored("UserPromptSubmit", "p1", `,"prompt":"first"`), stored("Stop", "p1", "")}, c.rest...) {
			updates.Add(s.Hook(h, int64(1000+i)))
		}
		updates.Add(s.Settle(60_000))
		var got []string
		for _, f := range updates.Facts {
			if f.HUD.Event != contracts.HUDReceived {
				got = append(got, fmt.Sprint(f.HUD.Event, " ", f.HUD.CorrelationID))
			}
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}
