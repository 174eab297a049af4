package director_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/director"
	"github.com/bullpen-office/bullpen/world"
)

// sub adds a working sub-agent under the given parent.
func (s *rig) sub(id, parent string) *world.Agent {
	s.t.Helper()
	s.must(contracts.AgentSeen{Profile: contracts.AgentProfile{AgentID: id, Name: id, Source: "claude", ParentID: parent, Place: "~/src/shop"}})
	s.become(id, contracts.ActivityWorking)
	return s.w.Agent(id)
}

// perchesAt checks that a sub-agent is at the seat of an agent's own desk and has no seat itself.
func (s *rig) perchesAt(id, host string) {
	s.t.Helper()
	ag, anchor := s.w.Agent(id), s.w.Agent(host).SeatID
	at, _, ok := s.w.Scene().Anchor(anchor)
	if g := ag.Goal.Goal; !ok || g.PerchOf != host || g.AnchorID != "" || ag.SeatID != "" || ag.Destination() != at.Pos || ag.RoomID != s.w.Agent(host).RoomID {
		s.t.Fatalf("%s does not perch at the desk %q of %s: %+v", id, anchor, host, ag)
	}
}

// Sub-agents of any depth sit at the desk of the agent at the top of their chain. They take no
// seat, no desk module and no room.
func TestSubagentsShareTheirParentsDesk(t *testing.T) {
	s := newCampus(t)
	parent := s.join(1, "~/src/shop")
	s.become(parent, contracts.ActivityWorking)
	for n := range 20 {
		s.sub(fmt.Sprint("agent_sub", n), parent)
	}
	s.sub("agent_deep", "agent_sub0")
	s.wait("all work", s.all(contracts.StateWorking))
	for n := range 20 {
		s.perchesAt(fmt.Sprint("agent_sub", n), parent)
	}
	s.perchesAt("agent_deep", parent)
	if rooms := s.w.Rooms(); len(rooms) != 1 || rooms[0].Desks != 1 {
		t.Errorf("rooms for one guest and its sub-agents: %+v", rooms)
	}
	s.become("agent_sub0", contracts.ActivityIdle)
	s.become(parent, contracts.ActivityIdle)
	s.wait("both are free", func() bool {
		return s.w.Agent("agent_sub0").Goal.State == contracts.StateIdle && s.w.Agent(parent).Goal.State == contracts.StateIdle
	})
	s.perchesAt("agent_sub0", parent)
	if err := check(s.w); err != nil {
		t.Error(err)
	}
	s.checkReplay()
}

// An idle parent keeps a desk for its sub-agents, even if it has not worked yet.
func TestSubagentOfAnIdleParent(t *testing.T) {
	s := newCampus(t)
	parent := s.join(1, "~/src/shop")
	s.sub("agent_sub", parent)
	s.wait("it works", func() bool { return s.w.Agent("agent_sub").Goal.State == contracts.StateWorking })
	s.perchesAt("agent_sub", parent)
}

// A sub-agent that asks goes to the stage of its parent's room and comes back to its parent's desk.
func TestSubagentAsksOnStage(t *testing.T) {
	s := newCampus(t)
	parent := s.join(1, "~/src/shop")
	s.become(parent, contracts.ActivityWorking)
	s.sub(guestID, parent)
	s.must(permission())
	s.wait("it waits", func() bool { return s.w.Agent(guestID).Goal.State == contracts.StateWaiting })
	if g := s.w.Agent(guestID).Goal.Goal; g.AnchorID != "anchor_stage_1_r1" || g.PerchOf != "" {
		t.Fatalf("the sub-agent asks at %+v", g)
	}
	s.caller.Permit = true
	s.do(contracts.ResolveDecision{DecisionID: s.w.OpenAsk(guestID).DecisionID, Choice: "Allow once"})
	s.wait("it works again", func() bool { return s.w.Agent(guestID).Goal.State == contracts.StateWorking })
	s.perchesAt(guestID, parent)
}

// A sub-agent whose parent has left or is offline is a guest like any other: it gets its own desk,
// and it perches again when the parent is back.
func TestSubagentWithoutParent(t *testing.T) {
	leave := map[string]func(s *rig, parent string){
		"left":    func(s *rig, parent string) { s.must(contracts.AgentGone{AgentID: parent, Reason: "gone"}) },
		"offline": func(s *rig, parent string) { s.become(parent, contracts.ActivityOffline) },
	}
	for name, leaves := range leave {
		t.Run(name, func(t *testing.T) {
			s := newCampus(t)
			parent := s.join(1, "~/src/shop")
			s.become(parent, contracts.ActivityWorking)
			var subs []string
			for n := range 15 { // more sub-agents than a studio has desks
				subs = append(subs, s.sub(fmt.Sprint("agent_sub", n), parent).AgentID)
			}
			s.wait("all work", s.all(contracts.StateWorking))
			leaves(s, parent)
			s.wait("they work at desks", func() bool {
				return !slices.ContainsFunc(subs, func(id string) bool { return s.w.Agent(id).Goal.State != contracts.StateWorking })
			})
			taken := map[string]bool{}
			for _, id := range subs {
				ag := s.w.Agent(id)
				if g := ag.Goal.Goal; g.PerchOf != "" || g.AnchorID == "" || g.AnchorID != ag.SeatID || taken[g.AnchorID] {
					t.Fatalf("%s is at %+v, its desk is %q", id, g, ag.SeatID)
				}
				taken[ag.SeatID] = true
			}
			if err := check(s.w); err != nil {
				t.Error(err)
			}
			s.become(s.join(1, "~/src/shop"), contracts.ActivityWorking)
			s.wait("all work again", s.all(contracts.StateWorking))
			for _, id := range subs {
				s.perchesAt(id, parent)
			}
			s.checkReplay()
		})
	}
}

// Agents that are their own ancestors are treated like any other guests.
func TestSubagentsInACircle(t *testing.T) {
	s := newCampus(t)
	s.sub("agent_own", "agent_own")
	s.sub("agent_a", "agent_b")
	s.sub("agent_b", "agent_a")
	s.sub("agent_c", "agent_b")
	s.wait("all work", s.all(contracts.StateWorking))
	s.checkSeats()
}

// When studios are turned off, sub-agents no longer perch, and guests have no rooms or desks of
// their own.
func TestPerchesEndWithStudios(t *testing.T) {
	s := newCampus(t)
	parent := s.join(1, "~/src/shop")
	s.become(parent, contracts.ActivityWorking)
	s.sub("agent_sub", parent)
	s.wait("all work", s.all(contracts.StateWorking))
	s.d = director.New(director.Config{Sources: sources})
	s.advance()
	s.wait("all work in the house", s.all(contracts.StateWorking))
	for _, ag := range s.w.Guests() {
		if ag.Goal.Goal.PerchOf != "" || ag.SeatID != "" || ag.RoomID != "" {
			t.Errorf("%s: %+v", ag.AgentID, ag)
		}
	}
	if err := check(s.w); err != nil {
		t.Error(err)
	}
}
