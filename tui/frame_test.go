package tui

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/tui/link"
)

var update = flag.Bool("update", false, "rewrite the golden frames")

// Interesting points in the recordings, as line numbers.
const (
	afterKickoff = 30
	atWork       = 77
	atQuestion   = 81
	atReview     = 102
	atEnd        = 155
	guestsAsk    = 117
)

const document = "# Plan for the tea shop\n\n> **Rehearsal.** The built-in crew made this page without a model.\n\n## Goal\n\nSell **good tea** to neighbours.\n\n- Black\n- Green\n- [x] Herbal\n\n| tea | price |\n|---|---|\n| Assam | 4 |\n| Sencha | 6 |\n\n```go\nfmt.Println(\"tea\")\n```\n\nSee <https://tea.example>.\n"

// scene is a state of the screen that is compared with golden frames, one per terminal size. tell
// is the story that leads to it.
type scene struct {
	name string
	tell func(s *stage)
}

func played(file string, upTo int, keys ...string) func(*stage) {
	return func(s *stage) {
		s.live(true)
		s.play(file, upTo)
		s.keys(keys...)
	}
}

// seen returns a story that also waits until the open card accepts keys.
func seen(tell func(*stage)) func(*stage) {
	return func(s *stage) { tell(s); s.wait(armFor) }
}

var scenes = []scene{
	{"connecting", func(s *stage) {}},
	{"office_quiet", played("first_minute.jsonl", 1)},
	{"office_walk", played("first_minute.jsonl", 20)},
	{"office_planned", played("first_minute.jsonl", afterKickoff)},
	{"office_question", played("first_minute.jsonl", atQuestion, "7")},
	{"office_trophy", func(s *stage) { played("first_minute.jsonl", atEnd)(s); s.wait(time.Second) }},
	{"office_follow", played("first_minute.jsonl", atWork, "4", "f")},
	{"office_guests", played("guests.jsonl", guestsAsk)},
	{"office_crowd", func(s *stage) { crowded(80)(s); s.keys("3") }},
	{"office_campus", func(s *stage) { campusOf(60, sixStudios...)(s); s.keys("5") }},
	{"office_garden", func(s *stage) { campusOf(60, sixStudios...)(s); s.keys("[") }},
	{"people_campus", func(s *stage) { campusOf(30, sixStudios...)(s); s.keys("p", "down", "down") }},
	{"needs_campus", seen(func(s *stage) { campusOf(60, sixStudios...)(s); s.keys("space", "down") })},
	{"activity_campus", func(s *stage) { campusOf(30, sixStudios...)(s); s.calls(2); s.keys("a", "down") }},
	{"office_hostile", func(s *stage) {
		campusOf(200, slices.Repeat(hostileNames, 2)[:contracts.LimitRooms]...)(s)
		s.keys("]", "]", "]", "]", "]", "]")
	}},
	{"people", played("first_minute.jsonl", atQuestion, "p", "down", "down")},
	{"people_guests", played("guests.jsonl", guestsAsk, "p")},
	{"person", played("first_minute.jsonl", atWork, "4", "enter")},
	{"person_guest", played("guests.jsonl", guestsAsk, "1", "enter")},
	{"needs_nothing", played("first_minute.jsonl", 1, "space")},
	{"needs_question", played("first_minute.jsonl", atQuestion, "space", "down")},
	{"needs_just_come", played("first_minute.jsonl", atReview, "space")},
	{"needs_review", seen(played("first_minute.jsonl", atReview, "space"))},
	{"needs_permission", seen(played("guests.jsonl", guestsAsk, "space"))},
	{"needs_unchecked", seen(unchecked("space"))},
	{"person_unchecked", func(s *stage) { unchecked()(s); s.show(model.Ref{Kind: "agent", ID: "agent_ada"}) }},
	{"needs_no_credential", seen(func(s *stage) { s.live(false); s.play("guests.jsonl", guestsAsk); s.keys("space") })},
	{"board", played("first_minute.jsonl", atQuestion, "b", "down")},
	{"board_menu", played("first_minute.jsonl", atQuestion, "b", "down", "enter")},
	{"board_result", func(s *stage) {
		played("first_minute.jsonl", atReview)(s)
		for _, a := range s.office.Rows().Artifacts {
			s.conn.texts["/v1/artifacts/"+a.ArtifactID+"/content"] = document
		}
		s.keys("b", "down", "end")
	}},
	{"board_none", played("first_minute.jsonl", 1, "b")},
	{"chat", played("first_minute.jsonl", afterKickoff, "c")},
	{"activity", played("first_minute.jsonl", atWork, "a")},
	{"activity_unfolded", played("first_minute.jsonl", atReview, "a", "down", "enter")},
	{"timeline", played("first_minute.jsonl", atReview, "t", "[")},
	{"timeline_filter", played("first_minute.jsonl", atReview, "t", "v")},
	{"artifact", func(s *stage) {
		s.live(true)
		s.play("first_minute.jsonl", atReview)
		for _, a := range s.office.Rows().Artifacts {
			s.conn.texts["/v1/artifacts/"+a.ArtifactID+"/content"] = document
		}
		s.keys("space", "enter")
	}},
	{"artifact_changes", func(s *stage) {
		played("first_minute.jsonl", atEnd)(s)
		for _, a := range s.office.Rows().Artifacts {
			s.conn.texts["/v1/artifacts/"+a.ArtifactID+"/content"] = strings.ReplaceAll(document, "Assam | 4", "Assam | "+itoa(3+a.Version)) + strings.Repeat("\nAnd more.", a.Version-1)
			if a.Version == 2 {
				s.run(s.openArtifact(a.ArtifactID), 0)
			}
		}
	}},
	{"activity_coding", coded("a", "down")},
	{"needs_edit", seen(coded("space"))},
	{"needs_edit_whole", coded("space", "d")},
	{"work_diff", coded("a", "down", "w", "n")},
	{"work_terminal", coded("a", "w", "/", `"fail"`, "enter")},
	{"help", played("first_minute.jsonl", 1, "?")},
	{"palette", played("first_minute.jsonl", atQuestion, "ctrl+k", `"task"`)},
	{"request", played("first_minute.jsonl", 1, "/", `"A page about tea"`)},
	{"request_constraints", played("first_minute.jsonl", 1, "/", `"A page about tea"`, "tab", "enter")},
	{"announcements", func(s *stage) {
		played("guests.jsonl", guestsAsk)(s)
		s.announce("status", `{"text":"Indexing the repository"}`, "r1")
		s.announce("progress", `{"text":"Tests","percent":42,"eta_s":75}`, "r2")
		s.announce("message", `{"text":"3 of 120 tests failed","level":"warning","title":"Nightly"}`, "r3")
	}},
	{"reconnecting", func(s *stage) {
		played("first_minute.jsonl", atQuestion)(s)
		s.tell(link.Update{State: &link.State{Phase: link.Stale, Attempt: 2, RetryAt: s.now.Add(3 * time.Second), Reason: "The office is restarting."}})
	}},
	{"refused", func(s *stage) {
		s.tell(link.Update{State: &link.State{Phase: link.Refused, Reason: link.TokenWords}})
	}},
}

// unchecked returns a story in which a guest's session ended with an edit that was never checked.
func unchecked(keys ...string) func(*stage) {
	return func(s *stage) {
		s.live(true)
		at := func(minutes int64) int64 { return s.now.UnixMilli() - minutes*time.Minute.Milliseconds() }
		checked := contracts.Checked{
			State: contracts.EditsStale, DoneAt: at(1), Edit: contracts.Impact{Kind: contracts.ImpactEdit, At: at(4), What: "cart.go"},
			Check: &contracts.Impact{Kind: contracts.ImpactCheck, At: at(7), Since: at(8), What: "go test ./...", Outcome: contracts.OutcomePassed, ExitCode: new(0)},
		}
		ada := contracts.AgentProfile{AgentID: "agent_ada", Name: "Ada", Role: contracts.RoleGuest, Source: "claude", Place: "~/shop"}
		row := contracts.Agent{AgentProfile: ada, State: contracts.StateOffline, Activity: contracts.ActivityOffline, Since: at(0), Why: "Offline: the session ended (hook)", Checked: &checked}
		d := contracts.Decision{
			DecisionID: "dec_1", Kind: contracts.DecisionUnchecked, Status: contracts.DecisionOpen, Prompt: "The session ended after an edit that `go test ./...` did not check.",
			Options: []string{contracts.OptionDismiss}, AskedBy: "agent_ada", AskedAt: at(0), Session: &contracts.EndedSession{Agent: ada, Checked: checked},
		}
		snapshot := &contracts.Snapshot{Seq: 1, Agents: []contracts.Agent{row}, Decisions: []contracts.Decision{d}}
		s.tell(link.Update{Messages: []model.Message{{Type: contracts.TypeSnapshot, ID: "snap", TS: s.now.UnixMilli(), Seq: 1, Payload: snapshot}}})
		s.keys(keys...)
	}
}

// wideScenes are the scenes that look different in a wide terminal.
var wideScenes = map[string]bool{
	"people": true, "people_guests": true, "needs_edit": true, "needs_permission": true, "needs_question": true, "activity_coding": true, "work_diff": true, "board": true, "board_result": true, "office_question": true, "office_crowd": true, "chat": true, "office_campus": true, "office_hostile": true, "people_campus": true, "needs_campus": true,
}

// narrowScenes are the scenes that are also drawn in a very small terminal.
var narrowScenes = map[string]bool{"office_campus": true, "office_hostile": true, "people_campus": true}

// announce sends a workflow event from the agent "nightly".
func (s *stage) announce(kind contracts.UIKind, normalized, run string) {
	seq := s.office.Seq + 1
	u := &contracts.UI{AgentID: "agent_nightly", RunID: run, Name: "abstract." + string(kind), Kind: kind, Normalized: jsontext.Value(normalized)}
	s.tell(link.Update{Messages: []model.Message{{Type: contracts.MessageType(contracts.KindUI), ID: fmt.Sprint("ui_s", seq), TS: s.now.UnixMilli(), Seq: seq, Payload: u}}})
}

// TestFrames compares every scene at two to four sizes with its golden frames; `go test ./tui
// -update` rewrites them.
func TestFrames(t *testing.T) {
	for _, sc := range scenes {
		sizes := [][2]int{{80, 24}, {120, 40}}
		if wideScenes[sc.name] {
			sizes = append(sizes, [2]int{200, 50})
		}
		if narrowScenes[sc.name] {
			sizes = append(sizes, [2]int{60, 18})
		}
		for _, size := range sizes {
			name := fmt.Sprintf("%s_%dx%d", sc.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				s := newStage(t, size[0], size[1])
				sc.tell(s)
				golden(t, name, s.shown())
				wellFormed(t, s)
			})
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "frames", name+".txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; write it with `go test ./tui -update`", err)
	}
	if got != string(want) {
		t.Errorf("%s differs. It is now:\n%s\nIt was:\n%s\nIf that is right, `go test ./tui -update` rewrites it.", path, got, want)
	}
}

// wellFormed checks that a frame has as many lines as the terminal, none of them too wide, and
// contains only printable characters and colours.
func wellFormed(t rapid.TB, s *stage) {
	t.Helper()
	content := s.View().Content
	lines := strings.Split(content, "\n")
	if len(lines) != s.h {
		t.Errorf("%d lines in a terminal of %d", len(lines), s.h)
	}
	for i, line := range lines {
		if w := ansi.StringWidth(line); w > s.w {
			t.Errorf("line %d is %d wide in a terminal of %d: %q", i, w, s.w, ansi.Strip(line))
		}
	}
	onlyColours(t, content)
}

func onlyColours(t rapid.TB, content string) {
	t.Helper()
	for i := 0; i < len(content); i++ {
		c := content[i]
		if c == 0x1b {
			end := strings.IndexByte(content[i:], 'm')
			if end < 0 || strings.Trim(content[i+1:i+end], "[0123456789;:") != "" {
				t.Fatalf("the frame controls the terminal: %q", content[i:min(len(content), i+20)])
			}
			continue
		}
		if c < ' ' && c != '\n' || c == 0x7f {
			t.Fatalf("the frame holds %q", c)
		}
	}
}
