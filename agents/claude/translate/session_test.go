package translate

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

const (
	recorded = "ac71de37-4aee-4961-8340-fa7226ffd1c5" // the session in testdata
	helper   = "a632d0e7f789acb92"                    // the session's sub-agent
)

// step is one event from Claude Code.
type step func(people map[string]*Session) Updates

func person(people map[string]*Session, agent string) *Session {
	if people[agent] == nil {
		people[agent] = NewSession(recorded, agent, Config{Home: "/home/dev"})
	}
	return people[agent]
}

func lines(t testing.TB, file string) [][]byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSpace(b), []byte("\n"))
}

func hookSteps(t testing.TB) (steps []step) {
	t.Helper()
	for _, line := range lines(t, "hooks.jsonl") {
		var rec struct {
			At   int64          `json:"at"`
			Body jsontext.Value `json:"body"`
		}
		if err := json.Unmarshal(line, &rec); err != nil {
			t.Fatal(err)
		}
		h, err := ParseHook(rec.Body)
		if err != nil {
			t.Fatal(err)
		}
		steps = append(steps, func(people map[string]*Session) Updates { return person(people, h.AgentID).Hook(h, rec.At) })
	}
	return steps
}

func rowSteps(t testing.TB, file, agent string) (steps []step) {
	t.Helper()
	for _, line := range lines(t, file) {
		if _, err := ParseRow(line); err != nil {
			t.Fatal(err)
		}
		steps = append(steps, func(people map[string]*Session) Updates {
			r, _ := ParseRow(line)
			if r == nil {
				return Updates{}
			}
			return person(people, agent).Row(r)
		})
	}
	return steps
}

// play runs the steps of several sources, randomly interleaved; each source keeps its own order.
func play(chance *rand.Rand, sources ...[]step) (all Updates, people map[string]*Session) {
	people = map[string]*Session{}
	sources = slices.Clone(sources)
	for {
		sources = slices.DeleteFunc(sources, func(s []step) bool { return len(s) == 0 })
		if len(sources) == 0 {
			break
		}
		i := chance.IntN(len(sources))
		all.Add(sources[i][0](people))
		sources[i] = sources[i][1:]
	}
	for _, agent := range slices.Sorted(maps.Keys(people)) {
		all.Add(people[agent].Settle(1 << 50))
	}
	return all, people
}

// facts returns a description of each fact, by id. It omits thinking, which is only in transcripts,
// and the start of a session, which is only in hooks.
func facts(updates Updates) map[string]string {
	ids := map[string]string{}
	for _, f := range updates.Facts {
		switch {
		case f.HUD.Event == contracts.HUDThinkStart, f.HUD.Event == contracts.HUDThinkEnd, f.HUD.Subtype == "new_session":
			continue
		}
		ids[f.HUD.UUID] = f.HUD.Session + " " + string(f.HUD.Event) + " " + f.HUD.CorrelationID
	}
	return ids
}

// The hooks and the transcript of a session produce the same facts, and each fact is reported
// once, whichever source comes first.
func TestHookAndTranscriptAreOne(t *testing.T) {
	hooks, rows, sub := hookSteps(t), rowSteps(t, "transcript.jsonl", ""), rowSteps(t, "subagent.jsonl", helper)
	first := rand.New(rand.NewPCG(1, 1))
	byHook, _ := play(first, hooks)
	byTranscript, _ := play(first, rows, sub)
	want := facts(byHook)
	if diff := cmp.Diff(want, facts(byTranscript)); diff != "" {
		t.Errorf("the hooks (-) and the transcript (+) give different facts:\n%s", diff)
	}
	for seed := range uint64(50) {
		both, people := play(rand.New(rand.NewPCG(seed, 9)), hooks, rows, sub)
		if diff := cmp.Diff(want, facts(both)); diff != "" {
			t.Fatalf("seed %d: together they give different facts:\n%s", seed, diff)
		}
		seen := map[string]bool{}
		for _, f := range both.Facts {
			if seen[f.HUD.UUID] {
				t.Fatalf("seed %d: %s was reported twice", seed, f.HUD.UUID)
			}
			seen[f.HUD.UUID] = true
		}
		for agent, s := range people {
			if s.Busy() {
				t.Fatalf("seed %d: %q still has %v open", seed, agent, s.Open)
			}
		}
	}
	starts, ends := 0, 0
	for _, f := range byHook.Facts {
		switch f.HUD.Event {
		case contracts.HUDToolStart, contracts.HUDTurnStart:
			starts++
		case contracts.HUDToolEnd, contracts.HUDTurnEnd:
			ends++
		}
	}
	if starts != ends || starts < 20 {
		t.Errorf("%d starts, %d ends", starts, ends)
	}
}

func find(t *testing.T, updates Updates, event contracts.HUDEvent, correlation string) contracts.HUD {
	t.Helper()
	for _, f := range updates.Facts {
		if f.HUD.Event == event && (f.HUD.CorrelationID == correlation || correlation == "" && f.HUD.Label != "") {
			return f.HUD
		}
	}
	t.Fatalf("no %s %s", event, correlation)
	return contracts.HUD{}
}

// The results in a real session have the shapes that their tools use, and are the same from hooks
// and from the transcript.
func TestResultsHaveTheShapeOfTheirTool(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 1))
	byHook, _ := play(chance, hookSteps(t))
	byRow, _ := play(chance, rowSteps(t, "transcript.jsonl", ""))
	for _, c := range []struct{ call, tool, label, result string }{
		{"toolu_0047a", "read", "👁 a.txt:L1–L1", `{"ok":true,"file":{"path":"/home/dev/shop/a.txt","viewerPath":"a.txt","area":{"startLine":1,"endLine":1}},"area":{"startLine":1,"endLine":1},"text":"line a\n","bytes":7,"truncated":false}`},
		{"toolu_0047b", "exec", "⚡ echo hi; sleep 0.2; ls", `{"ok":true,"exitCode":0,"stdout":"hi\na.txt","truncated":false}`},
		{"toolu_0050a", "exec", "⚡ echo out; echo err >&2; exit 3", `{"ok":false,"exitCode":3,"stdout":"out\nerr","truncated":false,"error":"exit code 3"}`},
		{"toolu_0058a", "exec", "", `{"ok":false,"exitCode":-1,"stdout":"","truncated":false,"mentionedPaths":[{"path":"/home/dev/shop/made","viewerPath":"made"},{"path":"/home/dev/shop/dd","viewerPath":"dd"}],"error":"not today"}`},
		{"toolu_0061a", "write", "✏️ new.txt (overwrite)", `{"ok":true,"file":{"path":"/home/dev/shop/new.txt","viewerPath":"new.txt","area":{"startLine":1,"endLine":3}},"area":{"startLine":1,"endLine":3},"bytes":14,"created":true}`},
		{"toolu_0062a", "edit", "✏️ new.txt:L2–L3", `{"ok":true,"file":{"path":"/home/dev/shop/new.txt","viewerPath":"new.txt","area":{"startLine":2,"endLine":3}},"area":{"startLine":2,"endLine":3},"diff":"@@ -1,3 +1,4 @@\n one\n-two\n+TWO\n+TWO-B\n three\n"}`},
		{"toolu_0065a", "web_fetch", "🌐 http://127.0.0.1:9/none", ``},
		{"toolu_0068a", "Nonexistent", "", `{"ok":false,"raw":"Error: No such tool available: Nonexistent"}`},
		{"toolu_0053a", "sessions_spawn", "", `{"ok":true,"summary":"sub done","raw":{"agent":"a632d0e7f789acb92","status":"completed","text":"sub done"}}`},
	} {
		a, b := find(t, byHook, contracts.HUDToolEnd, c.call), find(t, byRow, contracts.HUDToolEnd, c.call)
		if a.Tool != c.tool || c.label != "" && a.Label != c.label || c.result != "" && string(a.Result) != c.result {
			t.Errorf("%s by hook: %s %q %s", c.call, a.Tool, a.Label, a.Result)
		}
		if strings.Contains(string(b.Result), "tool_use_error") || b.Tool != a.Tool || string(b.Result) != string(a.Result) {
			t.Errorf("%s by transcript: %s %q %s", c.call, b.Tool, b.Label, b.Result)
		}
	}
}

// The result of an MCP tool is kept unchanged, whether a hook or the transcript reports it; only a
// list that contains nothing but text blocks becomes text.
func TestResultsOfMCPToolsAreKept(t *testing.T) {
	image := `[{"type":"image","source":{"data":"aGk="}}]`
	mixed := `[{"type":"text","text":"see"},{"type":"resource","resource":{"uri":"a://b"}}]`
	failed := `{"content":[{"type":"text","text":"no such row"}],"isError":true}`
	for _, c := range []struct{ tool, returned, want string }{
		{"mcp__db__query", `[{"x":1}]`, `{"ok":true,"raw":[{"x":1}]}`},
		{"mcp__db__query", `[1,2]`, `{"ok":true,"raw":[1,2]}`},
		{"mcp__db__query", `[]`, `{"ok":true,"raw":[]}`},
		{"mcp__db__query", `42`, `{"ok":true,"raw":42}`},
		{"mcp__db__query", `false`, `{"ok":true,"raw":false}`},
		{"mcp__db__query", `null`, `{"ok":true,"raw":null}`},
		{"mcp__db__query", `{"rows":[{"password":"hunter2hunter2"}]}`, `{"ok":true,"raw":{"rows":[{"password":"[redacted]"}]}}`},
		{"mcp__db__query", `{"a":1,"a":2}`, `{"ok":true,"raw":"{\"a\":1,\"a\":2}"}`},
		{"mcp__db__query", `"said"`, `{"ok":true,"raw":"said"}`},
		{"mcp__db__query", `[{"type":"text","text":"one"},{"type":"text","text":"two"}]`, `{"ok":true,"raw":"one\ntwo"}`},
		{"mcp__db__query", image, `{"ok":true,"raw":` + image + `}`},
		{"mcp__db__query", mixed, `{"ok":true,"raw":` + mixed + `}`},
		{"mcp__db__query", failed, `{"ok":false,"raw":` + failed + `,"error":"no such row"}`},
		{"browser", `{"clicked":true}`, `{"ok":true,"summary":"{\"clicked\":true}","raw":{"clicked":true}}`},
		{"Read", image, `{"ok":true,"raw":` + image + `}`},
	} {
		post := `{"session_id":"s","prompt_id":"p","hook_event_name":"PostToolUse","tool_name":"` + c.tool + `","tool_use_id":"c1","tool_response":` + c.returned + `}`
		use := `{"type":"assistant","uuid":"u","message":{"content":[{"type":"tool_use","id":"c1","name":"` + c.tool + `","input":{}}]}}`
		answer := `{"type":"user","uuid":"v","toolUseResult":` + c.returned + `,"message":{"content":[{"type":"tool_result","tool_use_id":"c1"}]}}`
		bare := `{"type":"user","uuid":"v","message":{"content":[{"type":"tool_result","tool_use_id":"c1","content":` + c.returned + `}]}}`
		byHook := NewSession("s", "", Config{}).Hook(hook(t, post), 1000)
		if got := string(find(t, byHook, contracts.HUDToolEnd, "c1").Result); got != c.want {
			t.Errorf("%s %s by hook: %s", c.tool, c.returned, got)
		}
		for _, text := range []string{answer, bare} {
			s := NewSession("s", "", Config{})
			s.Row(row(t, use))
			if got := string(find(t, s.Row(row(t, text)), contracts.HUDToolEnd, "c1").Result); got != c.want {
				t.Errorf("%s by transcript: %s", text, got)
			}
		}
	}
}

// A truncated result keeps its shape and refers to the full result.
func TestLargeResultKeepsItsShape(t *testing.T) {
	data := strings.Repeat("QUJD", contracts.LimitHUDInline)
	post := `{"session_id":"s","prompt_id":"p","hook_event_name":"PostToolUse","tool_name":"mcp__shot","tool_use_id":"c1","tool_response":[{"type":"image","data":"` + data + `"}]}`
	updates := NewSession("s", "", Config{}).Hook(hook(t, post), 1000)
	end := updates.Facts[len(updates.Facts)-1]
	var part struct {
		Raw []struct {
			Type string `json:"type"`
		} `json:"raw"`
		Truncated bool   `json:"truncated"`
		Ref       string `json:"ref"`
	}
	if err := json.Unmarshal(end.HUD.Result, &part); err != nil || len(part.Raw) != 1 || part.Raw[0].Type != "image" || !part.Truncated || part.Ref == "" {
		t.Errorf("%v %.200s", err, end.HUD.Result)
	}
	if !strings.Contains(string(end.Whole), data) {
		t.Errorf("the whole has %d bytes", len(end.Whole))
	}
}

// Esc during a turn triggers no hook; only the transcript reports the interruption.
func TestInterruptIsSeenInTheTranscript(t *testing.T) {
	updates, _ := play(rand.New(rand.NewPCG(1, 1)), rowSteps(t, "transcript.jsonl", ""))
	end := find(t, updates, contracts.HUDToolEnd, "toolu_0071a")
	turn := find(t, updates, contracts.HUDTurnEnd, end.ParentID)
	if !strings.Contains(string(turn.Result), "interrupted by the user") {
		t.Errorf("the turn ended with %s", turn.Result)
	}
	if !slices.ContainsFunc(updates.Evidence, func(e status.Evidence) bool { return e.Claim == status.Interrupted }) {
		t.Error("no evidence of the interruption")
	}
}

// A sub-agent is a separate agent whose parent is the session that started it.
func TestSubagentHasItsParent(t *testing.T) {
	_, people := play(rand.New(rand.NewPCG(1, 1)), hookSteps(t))
	sub, parent := people[helper].Profile(), people[""].Profile()
	if sub.ParentID != parent.AgentID || sub.Session != "claude:"+recorded+":"+helper || sub.Name != "general-purpose" || sub.AgentID == parent.AgentID {
		t.Errorf("%+v", sub)
	}
	if parent.Name != "shop" || parent.Place != "~/shop" || !strings.HasPrefix(parent.Model, "claude-opus") || parent.Session != "claude:"+recorded {
		t.Errorf("%+v", parent)
	}
	if s := people[helper]; !s.NameSubagent("general-purpose", "count things") || s.Profile().Name != "count things" {
		t.Error("the sub-agent is not named after its task")
	}
	for _, p := range []contracts.AgentProfile{sub, parent} {
		if !contracts.HasPrefix(p.AgentID, contracts.PrefixAgent) {
			t.Errorf("%s is not an agent id", p.AgentID)
		}
	}
}

// A session belongs to the repository that it was first seen in, or to the folder if there is no
// repository. Changing to another folder changes only the session's place.
func TestRepositoryOfASession(t *testing.T) {
	repo := func(dir string) (string, bool) { return "/home/dev/shop", strings.HasPrefix(dir, "/home/dev/shop") }
	for _, c := range []struct{ first, want string }{
		{"/home/dev/shop/web", "~/shop"},
		{"/srv/notes", "/srv/notes"},
	} {
		s := NewSession("s", "", Config{Home: "/home/dev", Repo: repo})
		s.updateProfile(c.first, "")
		s.updateProfile("/tmp/elsewhere", "")
		if s.profile.Repo != c.want || s.profile.Place != "/tmp/elsewhere" {
			t.Errorf("first in %s: %+v", c.first, s.profile)
		}
	}
	if s := NewSession("s", "sub", Config{Home: "/home/dev", Repo: repo}); s.updateProfile("/srv/notes", "") && s.profile.Repo != "" {
		t.Errorf("a sub-agent belongs to %s", s.profile.Repo)
	}
}
