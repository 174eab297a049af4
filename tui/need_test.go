package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/tui/link"
	"github.com/bullpen-office/bullpen/tui/model"
)

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
	s.says("Not all of it was on the screen")
	s.keys("d", "esc", "y")
	s.gaveNone()
	s.says("Not all of it was on the screen")
	s.keys("d", "pgdown", "pgdown", "pgdown")
	s.says("rm -rf everything", "timeout: 5")
	s.keys("esc", "y")
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

// What cannot be sent now is said aloud and leaves nothing on the card that would
// outlast its reason.
func TestFrozenCard(t *testing.T) {
	s := newStage(t, 80, 24)
	played("first_minute.jsonl", atQuestion, "space")(s)
	s.tell(link.Update{State: &link.State{Phase: link.Stale, Attempt: 1}})
	s.keys("enter")
	s.gaveNone()
	s.says("✗ Not connected.")
	s.tell(link.Update{State: &link.State{Phase: link.Live}})
	s.wait(badToastFor)
	if frame := s.shown(); strings.Contains(frame, "Not connected") {
		t.Errorf("the card still speaks of the past:\n%s", frame)
	}
	d := s.office.Rows().Decisions[0]
	s.keys("enter")
	s.gave(contracts.ResolveDecision{DecisionID: d.DecisionID, Choice: d.Options[0], ExpectedDecisionStatus: contracts.DecisionOpen})
}
