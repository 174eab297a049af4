package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/work"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/tui/link"
)

// sequences are control sequences that untrusted text may contain.
var sequences = []string{"\x1b[2J", "\x1b]0;title\x07", "\x1b]52;c;cm0=\x07", "\u009b2J", "\x1b", "\r", "\b", "\x00", "\u202e", "\t", "\x1b[31m", "\x1bP", "\n"}

// TestWrap checks that wrapped text fits the width, keeps every character except whitespace, and
// breaks no word that fits on a line.
func TestWrap(t *testing.T) {
	words := rapid.SampledFrom([]string{"a", "tea", "  ", " ", "word", "日本語", "e\u0301", "👩‍👩‍👧", "a,b", strings.Repeat("long", 9), "}", "x=1;"})
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.IntRange(2, 30).Draw(t, "width")
		var spans []workSpan
		all := ""
		for _, word := range rapid.SliceOfN(words, 0, 30).Draw(t, "words") {
			spans = append(spans, workSpan{text: model.Plain(word)})
			all += model.Plain(word)
		}
		var kept strings.Builder
		for _, line := range wrapSpans(spans, w) {
			text := ansi.Strip(render(line.spans))
			if got := ansi.StringWidth(text); got > w {
				t.Fatalf("%q has %d cells, want at most %d", text, got, w)
			}
			if line.hard && ansi.StringWidth(strings.Fields(text)[0]) == 0 {
				t.Fatalf("%q has an empty continuation", text)
			}
			if !line.hard {
				kept.WriteString(" ")
			}
			kept.WriteString(text)
		}
		want, got := strings.Fields(all), strings.Fields(kept.String())
		if fmt.Sprint(want) != fmt.Sprint(got) {
			t.Fatalf("%q became %q", want, got)
		}
		for _, word := range want { // every word that fits is unbroken on some line
			if ansi.StringWidth(word) > w {
				continue
			}
			whole := false
			for _, line := range wrapSpans(spans, w) {
				whole = whole || strings.Contains(ansi.Strip(render(line.spans)), word)
			}
			if !whole {
				t.Fatalf("%q is cut though %d cells are enough", word, w)
			}
		}
	})
}

// TestWorkIsSafe checks that a view of any call or result fits the width and contains no
// control sequence.
func TestWorkIsSafe(t *testing.T) {
	part := rapid.SampledFrom(append([]string{"word ", "日本", strings.Repeat("long", 12), "@@ -1,2 +1,2 @@\n", "+x\n", "-y\n", " z\n"}, sequences...))
	text := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(part, 0, 8).Draw(t, "parts"), "") })
	rapid.Check(t, func(t *rapid.T) {
		value := func(names ...string) jsontext.Value {
			m := map[string]any{}
			for _, name := range names {
				m[name] = text.Draw(t, name)
			}
			b, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		tool := rapid.SampledFrom([]string{"edit", "write", "exec", "read", "web_fetch", "mcp__x"}).Draw(t, "tool")
		args := value("path", "old_string", "new_string", "content", "command", text.Draw(t, "name"))
		result := value("stdout", "stderr", "text", "diff", "error", "raw")
		if rapid.Bool().Draw(t, "asks") {
			result = nil
		}
		w := rapid.IntRange(10, 70).Draw(t, "width")
		l := newLook(rapid.Bool().Draw(t, "dark"), false)
		var d workDoc
		v := work.Of(tool, args, result)
		d.put(&l, v, rapid.Bool().Draw(t, "whole"))
		d.rest(&l, v, args)
		for _, cut := range []bool{false, true} {
			laid := d.layout(&l, w, cut, rapid.Bool().Draw(t, "unfold"), rapid.IntRange(0, 20).Draw(t, "left"))
			for _, line := range laid.lines {
				line = l.highlight(line, "wo")
				if got := ansi.StringWidth(line); got > w {
					t.Fatalf("a line has %d cells, want at most %d: %q", got, w, line)
				}
				for line != "" {
					at := strings.IndexAny(line, "\x1b\x07\u009b\u202e\r\b\x00")
					if at < 0 {
						break
					}
					end := strings.IndexByte(line[at:], 'm')
					if line[at] != 0x1b || end < 0 || !isColour(line[at:at+end+1]) {
						t.Fatalf("%q controls the terminal", line[at:])
					}
					line = line[at+end+1:]
				}
			}
		}
	})
}

// TestPermissionShowsEverything checks that a permission request shows all arguments of a call.
func TestPermissionShowsEverything(t *testing.T) {
	a := &app{look: newLook(true, false)}
	rapid.Check(t, func(t *rapid.T) {
		tool := rapid.SampledFrom([]string{"edit", "write", "append", "exec", "read", "web_fetch", "mcp__x"}).Draw(t, "tool")
		names := rapid.SliceOfDistinct(rapid.SampledFrom([]string{"path", "command", "old_string", "new_string", "content", "edits", "insert_text", "timeout", "mode", "description"}), rapid.ID).Draw(t, "names")
		args := map[string]any{}
		for i, name := range names {
			args[name] = fmt.Sprintf("word%dx", i)
			if name == "edits" {
				args[name] = []any{map[string]any{"old_string": fmt.Sprintf("word%dx", i), "new_string": "b", "note": fmt.Sprintf("extra%dx", i)}}
			}
		}
		b, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		doc := a.permissionDoc(&contracts.Permission{Tool: tool, Args: b})
		shown := ansi.Strip(strings.Join(doc.lines(&a.look, 60), "\n"))
		for i, name := range names {
			if !strings.Contains(shown, fmt.Sprintf("word%dx", i)) || name == "edits" && !strings.Contains(shown, fmt.Sprintf("extra%dx", i)) {
				t.Fatalf("%s of %s is not shown:\n%s\n%s", name, tool, b, shown)
			}
		}
	})
}

// fact sends an activity event for the agent Rhea.
func (s *stage) fact(id string, event contracts.HUDEvent, call, tool, args, result string) {
	s.t.Helper()
	h := &contracts.HUD{UUID: id, Event: event, CorrelationID: call, Tool: tool, AgentID: "agent_r", Label: tool + " " + call}
	if args != "" {
		h.Args = jsontext.Value(args)
	}
	if result != "" {
		h.Result = jsontext.Value(result)
	}
	s.now = s.now.Add(1)
	s.tell(link.Update{Messages: []model.Message{{Type: contracts.MessageType(contracts.KindHUD), ID: id, TS: s.now.UnixMilli(), Payload: h}}})
}

const (
	editArgs   = `{"path":"/home/me/shop/src/cart.ts","old_string":"  const total = items.length * price;\n  return total;","new_string":"  const total = items.reduce((sum, item) => sum + item.price * item.count, 0);\n  return Math.round(total);","operation":"edit"}`
	editResult = `{"ok":true,"file":{"path":"/home/me/shop/src/cart.ts","viewerPath":"src/cart.ts"},"diff":"@@ -3,4 +3,4 @@\n import { price } from './price';\n \n-export function sum(items) {\n+export function sum(items: readonly Item[]): number {\n   let total = 0;\n@@ -40,5 +40,6 @@ function render()\n   const row = document.createElement('tr');\n-  row.innerText = name;\n+  row.textContent = name;\n+  row.title = name;\n   return row;\n }\n \n"}`
	execResult = `{"ok":false,"exitCode":1,"stdout":"PASS src/price.test.ts\nFAIL src/cart.test.ts\n  12 tests, 1 failed","stdoutStyles":"0:0-4=1;32 1:0-4=1;31 2:12-20=31","stderr":"npm error code 1","truncated":false,"error":"exit code 1"}`
)

// coding plays an office with a Claude Code session that has edited a file and run the tests, and
// is asking for permission.
func coding(s *stage, keys ...string) {
	s.t.Helper()
	s.live(true)
	snap := &contracts.Snapshot{Seq: 1, Agents: []contracts.Agent{{AgentProfile: contracts.AgentProfile{AgentID: "agent_r", Name: "Rhea", Source: "claude"}, Activity: contracts.ActivityWorking}},
		Decisions: []contracts.Decision{{DecisionID: "dec_1", Kind: contracts.DecisionPermission, Status: contracts.DecisionOpen, AskedBy: "agent_r", AskedAt: s.now.UnixMilli(), Prompt: "Edit cart.ts",
			Options: []string{contracts.OptionAllow, contracts.OptionDeny}, Permission: &contracts.Permission{Tool: "edit", Label: "src/cart.ts", Place: "/home/me/shop", Args: jsontext.Value(editArgs)}}}}
	s.tell(link.Update{Messages: []model.Message{{Type: contracts.TypeSnapshot, ID: "snap_1", TS: s.now.UnixMilli(), Seq: 1, Payload: snap}}})
	s.fact("1", contracts.HUDToolStart, "c1", "edit", `{"path":"/home/me/shop/src/cart.ts"}`, "")
	s.fact("2", contracts.HUDToolEnd, "c1", "edit", "", editResult)
	s.fact("3", contracts.HUDToolStart, "c2", "exec", `{"command":"npm test -- --run","description":"Run the tests"}`, "")
	s.fact("4", contracts.HUDToolEnd, "c2", "exec", "", execResult)
	s.keys(keys...)
}

func coded(keys ...string) func(*stage) { return func(s *stage) { coding(s, keys...) } }

// TestWorkViewKeys checks the keys of the work view: hunks, folds, wrapping, searching.
func TestWorkViewKeys(t *testing.T) {
	s := newStage(t, 80, 24)
	coding(s, "a", "down", "w")
	s.says("hunk 1 of 2", "src/cart.ts  +3 −2", "  5    - export function sum(items) {", "     5 + export function sum(items: readonly Item[]): number {")
	s.keys("n")
	s.says("hunk 2 of 2")
	s.keys("n", "p")
	s.says("hunk 1 of 2")
	s.keys("/", `"innertext"`)
	s.says("1 of 1", "/ innertext")
	s.keys("enter", "esc")
	s.says("hunk 1 of 2", "W no wrap")
	s.keys("w")
	s.says("not wrapped", "W wrap")
	s.keys("esc")
	s.says("Everyone")
}

// TestOutputColours checks that a program's colours are kept unless they hide its text.
func TestOutputColours(t *testing.T) {
	red := work.Colour{Kind: work.Palette, Index: 1}
	for _, c := range []struct {
		name  string
		style work.Style
		dark  bool
		want  string
	}{
		{"red", work.Style{Fg: red}, true, "\x1b[31mx\x1b[m"},
		{"bold on blue", work.Style{Bold: true, Fg: red, Bg: work.Colour{Kind: work.Palette, Index: 4}}, true, "\x1b[1;31;44mx\x1b[m"},
		{"red on red", work.Style{Fg: red, Bg: red}, true, "x"},
		{"black on dark", work.Style{Fg: work.Colour{Kind: work.Palette}}, true, newLookSoft(true)},
		{"white on light", work.Style{Fg: work.Colour{Kind: work.True, R: 255, G: 255, B: 255}}, false, newLookSoft(false)},
		{"orange", work.Style{Fg: work.Colour{Kind: work.Palette, Index: 208}}, true, "\x1b[38;5;208mx\x1b[m"},
	} {
		l := newLook(c.dark, false)
		if got := l.output(c.style).Render("x"); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func newLookSoft(dark bool) string { l := newLook(dark, false); return l.soft.Render("x") }

// TestFolds checks that a long diff is collapsed around its changes, and that Z expands it.
func TestFolds(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", atEnd)(s)
	for _, a := range s.office.Rows().Artifacts {
		s.conn.texts["/v1/artifacts/"+a.ArtifactID+"/content"] = strings.Repeat("same\n", 30) + "version " + itoa(a.Version) + "\n" + strings.Repeat("after\n", 30)
	}
	for _, a := range s.office.Rows().Artifacts {
		if a.Version == 2 {
			s.run(s.openArtifact(a.ArtifactID), 0)
		}
	}
	s.wait(badToastFor)
	s.says("27 unchanged lines", "31    - version 1", "Z unfold")
	s.keys("z")
	s.says("Z fold", " 1  1   same")
	s.keys("/", `"version"`, "enter", ".")
	s.says("2 of 2", "31    - version 1")
	s.keys("c") // the version is approved: nothing to change
	s.says("Chat")
}

// TestWorkOfPerson checks that an agent's page opens its newest call in the same view.
func TestWorkOfPerson(t *testing.T) {
	s := newStage(t, 80, 24)
	coding(s, "1", "enter", "w")
	s.says("Rhea · exec c2", "$ npm test -- --run", "exit code 1")
	s.keys("esc")
	s.says("W the newest call")
}
