package translate_test

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/agents/opencode/translate"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
)

// rig sends events to a session and collects the facts and evidence that it returns.
type rig struct {
	t *testing.T
	guest.Session
	updates guest.Updates
	at      int64
}

func newRig(t *testing.T) *rig {
	t.Helper()
	return &rig{t: t, Session: translate.NewSession("s", "", guest.Config{Home: "/home/dev"}), at: 1_000}
}

// event sends the session an event with the given properties.
func (r *rig) event(kind, properties string) *translate.Hook {
	r.t.Helper()
	r.at++
	h, err := translate.ParseHook(fmt.Appendf(nil, `{"hook_event_name":%q,"session_id":"s","event_id":"e%d","cwd":"/home/dev/x","properties":%s}`, kind, r.at, properties))
	if err != nil {
		r.t.Fatalf("%v: %s", err, properties)
	}
	r.updates.Add(r.Hook(h, r.at))
	return h
}

// prompt sends the session the events of a person's prompt.
func (r *rig) prompt(id string) {
	r.t.Helper()
	r.event("message.updated", `{"info":{"id":"`+id+`","role":"user","model":{"modelID":"m1"}}}`)
	r.event("message.part.updated", `{"part":{"id":"p`+id+`","type":"text","text":"hello","messageID":"`+id+`"}}`)
}

func (r *rig) tool(call, state string) {
	r.t.Helper()
	r.event("message.part.updated", `{"part":{"type":"tool","tool":"bash","callID":"`+call+`","messageID":"a1","state":`+state+`}}`)
}

func (r *rig) says(text string) {
	r.t.Helper()
	r.event("message.part.updated", `{"part":{"id":"t","type":"text","text":"`+text+`","messageID":"a1","time":{"start":1,"end":2}}}`)
}

// story returns one line per fact.
func (r *rig) story() string {
	var b strings.Builder
	for _, f := range r.updates.Facts {
		fmt.Fprintf(&b, "%s %s %s %s%s\n", f.HUD.Event, f.HUD.Tool, f.HUD.Label, f.HUD.Result, f.HUD.Said)
	}
	return b.String()
}

// want fails the test unless the texts occur in the story in the given order.
func (r *rig) want(texts ...string) {
	r.t.Helper()
	rest := r.story()
	for _, text := range texts {
		_, after, found := strings.Cut(rest, text)
		if !found {
			r.t.Fatalf("%q is missing after the earlier ones in\n%s", text, r.story())
		}
		rest = after
	}
}

func (r *rig) claims() (list []status.Claim) {
	for _, e := range r.updates.Evidence {
		list = append(list, e.Claim)
	}
	return list
}

// The recorded events of a real OpenCode session produce the expected facts, evidence and usage.
func TestRecordedSession(t *testing.T) {
	f, err := os.Open("testdata/events.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := newRig(t)
	for s := bufio.NewScanner(f); s.Scan(); {
		kind, properties := split(t, s.Text())
		r.event(kind, properties)
	}
	r.want("session started", "received", "turn_start", "tool_start read", "tool_end read", `"ok":true`, "tool_start exec", "tool_end exec", "rejected permission", "turn_end", "I look.")
	c := r.claims()
	if r.Busy() || !slices.Contains(c, status.Asked) || !slices.Contains(c, status.Answered) || c[len(c)-1] == status.Asked {
		t.Errorf("%v\n%s", c, r.story())
	}
	if u := r.updates.Usage; len(u) != 2 || u[0].Usage.TokensIn != 100 || u[0].Usage.TokensOut != 20 || u[0].Key == u[1].Key || u[0].Usage.CostUSD != nil || u[0].Usage.Model != "stub-model" {
		t.Errorf("%+v", r.updates.Usage)
	}
	if profile := r.Profile(); profile.Place != "~/code/projF" || profile.Model != "stub-model" {
		t.Errorf("%+v", profile)
	}
	if n := strings.Count(r.story(), "turn_start"); n != 1 {
		t.Errorf("%d turns:\n%s", n, r.story())
	}
}

// split returns the name and the properties of an event, as the plugin sends them.
func split(t *testing.T, line string) (kind, properties string) {
	t.Helper()
	_, rest, ok := strings.Cut(line, `"type": "`)
	kind, rest, _ = strings.Cut(rest, `"`)
	_, properties, found := strings.Cut(rest, `"properties": `)
	if !ok || !found {
		t.Fatalf("not an event: %s", line)
	}
	if kind == "permission.asked" {
		kind = "PermissionRequest"
	}
	return kind, strings.TrimSuffix(properties, "}")
}

const running = `{"status":"running","input":{"command":"make"}}`

// Events that are malformed or arrive in an unusual order do not break a turn.
func TestOddEvents(t *testing.T) {
	ended := func(state string) string { return `{"input":{"command":"make"},` + state + `}` }
	for name, c := range map[string]struct {
		play func(r *rig)
		want []string
	}{
		"done after a failure": {func(r *rig) {
			r.tool("c", running)
			r.tool("c", ended(`"status":"completed","output":"no rule","metadata":{"exit":2}`))
			r.says("all done")
		}, []string{"tool_end exec", `"exitCode":2`, "turn_end", "all done"}},
		"an unknown exit code": {func(r *rig) {
			r.tool("c", running)
			r.tool("c", ended(`"status":"completed","output":"x"`))
		}, []string{"tool_end exec", `"exitCode":-1`, "turn_end"}},
		"a call without an end": {func(r *rig) { r.tool("c", running) }, []string{"tool_end exec", hud.NoEnd, "turn_end"}},
		"an interruption": {func(r *rig) {
			r.tool("c", running)
			r.event("session.error", `{"error":{"name":"MessageAbortedError","data":{"message":"Aborted"}}}`)
			r.event("session.idle", `{}`)
			r.tool("c", ended(`"status":"error","error":"Tool execution aborted"`))
		}, []string{"tool_end exec", "interrupted by the user", "turn_end", "interrupted by the user"}},
		"a model that failed": {func(r *rig) {
			r.event("session.error", `{"error":{"name":"APIError","data":{"message":"400 broke"}}}`)
		}, []string{"turn_end", "400 broke"}},
		"events after the end": {func(r *rig) {
			r.says("bye")
			r.event("session.idle", `{}`)
			r.says("late")
			r.event("permission.replied", `{}`)
		}, []string{"turn_end", "bye"}},
		"unknown events": {func(r *rig) {
			r.event("session.hologram", `{"info":7,"part":[]}`)
			r.tool("c", `{"status":"beaming"}`)
		}, []string{"turn_start", "turn_end"}},
		"members of another type": {func(r *rig) {
			r.tool("c", `{"status":"running","input":[1]}`)
			r.tool("c", `{"status":"completed","output":{"a":1},"metadata":"x"}`)
		}, []string{"tool_end exec", "turn_end"}},
		"hostile text": {func(r *rig) {
			r.tool("c\\u0000", `{"status":"running","input":{"command":"\u001b[31m\u202e"}}`)
			r.says(`\u001b]0;x\u0007`)
		}, []string{"tool_start", "turn_end"}},
		"text that was added": {func(r *rig) {
			r.event("message.part.updated", `{"part":{"type":"text","text":"secret","synthetic":true,"messageID":"u1"}}`)
		}, []string{"hello", "turn_end"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.prompt("u1")
			c.play(r)
			r.event("session.idle", `{}`)
			r.want(c.want...)
			if strings.Count(r.story(), "turn_end") != 1 || r.Busy() || strings.ContainsAny(r.story(), "\x00\x1b\u202e\x07") || strings.Contains(r.story(), "secret") {
				t.Error(r.story())
			}
		})
	}
}

// The answer to a permission request has the format that the plugin expects.
func TestPermission(t *testing.T) {
	r := newRig(t)
	r.prompt("u1")
	r.tool("c1", running)
	h := r.event("PermissionRequest", `{"id":"per_1","permission":"bash","patterns":["make"],"metadata":{"command":"make"},"tool":{"messageID":"a1","callID":"c1"}}`)
	asks := r.Asks(h, 5_000)
	if !h.Head().Asks || len(asks) != 1 || asks[0].Permission.CallID != "c1" || asks[0].Prompt != "OpenCode in ~/x wants to run: make" {
		t.Errorf("%+v", asks)
	}
	decided := func(status contracts.DecisionStatus, choice string) string {
		return string(h.Answer(contracts.Decision{Status: status, Choice: choice}))
	}
	if got := decided(contracts.DecisionResolved, contracts.OptionAllow); got != `{"reply":"once"}` {
		t.Error(got)
	}
	if got := decided(contracts.DecisionResolved, contracts.OptionDeny); got != `{"reply":"reject"}` {
		t.Error(got)
	}
	if got := decided(contracts.DecisionCancelled, contracts.OptionAllow); got != "" {
		t.Errorf("allowed by mistake: %s", got)
	}
	bare := r.event("PermissionRequest", `{"id":"per_2","permission":"external_directory","patterns":["/etc/*"]}`)
	if asks := r.Asks(bare, 5_000); len(asks) != 1 || !strings.Contains(string(asks[0].Permission.Args), "/etc/*") {
		t.Errorf("%+v", asks)
	}
}

// Questions stay open while other events arrive, and the answer to one question does not close the
// others.
func TestOpenQuestions(t *testing.T) {
	r := newRig(t)
	r.prompt("u1")
	ask := func(id, call string) {
		r.event("PermissionRequest", `{"id":"`+id+`","permission":"bash","metadata":{"command":"make"},"tool":{"callID":"`+call+`"}}`)
	}
	ask("per_1", "c1")
	ask("per_2", "c2")
	r.tool("c1", running)
	r.says("meanwhile")
	r.event("session.status", `{"status":{"type":"busy"}}`)
	if len(r.updates.EndedCalls) > 0 {
		t.Fatalf("no question was answered, but these are over: %q", r.updates.EndedCalls)
	}
	r.event("permission.replied", `{"requestID":"per_2","reply":"once"}`)
	if d := cmp.Diff([]string{"c2"}, r.updates.EndedCalls); d != "" {
		t.Error(d)
	}
	r.event("session.idle", `{}`)
	if !slices.Contains(r.updates.EndedCalls, "c1") {
		t.Errorf("over: %q", r.updates.EndedCalls)
	}
}

func FuzzEvents(f *testing.F) {
	f.Add([]byte(`{"hook_event_name":"message.part.updated","session_id":"s","properties":{"part":{"type":"tool","callID":"c","state":{"status":"running"}}}}`))
	f.Add([]byte(`{"hook_event_name":"session.idle","session_id":"s"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		s := translate.NewSession("s", "", guest.Config{})
		for at := range int64(2) {
			if h, err := translate.ParseHook(body); err == nil {
				s.Hook(h, at)
				s.Asks(h, 2)
			}
		}
		s.GiveUp(3, "gone")
		if s.Busy() {
			t.Error("something is open after GiveUp")
		}
	})
}

// The status that OpenCode's server reports for a silent session is independent evidence. It does
// not start or end a turn by itself, and unknown statuses are ignored.
func TestServerIsAskedAboutASilentSession(t *testing.T) {
	r := newRig(t)
	r.prompt("u1")
	before := r.story()
	r.updates.Evidence = nil
	for _, state := range []string{"busy", "retry", "idle", "dreaming"} {
		r.event("survey", `{"status":{"type":"`+state+`"}}`)
	}
	var got []string
	for _, e := range r.updates.Evidence {
		got = append(got, fmt.Sprint(e.Source, " ", e.Claim, " ", e.Says))
	}
	want := []string{"program busy opencode session status: busy", "program busy opencode session status: busy", "program turn_ended opencode session status: idle"}
	if diff := cmp.Diff(want, got); diff != "" || r.story() != before {
		t.Errorf("%s\n%s", diff, r.story())
	}
}
