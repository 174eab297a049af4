package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/tui/link"
)

func TestAnswerByKeys(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", atQuestion)(s)
	d := s.office.Rows().Decisions[0]
	s.keys("space", "+", `"soon"`, "enter", "2")
	s.gave(contracts.ResolveDecision{DecisionID: d.DecisionID, Choice: d.Options[1], Note: "soon", ExpectedDecisionStatus: contracts.DecisionOpen})
	s = newStage(t, 80, 24)
	played("first_minute.jsonl", atQuestion, "space", "w", `"Bakers"`, "enter")(s)
	s.gave(contracts.ResolveDecision{DecisionID: d.DecisionID, Choice: "Bakers", ExpectedDecisionStatus: contracts.DecisionOpen})
}

// TestNewCardIgnoresKeys checks that a new card accepts no answer at first, because an early key
// was meant for the previous card. During that time the card shows no keys, and an answer key shows
// a toast.
func TestNewCardIgnoresKeys(t *testing.T) {
	s := newStage(t, 80, 24)
	played("guests.jsonl", guestsAsk)(s)
	s.keys("space")
	if frame := s.shown(); strings.Contains(frame, "Y     Allow once") || strings.Contains(frame, "Y allow once") {
		t.Fatalf("keys that are not accepted are shown:\n%s", frame)
	}
	for _, early := range []string{"y", "!", "n"} {
		s.update(keyOf(early))
		s.says("• This card just appeared.")
	}
	s.gaveNone()
	s.says("Y     Allow once", "N     Deny")
	s.keys("y")
	s.gave(contracts.ResolveDecision{DecisionID: "dec_d1", Choice: contracts.OptionAllow, ExpectedDecisionStatus: contracts.DecisionOpen})
}

// TestLongPermissionIsReadFirst checks that a long call can be allowed only after all of it has
// been on the screen. It can be denied immediately.
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
		s.says("echo start", "… 25 more lines: Enter shows all")
		s.keys(keys...)
		return s
	}
	answer := contracts.ResolveDecision{DecisionID: "dec_1", ExpectedDecisionStatus: contracts.DecisionOpen}
	answer.Choice = contracts.OptionDeny
	ask("n").gave(answer)
	s := ask("y", "!")
	s.says("You have not seen the whole request")
	s.gaveNone()
	s.keys("enter", "esc", "y")
	s.says("You have not seen the whole request")
	s.gaveNone()
	s.keys("enter", "pgdown", "pgdown", "pgdown")
	s.gaveNone()
	s.says("rm -rf everything", "timeout: 5")
	s.keys("esc", "y")
	answer.Choice = contracts.OptionAllow
	s.gave(answer)
}

// TestPermissionWithCutLinesIsNotRead checks that a call with truncated lines does not count
// as read: the end of a line may be what matters.
func TestPermissionWithCutLinesIsNotRead(t *testing.T) {
	args, err := json.Marshal(map[string]any{"command": strings.Repeat("true\n", 30) + strings.Repeat("true && ", 20) + "rm -rf everything"})
	if err != nil {
		t.Fatal(err)
	}
	s := newStage(t, 80, 24)
	s.live(true)
	s.tell(link.Update{Messages: []model.Message{{Type: contracts.TypeSnapshot, ID: "snap", TS: s.now.UnixMilli(), Seq: 1, Payload: &contracts.Snapshot{Decisions: []contracts.Decision{{
		DecisionID: "dec_1", Kind: contracts.DecisionPermission, Status: contracts.DecisionOpen, Options: []string{contracts.OptionAllow, contracts.OptionDeny},
		Permission: &contracts.Permission{Tool: "exec", Args: args},
	}}}}}})
	s.keys("space", "enter", "w", "pgdown", "pgdown", "pgdown", "esc", "y")
	s.says("You have not seen the whole request")
	s.gaveNone()
	s.keys("enter", "w", "right", "right", "pgdown", "pgdown", "pgdown", "esc", "y")
	s.gaveNone()
	s.keys("enter", "pgdown", "pgdown", "pgdown", "esc", "y")
	s.gave(contracts.ResolveDecision{DecisionID: "dec_1", Choice: contracts.OptionAllow, ExpectedDecisionStatus: contracts.DecisionOpen})
}

// TestOneAnswerACard checks that an answered card accepts no other key until the office removes it;
// a card whose answer was refused can be answered again.
func TestOneAnswerACard(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", atReview, "space", "y", "y")(s)
	s.wait(contracts.AnswerUndo)
	if n := len(s.conn.done); n != 1 {
		t.Fatalf("%d commands for one card", n)
	}
	s.says("Sending…")
	s = newStage(t, 80, 24)
	s.conn.reply = link.Reply{Code: contracts.CodeConflict, Message: "It is not in review."}
	played("first_minute.jsonl", atReview, "space", "y")(s)
	s.wait(contracts.AnswerUndo)
	s.says("✗ Hugo: It is not in review.", "┃ It is not in review.", "Y     Approve")
}

// TestPermissionNeedsOperatorAccess checks that no key can allow a tool if the user has no operator
// access (S4).
func TestPermissionNeedsOperatorAccess(t *testing.T) {
	s := newStage(t, 80, 24)
	s.live(false)
	s.play("guests.jsonl", guestsAsk)
	s.keys("space", "y", "n", "!")
	s.gaveNone()
	s.says("requires operator access")
	s.now = s.now.Add(11 * time.Minute)
	s.says("The agent is no longer waiting for this answer.", "Time is up")
}

func TestReviewByKeys(t *testing.T) {
	const art, status = "art_a1", contracts.ArtifactInReview
	for _, c := range []struct {
		keys []string
		want contracts.CommandData
		says string
	}{
		{[]string{"n", `"Shorter"`, "enter"}, contracts.RequestChanges{ArtifactID: art, Instructions: "Shorter", ExpectedArtifactStatus: status}, "Sent back with your notes."},
		{[]string{"s", `"One"`, "alt+enter", `"Two"`, "enter"}, contracts.SplitIntoTasks{ArtifactID: art, TaskTitles: []string{"One", "Two"}, ExpectedArtifactStatus: status}, "The tasks are planned."},
		{[]string{"y"}, contracts.ApproveArtifact{ArtifactID: art, ExpectedArtifactStatus: status}, "Approved."},
	} {
		s := newStage(t, 80, 24)
		s.conn.texts["/v1/artifacts/"+art+"/content"] = document
		played("first_minute.jsonl", atReview, "space", "enter")(s)
		s.says("Plan for the tea shop", "Y Approve")
		s.keys(c.keys...)
		s.gave(c.want)
		s.says(c.says, "◆ Hugo: ", "Sending…")
	}
}

// TestDisabledCard checks that answering without a connection shows a toast that says why nothing
// was sent, and that the card does not show this reason later.
func TestDisabledCard(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", atQuestion, "space")(s)
	s.tell(link.Update{State: &link.State{Phase: link.Stale, Attempt: 1}})
	s.keys("1")
	s.says("✗ Not connected.")
	s.gaveNone()
	s.tell(link.Update{State: &link.State{Phase: link.Live}})
	s.wait(badToastFor)
	if frame := s.shown(); strings.Contains(frame, "Not connected") {
		t.Errorf("the card shows an outdated reason:\n%s", frame)
	}
	d := s.office.Rows().Decisions[0]
	s.keys("1")
	s.gave(contracts.ResolveDecision{DecisionID: d.DecisionID, Choice: d.Options[0], ExpectedDecisionStatus: contracts.DecisionOpen})
}

// TestEnterNeverAnswers checks that nothing is preselected, and that Enter never submits an answer:
// it only opens the whole permission request, the agent that asks, the deliverable or the board.
func TestEnterNeverAnswers(t *testing.T) {
	for _, c := range []struct {
		file string
		upTo int
		says string
	}{
		{"guests.jsonl", guestsAsk, "wants to use"}, {"first_minute.jsonl", atQuestion, "Femi"}, {"first_minute.jsonl", atReview, "Y Approve"}, {"first_minute.jsonl", afterKickoff, "U Auto-assign"},
	} {
		s := newStage(t, 80, 24)
		played(c.file, c.upTo, "space")(s)
		if strings.Contains(s.shown(), "›  ") {
			t.Errorf("something is preselected:\n%s", s.shown())
		}
		s.keys("enter")
		s.says(c.says)
		s.keys("enter", "enter")
		s.gaveNone()
	}
}

// TestUndo checks that an answer can be undone until it is sent, and that undoing it restores the
// card.
func TestUndo(t *testing.T) {
	s := newStage(t, 80, 24)
	played("guests.jsonl", guestsAsk, "space", "y")(s)
	s.says("✓ Answered: Allow once", "U undo 4 s", "Answered")
	s.wait(time.Second)
	s.says("U undo 3 s")
	s.keys("u")
	s.says("Undone. Nothing was sent.")
	s.gaveNone()
	s.says("Y     Allow once")
	s.keys("y")
	s.wait(contracts.AnswerUndo - time.Millisecond)
	if len(s.conn.done) > 0 {
		t.Fatal("it was sent too early")
	}
	s.gave(contracts.ResolveDecision{DecisionID: "dec_d1", Choice: contracts.OptionAllow, ExpectedDecisionStatus: contracts.DecisionOpen})
	s.keys("u")
	s.says("No tasks are waiting for you to start them.")
}

// TestUndoOwnWords checks that undoing a free-text answer restores the text.
func TestUndoOwnWords(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", atQuestion, "space", "w", `"Bakers"`, "enter", "u", "w")(s)
	s.says("Your own answer › Bakers")
	s.keys("enter")
	s.gave(contracts.ResolveDecision{DecisionID: s.office.Rows().Decisions[0].DecisionID, Choice: "Bakers", ExpectedDecisionStatus: contracts.DecisionOpen})
}

// TestNoUndoBeforeDeadline checks that the answer to a question that is about to expire is sent
// immediately.
func TestNoUndoBeforeDeadline(t *testing.T) {
	s := newStage(t, 80, 24)
	played("guests.jsonl", guestsAsk, "space")(s)
	d := s.office.Rows().Decision("dec_d1")
	s.now = time.UnixMilli(d.ExpiresAt).Add(-contracts.AnswerUndo)
	s.update(keyOf("n"))
	if len(s.conn.done) != 1 {
		t.Fatalf("%d commands before the deadline", len(s.conn.done))
	}
}

// TestLeaveWhileUndo checks that quitting sends an answer that can still be undone, unless it
// answers a permission request.
func TestLeaveWhileUndo(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", atReview, "space", "y")(s)
	s.run(s.quit(), 0)
	if len(s.undoable) != 0 || s.unsent() != nil {
		t.Errorf("%v was not sent", s.unsent())
	}
	s = newStage(t, 80, 24)
	played("guests.jsonl", guestsAsk, "space", "y")(s)
	s.run(s.quit(), 0)
	if diff := cmp.Diff([]string{"Not sent: “Allow once” to shop. The question is still open."}, s.unsent()); diff != "" || len(s.conn.done) > 0 {
		t.Errorf("%s\n%v", diff, s.conn.done)
	}
}

// TestUnsentAnswerIsReported checks that an answer to a question that is gone is not sent, and
// that a toast says so.
func TestUnsentAnswerIsReported(t *testing.T) {
	for name, gone := range map[string]link.Update{
		"answered elsewhere": {Messages: []model.Message{{Type: contracts.TypeSnapshot, ID: "snap2", TS: 2, Seq: 2, Payload: &contracts.Snapshot{}}}},
		"another history":    {Reset: true},
	} {
		s := asks(t, npmTest("dec_1", "agent_juno"))
		s.keys("space", "y")
		s.tell(gone)
		s.says("Not sent: “Allow once”. The question was answered elsewhere or is gone.")
		s.wait(contracts.AnswerUndo)
		if len(s.conn.done) > 0 {
			t.Errorf("%s: %v was sent", name, s.conn.done)
		}
	}
}

// asks returns a stage with open decisions and the agents that ask.
func asks(t *testing.T, decisions ...contracts.Decision) *stage {
	s := newStage(t, 80, 30)
	s.live(true)
	snap := &contracts.Snapshot{Decisions: decisions}
	for _, d := range decisions {
		snap.Agents = append(snap.Agents, contracts.Agent{AgentProfile: contracts.AgentProfile{AgentID: d.AskedBy, Name: d.AskedBy[len("agent_"):], Source: "claude"}})
	}
	s.tell(link.Update{Messages: []model.Message{{Type: contracts.TypeSnapshot, ID: "snap", TS: s.now.UnixMilli(), Seq: 1, Payload: snap}}})
	return s
}

func npmTest(id, agent string) contracts.Decision {
	return contracts.Decision{
		DecisionID: id, Kind: contracts.DecisionPermission, Status: contracts.DecisionOpen, AskedBy: agent, Options: []string{contracts.OptionAllow, contracts.OptionDeny},
		Prompt: "May it?", Permission: &contracts.Permission{Tool: "exec", Args: []byte(`{"command":"npm test"}`), Place: "~/shop"},
	}
}

// TestSameQuestions checks that the same question from several agents is one card, which sends
// one command per agent; a refusal names its agent and restores that agent's card.
func TestSameQuestions(t *testing.T) {
	s := asks(t, npmTest("dec_1", "agent_juno"), npmTest("dec_2", "agent_kit"), npmTest("dec_3", "agent_lea"))
	s.keys("space")
	s.says("3 agents ask the same thing", "juno, kit, lea", "! 3 things need you")
	s.keys("y")
	s.says("Answered: Allow once (3 times)")
	s.conn.replies = map[string]link.Reply{"dec_2": {Code: contracts.CodeConflict, Message: "It was withdrawn."}}
	s.wait(contracts.AnswerUndo)
	if len(s.conn.done) != 3 {
		t.Fatalf("%d commands for three agents", len(s.conn.done))
	}
	s.says("✗ kit: It was withdrawn.", "┃ It was withdrawn.", "kit wants to use")
	if strings.Contains(s.shown(), "agents ask the same thing") {
		t.Errorf("answered agents still have a card:\n%s", s.shown())
	}
}

func TestSameQuestionsOneByOne(t *testing.T) {
	s := asks(t, npmTest("dec_1", "agent_juno"), npmTest("dec_2", "agent_kit"))
	s.keys("space", "o", "down", "n")
	s.gave(contracts.ResolveDecision{DecisionID: "dec_2", Choice: contracts.OptionDeny, ExpectedDecisionStatus: contracts.DecisionOpen})
	if len(s.conn.done) != 1 {
		t.Errorf("%d commands for one agent", len(s.conn.done))
	}
}

// TestCardArmsAgain checks that a card does not accept an answer immediately after another need has
// joined it.
func TestCardArmsAgain(t *testing.T) {
	s := asks(t, npmTest("dec_1", "agent_juno"))
	s.keys("space")
	s.wait(armFor)
	more := npmTest("dec_2", "agent_kit")
	s.tell(link.Update{Messages: []model.Message{{Type: contracts.TypeEvent, ID: "evt", TS: s.now.UnixMilli(), Seq: 2, Payload: &contracts.Event{Name: contracts.EventDecisionRequested, DecisionID: "dec_2", Decision: &more}}}})
	s.update(keyOf("y"))
	s.says("This card just appeared.")
	s.gaveNone()
}

// TestPlanByKeys checks that a waiting plan can be started from its card.
func TestPlanByKeys(t *testing.T) {
	s := newStage(t, 80, 24)
	seen(played("first_minute.jsonl", afterKickoff, "space"))(s)
	s.says("Ada has a plan for you", "Y     Start", "Enter Open the board", "! 1 thing needs you")
	s.keys("y")
	s.gave(contracts.AutoAssign{ProjectID: "proj_p1"})
	s = newStage(t, 80, 24)
	s.conn.reply = link.Reply{Code: contracts.CodeConflict, Message: "Everyone is busy."}
	played("first_minute.jsonl", afterKickoff, "space", "y")(s)
	s.says("┃ Everyone is busy.", "Y     Start")
}

// TestRaisedHandShowsWhereToAnswer checks that the card of an agent that is waiting for an answer
// given outside the office shows where to give it.
func TestRaisedHandShowsWhereToAnswer(t *testing.T) {
	s := newStage(t, 80, 24)
	s.live(true)
	agent := contracts.Agent{
		AgentProfile: contracts.AgentProfile{AgentID: "agent_juno", Name: "juno", Source: "claude", Place: "~/shop", Session: "4f0c"},
		Activity:     contracts.ActivityWaiting, StatusLine: "Claude needs your permission to use Bash", Since: s.now.UnixMilli(),
	}
	tell := func() {
		s.tell(link.Update{Messages: []model.Message{{Type: contracts.TypeSnapshot, ID: "snap", TS: s.now.UnixMilli(), Seq: s.office.Seq + 1, Payload: &contracts.Snapshot{Seq: s.office.Seq + 1, Agents: []contracts.Agent{agent}}}}})
	}
	tell()
	s.keys("space")
	s.says("juno is waiting for you", "Claude needs your permission to use Bash", "Answer in its terminal in ~/shop (session 4f0c)", "Enter Open", "! 1 thing needs you")
	s.keys("y", "n", "1")
	s.gaveNone()
	agent.Activity = contracts.ActivityWorking
	tell()
	s.says("Nothing needs you.")
}

// TestEmptyInboxLeadsToConnect checks that an empty inbox links to the connect dialog.
func TestEmptyInboxLeadsToConnect(t *testing.T) {
	s := newStage(t, 80, 24)
	s.live(true)
	s.keys("space")
	s.says("Nothing needs you.", "H connects your own agents")
}

// TestPlanFirstByKey checks that a plan waits for approval only if the user asked for that.
func TestPlanFirstByKey(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", 1, "/", `"A page about tea"`)(s)
	s.says("starts automatically", "^S ask me before work starts")
	s.keys("ctrl+s")
	s.says("waits for you to start it", "^S start automatically")
	s.keys("enter")
	s.gave(contracts.SubmitRequest{Text: "A page about tea"})
	s.keys("/", `"More"`, "ctrl+s", "enter")
	s.gave(contracts.SubmitRequest{Text: "More", AutoAssign: true})
}

// TestQuestionOfATool checks that a tool's question shows what each option means, accepts several
// answers if the question allows them, and needs operator access.
func TestQuestionOfATool(t *testing.T) {
	ask := contracts.Decision{
		DecisionID: "dec_1", Kind: contracts.DecisionAsk, Status: contracts.DecisionOpen, AskedBy: "agent_juno", Prompt: "Which features?", Header: "Features",
		Options: []string{"Auth", "Export", "Search"}, Descriptions: []string{"Sign in", "", "Full text"}, Multiple: true, Permission: &contracts.Permission{Tool: "AskUserQuestion", Place: "~/shop"},
	}
	s := asks(t, ask)
	s.keys("space")
	s.wait(armFor)
	s.says("Features", "Which features?", "in ~/shop", "Auth – Sign in", "Search – Full text")
	s.keys("3", "1", "2", "2")
	s.says("✓ Auth", "Y     Answer: Search, Auth")
	s.gaveNone()
	s.keys("y")
	s.gave(contracts.ResolveDecision{DecisionID: "dec_1", Choice: "Search", Choices: []string{"Search", "Auth"}, ExpectedDecisionStatus: contracts.DecisionOpen})
	s = asks(t, ask)
	s.office.Permit = false
	s.keys("space", "1", "y")
	s.says("Answering an agent’s question requires operator access.")
	s.gaveNone()
}

// TestDismissUncheckedSession checks that a session that ended unchecked is dismissed with a key, and
// keeps its name after the agent has left.
func TestDismissUncheckedSession(t *testing.T) {
	s := newStage(t, 120, 40)
	unchecked("space")(s)
	s.tell(link.Update{Messages: []model.Message{{Type: contracts.MessageType(contracts.KindEvent), ID: "left", TS: s.now.UnixMilli(), Seq: 2, Payload: &contracts.Event{Name: contracts.EventAgentLeft, AgentID: "agent_ada"}}}})
	s.wait(armFor)
	s.says("Ada ended unchecked", "Reported done at ", "; `go test ./...` last ran at ", ": stale.", "1     Dismiss")
	s.keys("1")
	s.gave(contracts.ResolveDecision{DecisionID: "dec_1", Choice: contracts.OptionDismiss, ExpectedDecisionStatus: contracts.DecisionOpen})
	s.says("Dismissed.")
}
