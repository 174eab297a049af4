package director_test

import (
	"fmt"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/director"
)

// asks makes an agent ask a question and returns the question's id.
func (s *rig) asks(id string) string {
	s.t.Helper()
	s.must(contracts.AskSeen{AgentID: id, Kind: contracts.DecisionAsk, Prompt: "Go on?", Options: []string{"Yes"}})
	return s.result.DecisionID
}

// onStage lists the agents on a stage, in the order they joined the office, and checks that they
// face the camera.
func (s *rig) onStage() (ids []string) {
	s.t.Helper()
	for _, ag := range s.w.Agents() {
		if anchor, poi, ok := s.w.Scene().Anchor(ag.Goal.Goal.AnchorID); ok && poi.Type == contracts.POIStage {
			ids = append(ids, ag.AgentID)
			if ag.Goal.Facing != anchor.Facing || !s.w.Scene().ShowsFace(anchor) {
				s.t.Fatalf("%s faces %v", ag.AgentID, ag.Goal.Facing)
			}
		}
	}
	return ids
}

func (s *rig) placeOf(id string) contracts.POIType {
	poi, ok := s.w.Scene().POI(s.w.Agent(id).Goal.Goal.POIID)
	if !ok {
		return ""
	}
	return poi.Type
}

// Five agents ask on the stage of a studio and face the camera; the others ask from their seats.
// When a place becomes free, the next agent goes on stage.
func TestStageOfAStudio(t *testing.T) {
	s := newCampus(t)
	s.players = []contracts.Player{{PlayerID: "player_1", Pos: contracts.Vec3{0, 0, -4}}}
	for n := range 9 {
		s.become(s.join(n, "~/src/shop"), contracts.ActivityWaiting)
		s.asks(fmt.Sprint("agent_g", n))
	}
	s.wait("all wait", s.all(contracts.StateWaiting))
	s.checkSitting()
	if got := fmt.Sprint(s.onStage()); got != "[agent_g0 agent_g1 agent_g2 agent_g3 agent_g4]" {
		t.Fatalf("on the stage: %s", got)
	}
	s.do(contracts.ResolveDecision{DecisionID: s.w.OpenAsk("agent_g2").DecisionID, Choice: "Yes"})
	s.become("agent_g2", contracts.ActivityWorking)
	s.wait("nobody walks", func() bool { return !s.walks() })
	s.checkSitting()
	if got := fmt.Sprint(s.onStage()); got != "[agent_g0 agent_g1 agent_g3 agent_g4 agent_g5]" {
		t.Errorf("on the stage after one left it: %s", got)
	}
	s.checkReplay()
}

// A guest that sits in the garden asks from its own desk while the stage of its studio is full.
func TestAskingInItsOwnStudio(t *testing.T) {
	s := newCampus(t)
	for n := range 9 {
		s.become(s.join(n, "~/src/shop"), contracts.ActivityWorking)
	}
	s.wait("all work", s.all(contracts.StateWorking))
	for _, ag := range s.w.Guests() {
		s.become(ag.AgentID, contracts.ActivityIdle)
	}
	s.wait("all rest", s.all(contracts.StateIdle))
	var outside string
	for _, ag := range s.w.Guests() {
		if s.placeOf(ag.AgentID) == contracts.POIGarden {
			outside = ag.AgentID
		}
	}
	if outside == "" {
		t.Fatal("no guest sits in the garden")
	}
	for _, ag := range s.w.Guests() {
		if ag.AgentID != outside && len(s.onStage()) < 5 {
			s.asks(ag.AgentID)
		}
	}
	s.asks(outside)
	s.wait("it waits", func() bool { return s.w.Agent(outside).Goal.State == contracts.StateWaiting })
	if got, want := s.w.Agent(outside).Goal.Goal.AnchorID, s.w.Agent(outside).SeatID; got != want || want == "" {
		t.Errorf("it asks at %q, want its desk %q", got, want)
	}
	s.checkReplay()
}

// A guest that waits without a question sits in the lounge. It goes on stage once it has a
// question, and sits down again once the question is answered.
func TestWaitingWithoutAQuestion(t *testing.T) {
	s := newCampus(t)
	id := s.join(0, "~/src/shop")
	settled := func(want contracts.POIType) {
		t.Helper()
		s.wait("it waits", s.all(contracts.StateWaiting))
		if got := s.placeOf(id); got != want {
			t.Fatalf("it waits at %q, want %q", got, want)
		}
		s.checkSitting()
	}
	s.become(id, contracts.ActivityWaiting)
	settled(contracts.POILounge)
	question := s.asks(id)
	settled(contracts.POIStage)
	s.do(contracts.ResolveDecision{DecisionID: question, Choice: "Yes"})
	settled(contracts.POILounge)
	s.checkReplay()
}

// A crew member that asks while the stage of the house is full goes on stage when a place becomes
// free.
func TestCrewGoesOnStage(t *testing.T) {
	for name, studios := range map[string]bool{"studios": true, "house": false} {
		t.Run(name, func(t *testing.T) {
			s, task := started(t, contracts.KindCode, "agent_eng_1")
			s.d = director.New(director.Config{Sources: sources, Studios: studios})
			var questions []string
			for n := range 5 {
				questions = append(questions, s.asks(s.join(n, "")))
			}
			s.must(contracts.RunAsked{TaskID: task.TaskID, Attempt: 1, Prompt: "Which database?", Options: []string{"SQLite"}})
			asker := s.w.Agent("agent_eng_1")
			s.wait("all wait", func() bool {
				return s.all(contracts.StateWaiting)() && asker.Goal.State == contracts.StateWaiting
			})
			if got := s.placeOf(asker.AgentID); got == contracts.POIStage {
				t.Fatal("a sixth agent is on the stage")
			}
			s.do(contracts.ResolveDecision{DecisionID: questions[1], Choice: "Yes"})
			s.wait("it asks on the stage", func() bool {
				return asker.Goal.State == contracts.StateWaiting && s.placeOf(asker.AgentID) == contracts.POIStage
			})
			s.do(contracts.ResolveDecision{DecisionID: s.w.OpenDecision(task.TaskID).DecisionID, Choice: "SQLite"})
			s.wait("it works", func() bool {
				return asker.Goal.State == contracts.StateWorking && task.Status == contracts.TaskInProgress
			})
			s.checkReplay()
		})
	}
}
