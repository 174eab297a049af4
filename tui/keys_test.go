package tui

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/tui/link"
	"github.com/bullpen-office/bullpen/tui/model"
)

// gave fails unless the newest command is the one wanted.
func (s *stage) gave(want contracts.CommandData) {
	s.t.Helper()
	if diff := cmp.Diff(want, s.last()); diff != "" {
		s.t.Fatalf("the command differs (-want +got):\n%s\n%s", diff, s.shown())
	}
}

// gaveNone fails when any command was given.
func (s *stage) gaveNone() {
	s.t.Helper()
	if len(s.door.done) > 0 {
		s.t.Fatalf("%#v was given", s.last())
	}
}

func TestRequestByKeys(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", 1, "/", `"A page about tea"`, "enter")(s)
	s.gave(contracts.SubmitRequest{Text: "A page about tea"})
	s.says("The office is on it.", "Ask the office for anything…")
}

// What was typed stays when it is refused, and when the field is left.
func TestDraftsAreKept(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", 1)(s)
	s.door.reply = link.Reply{Code: contracts.CodeConflict, Message: "64 projects are open."}
	s.keys("/", `"Tea q?"`, "enter")
	s.says("✗ 64 projects are open.", "Tea q?")
	s.keys("esc", "c", "/")
	s.says("Tea q?")
	s.keys("esc")
	s.says("/ › Tea q?")
}

func TestTooLongIsRefusedHere(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", 1, "/")(s)
	s.update(tea.PasteMsg{Content: strings.Repeat("tea ", 600)})
	s.says("/ 2000")
	s.keys("enter")
	s.gaveNone()
	s.says("This is too long: 2399 of at most 2000 characters.")
}

// A whole file in the clipboard is refused at once, and what was typed stays.
func TestHugePaste(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", 1, "/", `"Tea"`)(s)
	s.update(tea.PasteMsg{Content: strings.Repeat("x", 1<<20)})
	s.says("Nothing was pasted: it has 1048576 characters, and at most 2000 can be sent.", "Ask the office › Tea")
}

// A request carries the constraints that were chosen, and the next one none.
func TestConstraints(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", 1, "/", `"A page about tea"`, "tab")(s)
	s.says("Constraints", "Audience", "Customers", "Tone")
	s.keys("down", "enter")
	s.says("› Team", "✓")
	s.keys("enter", "down", "down", "space", "esc")
	s.says("Ask the office › A page about tea", "Short", "Tab constraints")
	s.keys("enter")
	s.gave(contracts.SubmitRequest{Text: "A page about tea", Constraints: map[string]any{"length": "Short"}})
	s.keys("/", `"Another"`, "enter")
	s.gave(contracts.SubmitRequest{Text: "Another"})
}

func TestHandOutByKey(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", afterKickoff, "u")(s)
	s.gave(contracts.AutoAssign{ProjectID: "proj_p1"})
}

// A suggestion of BD is pressed by Enter; only commands that one press may give
// are offered.
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

func TestAnswerByKeys(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", atQuestion)(s)
	d := s.office.Rows().Decisions[0]
	s.keys("space", "+", `"soon"`, "enter", "down", "enter")
	s.gave(contracts.ResolveDecision{DecisionID: d.DecisionID, Choice: d.Options[1], Note: "soon", ExpectedDecisionStatus: contracts.DecisionOpen})
	s = newStage(t, 80, 24)
	played("first_minute.jsonl", atQuestion, "space", "w", `"Bakers"`, "enter")(s)
	s.gave(contracts.ResolveDecision{DecisionID: d.DecisionID, Choice: "Bakers", ExpectedDecisionStatus: contracts.DecisionOpen})
}

// A card that has just come takes no answer yet, because the key was meant for
// another: it shows no key until then, and an early one is told.
func TestBlinkIsNoAnswer(t *testing.T) {
	s := newStage(t, 80, 24)
	played("guests.jsonl", guestsAsk)(s)
	s.keys("space")
	if frame := s.shown(); strings.Contains(frame, "› Allow once") || strings.Contains(frame, "Y allow once") {
		t.Fatalf("keys are shown that are not taken:\n%s", frame)
	}
	for _, early := range []string{"y", "enter", "n"} {
		s.update(keyOf(early))
		s.gaveNone()
		s.says("• This card has just come.")
	}
	s.wait(armFor)
	s.says("› Allow once  Y or Enter", "Deny  N")
	s.keys("y")
	s.gave(contracts.ResolveDecision{DecisionID: "dec_d1", Choice: contracts.OptionAllow, ExpectedDecisionStatus: contracts.DecisionOpen})
}

// Nobody allows what was not on the screen: a long call is shown whole first. It
// can be denied at once.
func TestLongPermissionIsReadFirst(t *testing.T) {
	command := "echo start\n" + strings.Repeat("true # and so on\n", 30) + "rm -rf everything"
	args, err := json.Marshal(map[string]any{"command": command, "timeout": 5})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(keys ...string) *stage {
		s := newStage(t, 80, 24)
		s.live(true)
		s.tell(link.Update{Messages: []model.Message{{Type: contracts.TypeSnapshot, ID: "snap", TS: s.now.UnixMilli(), Seq: 1, Payload: &contracts.Snapshot{Decisions: []contracts.Decision{{
			DecisionID: "dec_1", Kind: contracts.DecisionPermission, Status: contracts.DecisionOpen, Options: []string{contracts.OptionAllow, contracts.OptionAlways, contracts.OptionDeny},
			Permission: &contracts.Permission{Tool: "exec", Args: args},
		}}}}}})
		s.keys("space")
		s.says("echo start", "… 25 more lines: D shows all of it")
		s.keys(keys...)
		return s
	}
	answer := contracts.ResolveDecision{DecisionID: "dec_1", ExpectedDecisionStatus: contracts.DecisionOpen}
	answer.Choice = contracts.OptionDeny
	ask("n").gave(answer)
	s := ask("y", "down", "enter")
	s.gaveNone()
	s.says("Not all of it is on the screen")
	s.keys("d", "pgdown", "pgdown", "pgdown")
	s.says("rm -rf everything", "timeout: 5")
	s.keys("y")
	answer.Choice = contracts.OptionAllow
	s.gave(answer)
}

// Until the office takes an answered card away, no key answers it again; a refused
// one can be answered anew.
func TestOneAnswerACard(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", atReview, "space", "y", "y", "enter")(s)
	if n := len(s.door.done); n != 1 {
		t.Fatalf("%d commands for one card", n)
	}
	s.says("Sending…")
	s = newStage(t, 80, 24)
	s.door.reply = link.Reply{Code: contracts.CodeConflict, Message: "It is not in review."}
	played("first_minute.jsonl", atReview, "space", "y")(s)
	s.says("It is not in review.", "Approve  Y")
}

// Without the operator credential no key lets an agent run a tool (S4).
func TestPermissionNeedsTheCredential(t *testing.T) {
	s := newStage(t, 80, 24)
	s.live(false)
	s.play("guests.jsonl", guestsAsk)
	s.keys("space", "y", "n", "enter")
	s.gaveNone()
	s.says("takes the operator credential")
	s.now = s.now.Add(11 * time.Minute)
	s.says("Nobody waits for this answer any more.", "Time is up")
}

func TestReviewByKeys(t *testing.T) {
	const art, status = "art_a1", contracts.ArtifactInReview
	for _, c := range []struct {
		keys []string
		want contracts.CommandData
		says string
	}{
		{[]string{"n", `"Shorter"`, "enter"}, contracts.RequestChanges{ArtifactID: art, Instructions: "Shorter", ExpectedArtifactStatus: status}, "Sent back with your notes."},
		{[]string{"s", `"One"`, "alt+enter", `"Two"`, "enter"}, contracts.SplitIntoTasks{ArtifactID: art, TaskTitles: []string{"One", "Two"}, ExpectedArtifactStatus: status}, "the tasks are planned."},
		{[]string{"y"}, contracts.ApproveArtifact{ArtifactID: art, ExpectedArtifactStatus: status}, "Approved."},
	} {
		s := newStage(t, 80, 24)
		s.door.texts["/v1/artifacts/"+art+"/content"] = document
		played("first_minute.jsonl", atReview, "space", "enter")(s)
		s.says("Plan for the tea shop", "Y Approve")
		s.keys(c.keys...)
		s.gave(c.want)
		s.says(c.says, "Hugo asks for your review")
	}
}

func TestVersionsAreCompared(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", atEnd)(s)
	for _, a := range s.office.Rows().Artifacts {
		s.door.texts["/v1/artifacts/"+a.ArtifactID+"/content"] = "same\nversion " + itoa(a.Version)
	}
	for _, a := range s.office.Rows().Artifacts {
		if a.Version == 2 {
			s.run(s.openArtifact(a.ArtifactID), 0)
		}
	}
	s.says("v1 v2", "version 2")
	s.keys("d")
	s.says("Changes since v1", "   same", " - version 1", " + version 2")
	s.keys("d", "[")
	s.says("version 1")
}

func TestBoardByKeys(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", afterKickoff, "b", "down", "enter")(s)
	s.says("Assign to…", "Cancel it…")
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
	s.door.texts["/v1/agents/agent_claude_e4083110/explain"] = `{"why":"Because of a test.","authority":"hook","pid":4711,"recent":[{"label":"ran a test","at":1}]}`
	s.keys("e")
	s.says("Because of a test.", "says its own hook", "Process 4711 is watched.", "This holds until there is other news.", "ran a test")
}

// The keys of the browser mean the same here.
func TestKeysOfTheBrowser(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", atQuestion)(s)
	for _, c := range []struct{ keys, says string }{
		{"b", "Under way · work"}, {"t", "Everything"}, {"?", "Show these keys"}, {"esc", "Timeline"}, {"space", "Femi asks"},
		{"2", "Femi asks"}, {"f", "Following ○ Bram"}, {"esc", "Bram Free"}, {"enter", "Researcher"}, {"esc", "Needs you"},
	} {
		s.keys(c.keys)
		s.says(c.says)
	}
}

func TestTimelineLooksBack(t *testing.T) {
	s := newStage(t, 80, 24)
	s.live(true)
	list := recorded(t, "first_minute.jsonl")
	s.door.older = list[1:4]
	last := list[len(list)-1]
	s.tell(link.Update{Messages: []model.Message{last}})
	s.tell(link.Update{Messages: list[130:155]})
	s.keys("t")
	if strings.Contains(s.shown(), "Request submitted") {
		t.Fatal("the story begins too early")
	}
	s.keys("end")
	s.keys("end")
	s.says("Request submitted")
	s.keys("home", "[")
	s.says("! Ready for review")
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
		t.Fatalf("%q is not to be seen:\n%s", words, s.shown())
	}
	press("Board  ")
	s.says("A landing page") // the sign on the wall is no button
	press("People")
	s.says("Why")
	press("Needs you")
	s.says("Femi asks")
	press("Tech users")
	if _, ok := s.last().(contracts.ResolveDecision); !ok {
		t.Errorf("a press on an option gave %#v", s.last())
	}
	press("Office")
	s.update(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	if s.selected == "" {
		t.Error("the wheel chooses nobody")
	}
}

// Frozen commands are not sent, and the person learns why.
func TestFrozen(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", afterKickoff)(s)
	s.tell(link.Update{State: &link.State{Phase: link.Stale, Attempt: 1}})
	s.keys("u")
	s.gaveNone()
	s.says("You see the last known state", "Reconnecting…", "attempt 1, trying now")
	s.keys("r")
	if s.door.hurred != 1 {
		t.Error("R does not hurry")
	}
	s.tell(link.Update{State: &link.State{Phase: link.Live}})
	s.office.Access = contracts.AccessViewer
	s.says("this key cannot give commands")
}

// TestAnySize: whatever the size of the terminal and whatever is pressed, a frame
// is well formed and nothing panics.
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
	s.says("The office needs 60×16 characters;")
	if cmd := s.press(keyOf("q")); cmd == nil || cmd() != tea.Quit() {
		t.Error("q does not leave")
	}
}
