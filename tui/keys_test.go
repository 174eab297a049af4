package tui

import (
	"math/rand/v2"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/tui/link"
)

// gave waits until answers can no longer be undone, and fails unless the newest command is want.
func (s *stage) gave(want contracts.CommandData) {
	s.t.Helper()
	s.wait(contracts.AnswerUndo)
	if diff := cmp.Diff(want, s.last()); diff != "" {
		s.t.Fatalf("the command differs (-want +got):\n%s\n%s", diff, s.shown())
	}
}

// gaveNone waits until answers can no longer be undone, and fails if any command was sent.
func (s *stage) gaveNone() {
	s.t.Helper()
	s.wait(contracts.AnswerUndo)
	if len(s.conn.done) > 0 {
		s.t.Fatalf("%#v was sent", s.last())
	}
}

// saysNot fails if any of the words is on the screen.
func (s *stage) saysNot(words ...string) {
	s.t.Helper()
	for _, w := range words {
		if strings.Contains(s.shown(), w) {
			s.t.Errorf("%q is shown:\n%s", w, s.shown())
		}
	}
}

func TestRequestByKeys(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", 1, "/", `"A page about tea"`, "enter")(s)
	s.gave(contracts.SubmitRequest{Text: "A page about tea", AutoAssign: true})
	s.says("The office is on it.", "Ask the office for anything…")
}

// TestDraftsAreKept checks that typed text is kept after a refusal, and when the field closes.
func TestDraftsAreKept(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", 1)(s)
	s.conn.reply = link.Reply{Code: contracts.CodeConflict, Message: "64 projects are open."}
	s.keys("/", `"Tea q?"`, "enter")
	s.says("✗ 64 projects are open.", "Tea q?")
	s.keys("esc")
	s.says("/ › Tea q?")
	s.keys("p", "i")
	s.says("Tea q?")
	s.keys("esc")
	s.says("I › Tea q?")
	s.keys("i", `" Now"`, "ctrl+k", `"board"`, "enter")
	s.says("No projects yet.", "I › Tea q? Now")
	s.keys("c")
	s.says("I › Message the office…")
}

// TestControlsAreThoseListed checks that an agent's menu has the controls that the office lists for
// the agent: all controls for a crew member, with a choice of who takes over, but none for a
// session that is only watched.
func TestControlsAreThoseListed(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", atQuestion, "4", "enter", "x")(s)
	s.says("Stop", "Kill", "New session", "A task is running: stop it first.", "Switch to…", "Hand over to…")
	s.keys("end", "enter")
	s.says("Hand over to…", "Ada", "Esi")
	s.keys("enter")
	s.gave(contracts.AgentControl{Name: contracts.CmdHandover, AgentID: "agent_eng_1", Session: "rehearsal:agent_eng_1", ToAgentID: contracts.AgentBD})

	s = newStage(t, 80, 24)
	played("guests.jsonl", guestsAsk, "1", "enter", "x")(s)
	s.saysNot("X controls", "Controls:", "M message")
	s.keys("m")
	s.gaveNone()

	watched := s.app.office.Rows().Agent(s.app.selected)
	watched.Controls = []contracts.CommandName{contracts.CmdStopAgent, contracts.CmdChat}
	s.says("M message")
	s.keys("x")
	s.says("Controls:", "Stop")
	s.saysNot("Kill", "New session", "Switch")
}

// TestKeyWithoutSelection checks that a key without a target shows what is missing.
func TestKeyWithoutSelection(t *testing.T) {
	for _, k := range []string{"enter", "f"} {
		s := newStage(t, 80, 24)
		played("first_minute.jsonl", 1, k)(s)
		s.says("Choose an agent first")
		s.keys("1", k)
		s.says("Ada")
	}
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", afterKickoff, "b", "enter")(s)
	s.says("Assign to…")
}

func TestTooLongIsRefusedHere(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", 1, "/")(s)
	s.update(tea.PasteMsg{Content: strings.Repeat("tea ", 600)})
	s.says("/ 2000")
	s.keys("enter")
	s.gaveNone()
	s.says("Too long: 2399 characters; the limit is 2000.")
}

// TestHugePaste checks that a huge paste is rejected immediately, and that typed text is kept.
func TestHugePaste(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", 1, "/", `"Tea"`)(s)
	s.update(tea.PasteMsg{Content: strings.Repeat("x", 1<<20)})
	s.says("Not pasted: 1048576 characters; the limit is 2000.", "Ask the office › Tea")
}

// TestConstraints checks that a request carries the selected constraints, and that the next request
// carries none.
func TestConstraints(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", 1, "/", `"A page about tea"`, "tab")(s)
	s.says("Constraints", "Audience", "Customers", "Tone")
	s.keys("down", "enter")
	s.says("› Team", "✓")
	s.keys("enter", "down", "down", "space", "esc")
	s.says("Ask the office › A page about tea", "Short", "Tab constraints")
	s.keys("enter")
	s.gave(contracts.SubmitRequest{Text: "A page about tea", AutoAssign: true, Constraints: map[string]any{"length": "Short"}})
	s.keys("/", `"Another"`, "enter")
	s.gave(contracts.SubmitRequest{Text: "Another", AutoAssign: true})
}

func TestAutoAssignByKey(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", afterKickoff, "u")(s)
	s.gave(contracts.AutoAssign{ProjectID: "proj_p1"})
}

// TestSuggestions checks that Enter carries out one of BD's suggestions, and that only commands
// that are safe to send with a single key are offered.
func TestSuggestions(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", afterKickoff, "c", "enter")(s)
	s.gave(contracts.AutoAssign{ProjectID: "proj_p1"})
	for _, action := range []string{"cancel_task", "kill_agent", "submit_request", "resolve_decision", ""} {
		if s.chatScreen().stepOf(contracts.SuggestedAction{Action: action, ProjectID: "proj_p1", ArtifactID: "art_1"}) != nil {
			t.Errorf("an agent may suggest %q", action)
		}
	}
}

func TestVersionsAreCompared(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", atEnd)(s)
	for _, a := range s.office.Rows().Artifacts {
		s.conn.texts["/v1/artifacts/"+a.ArtifactID+"/content"] = "same\nversion " + itoa(a.Version)
	}
	for _, a := range s.office.Rows().Artifacts {
		if a.Version == 2 {
			s.run(s.openArtifact(a.ArtifactID), 0)
		}
	}
	s.says("v1 v2", "Changes since v1", "hunk 1 of 1", " 1 1   same", " 2   - version 1", "   2 + version 2")
	s.keys("d")
	if frame := s.shown(); strings.Contains(frame, "version 1") || strings.Contains(frame, "Changes since") {
		t.Errorf("the whole text still shows what changed:\n%s", frame)
	}
	s.keys("d", "[")
	s.says("version 1")
}

func TestBoardByKeys(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", afterKickoff, "b", "down", "enter")(s)
	s.says("Assign to…", "Cancel…")
	s.keys("enter")
	s.says("Let the office decide", "Takes requests, not tasks")
	s.keys("esc", "z")
	s.gave(contracts.PauseProject{ProjectID: "proj_p1"})
	s.keys("enter", "down", "enter", "down", "down", "enter", `"Not now"`, "enter")
	s.gave(contracts.CancelTask{TaskID: s.boardScreen().task, Confirm: true, Reason: "Not now", ExpectedTaskStatus: contracts.TaskPlanned})
}

func TestExplain(t *testing.T) {
	s := newStage(t, 80, 40)
	played("guests.jsonl", guestsAsk, "1", "enter")(s)
	s.keys("e")
	s.says("there is nothing at /v1/agents/agent_claude_e4083110/explain")
	s.conn.texts["/v1/agents/agent_claude_e4083110/explain"] = `{"why":"Because of a test.","authority":"hook","pid":4711,"outpost":{"name":"laptop","state":"connected","agents":1},"recent":[{"label":"ran a test","at":1},{"event":"think_end","label":"Thinking","at":1}]}`
	s.keys("e")
	s.says("Because of a test.", "Decided by its hook", "Watching process 4711.", "Runs on outpost laptop: Connected", "  1 agent", "This will not change until there is new evidence.", "  ran a test  ", "  Thinking  ")
}

// TestKeysOfTheBrowser checks that keys have the same effect as in the browser.
func TestKeysOfTheBrowser(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", atQuestion)(s)
	for _, c := range []struct{ keys, says string }{
		{"b", "Under way · work"}, {"t", "Everything"}, {"?", "Show these keys"}, {"esc", "Timeline"}, {"space", "Femi asks"},
		{"o", "Office"}, {"2", "Office"}, {"f", "Following ○ Bram"}, {"esc", "Bram Free"}, {"enter", "Researcher"}, {"esc", "Needs you"}, {"space", "Femi asks"},
	} {
		s.keys(c.keys)
		s.says(c.says)
	}
}

func TestTimelineLoadsOlderEvents(t *testing.T) {
	s := newStage(t, 80, 24)
	s.live(true)
	list := recorded(t, "first_minute.jsonl")
	s.conn.older = list[1:4]
	last := list[len(list)-1]
	s.tell(link.Update{Messages: []model.Message{last}})
	s.tell(link.Update{Messages: list[130:155]})
	s.keys("t")
	if strings.Contains(s.shown(), "Request submitted") {
		t.Fatal("the timeline starts too early")
	}
	s.keys("end")
	s.keys("end")
	s.says("Request submitted")
	s.keys("home", "[")
	s.says("! Ready for review")
}

// TestChatScrolls checks that the chat starts at its end and scrolls back to its beginning.
func TestChatScrolls(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", 1, "c")(s)
	for i := range 60 {
		seq := s.office.Seq + 1
		said := &contracts.Chat{ThreadID: contracts.ThreadBD, From: "agent_bd", Text: "Word " + itoa(i) + ".\nAnd more."}
		s.tell(link.Update{Messages: []model.Message{{Type: contracts.TypeChat, ID: "chat_" + itoa(i), TS: s.now.UnixMilli(), Seq: seq, Payload: said}}})
	}
	s.says("Word 59.")
	s.keys("home")
	s.says("Word 0.")
	s.keys("end", "pgup", "pgup")
	s.says("Word 52.")
	s.keys("pgdown", "pgdown")
	s.says("Word 59.")
}

// TestAnotherHistory checks that state from an old history is dropped.
func TestAnotherHistory(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", afterKickoff, "c", "t", "end", "end", "o")(s)
	s.tell(link.Update{Reset: true})
	s.play("first_minute.jsonl", afterKickoff)
	s.says("Chat 2")
	s.conn.older = recorded(t, "first_minute.jsonl")[1:2]
	s.keys("t", "end")
	if !s.tabs[tabTimeline].screen.(*timelineScreen).older.done {
		t.Error("the timeline does not load the new history")
	}
}

func TestMouse(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", atQuestion)(s)
	press := func(words string) {
		t.Helper()
		for y, line := range strings.Split(s.shown(), "\n") {
			if x := strings.Index(line, words); x >= 0 {
				s.now = s.now.Add(armFor)
				s.update(tea.MouseClickMsg{X: len([]rune(line[:x])), Y: y, Button: tea.MouseLeft})
				return
			}
		}
		t.Fatalf("%q is not visible:\n%s", words, s.shown())
	}
	press("Board  ")
	s.says("A landing page") // the sign on the wall is not a button
	press("People")
	s.says("Why")
	press("Needs you")
	s.says("Femi asks")
	press("Quick and rough")
	s.wait(contracts.AnswerUndo)
	if _, ok := s.last().(contracts.ResolveDecision); !ok {
		t.Errorf("a press on an option gave %#v", s.last())
	}
	press("Office")
	s.update(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	if s.selected == "" {
		t.Error("the wheel selects no one")
	}
}

// TestCommandsAreDisabled checks that no command is sent while commands are disabled, and that the
// reason is shown.
func TestCommandsAreDisabled(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", afterKickoff)(s)
	s.tell(link.Update{State: &link.State{Phase: link.Stale, Attempt: 1}})
	s.keys("u")
	s.gaveNone()
	s.says("This is the last known state", "Reconnecting…", "attempt 1, trying now")
	s.keys("r")
	if s.conn.retried != 1 {
		t.Error("R does not retry")
	}
	s.tell(link.Update{State: &link.State{Phase: link.Live}})
	s.office.Access = contracts.AccessViewer
	s.says("this token cannot send commands")
}

// TestAnySize checks that for any terminal size and any keys, frames are well formed and
// nothing panics.
func TestAnySize(t *testing.T) {
	pressed := []string{"space", "enter", "esc", "up", "down", "left", "right", "tab", "pgdown", "pgup", "end", "o", "p", "b", "c", "a", "t", "f", "x", "?", "v", "[", "]",
		"1", "5", "e", "m", "w", "+", "d", "n", "/", `"text"`, "ctrl+k", "s", "z", "u", "i", "r"}
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 7))
		s := newStage(t, 80, 24)
		file := []string{"first_minute.jsonl", "guests.jsonl"}[seed%2]
		played(file, 1+r.IntN(115))(s)
		for range 40 {
			s.update(tea.WindowSizeMsg{Width: 1 + r.IntN(140), Height: 1 + r.IntN(50)})
			s.keys(pressed[r.IntN(len(pressed))])
			wellFormed(t, s)
			if t.Failed() {
				t.Fatalf("seed %d, %d×%d", seed, s.w, s.h)
			}
		}
	}
}

func TestTooSmall(t *testing.T) {
	s := newStage(t, 40, 10)
	played("first_minute.jsonl", 1)(s)
	s.says("Bullpen needs 60×16 characters;")
	if cmd := s.press(keyOf("q")); cmd == nil || cmd() != tea.Quit() {
		t.Error("q does not quit")
	}
}

// TestConnectPage checks that the rehearsal is explained while there is no project, and that H
// lists the agents that can be connected, each with its command.
func TestConnectPage(t *testing.T) {
	s := newStage(t, 100, 30)
	played("first_minute.jsonl", 1)(s)
	s.says("No projects yet.", "This is a rehearsal", "H connects real agents")
	s.conn.texts["/v1/connect"] = `{"items":[
		{"id":"claude_crew","group":"desks","name":"Claude Code at the desks","state":"found","saw":"Claude Code 2.1.197 is at ~/bin/claude.","does":"Stop this office.","command":"bullpen serve --crew claude"},
		{"id":"claude","group":"guests","name":"Claude Code in your terminals","state":"problem","saw":"Its hooks go elsewhere.","does":"Every session appears.","command":"bullpen hooks install claude"}],
		"outposts":[{"name":"laptop","state":"silent","since":1,"last_seen":1,"version":"1.2.0","agents":2,"problem":"no report for 40 s; its agents go offline after 2 min"}]}`
	s.keys("h")
	s.says("Put real agents at the desks", "Claude Code at the desks", "Found", "$ bullpen serve --crew claude", "See agents that run elsewhere", "Problem", "$ bullpen hooks install claude",
		"Other machines", "laptop", "No report", "2 agents · Bullpen 1.2.0 · last report ", "no report for 40 s; its agents go offline after 2 min")
	s.keys("esc")
	delete(s.conn.texts, "/v1/connect")
	s.keys("ctrl+k", `"connect real"`, "enter")
	s.says("there is nothing at /v1/connect")
	s.keys("esc")
	played("first_minute.jsonl", atQuestion)(s)
	s.saysNot("This is a rehearsal")
}
