package director_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

func (s *rig) walks() bool {
	for _, ag := range s.w.Agents() {
		if ag.Goal.Goal.Kind.Moves() {
			return true
		}
	}
	return false
}

// checkSitting checks that all agents sit at seats of their own or perch, except those that are
// offline or ask on a stage.
func (s *rig) checkSitting() {
	s.t.Helper()
	for _, ag := range s.w.Agents() {
		g := &ag.Goal
		if g.State == contracts.StateOffline || g.Goal.PerchOf != "" {
			continue
		}
		anchor, poi, ok := s.w.Scene().Anchor(g.Goal.AnchorID)
		if ok && poi.Type == contracts.POIStage && g.State == contracts.StateWaiting {
			continue
		}
		if !ok || !anchor.Seated {
			s.t.Fatalf("%s (%s, room %q, desk %q) stands at %q", ag.AgentID, g.State, ag.RoomID, ag.SeatID, g.Goal.AnchorID)
		}
	}
	if err := check(s.w); err != nil {
		s.t.Fatal(err)
	}
}

// In random populations of up to 200 guests, with and without places and parents, nobody stands
// around: agents sit, perch, walk or ask on a stage, and no two agents share a seat.
func TestNobodyStandsAround(t *testing.T) {
	for seed, guests := range []int{1, 8, 40, contracts.LimitGuests} {
		t.Run(fmt.Sprintf("%d guests", guests), func(t *testing.T) {
			s, r := newCampus(t), rand.New(rand.NewPCG(uint64(seed), 0))
			activities := []contracts.Activity{contracts.ActivityWorking, contracts.ActivityIdle, contracts.ActivityIdle, contracts.ActivityWaiting, contracts.ActivityOffline}
			places := 1 + r.IntN(guests)
			id := func() string { return fmt.Sprint("agent_g", r.IntN(guests)) }
			for n := range guests {
				p := contracts.AgentProfile{AgentID: fmt.Sprint("agent_g", n), Name: fmt.Sprint("guest ", n), Source: "claude"}
				if r.IntN(4) > 0 {
					p.Place = fmt.Sprint("/src/repo-", r.IntN(places))
				}
				if r.IntN(4) == 0 {
					p.ParentID = id()
				}
				s.must(contracts.AgentSeen{Profile: p})
				s.become(p.AgentID, activities[r.IntN(len(activities))])
			}
			s.wait("nobody walks", func() bool { return !s.walks() })
			s.checkSitting()
			for range 20 {
				who := id()
				switch {
				case s.w.Agent(who) == nil:
				case r.IntN(5) == 0:
					s.must(contracts.AgentGone{AgentID: who, Reason: "left"})
				default:
					s.become(who, activities[r.IntN(len(activities))])
				}
			}
			s.wait("nobody walks", func() bool { return !s.walks() })
			s.checkSitting()
			s.checkReplay()
		})
	}
}

// Guests without work sit in their studio's lounge, then in the garden, then at their own desk.
// Seats that face the camera are taken first.
func TestWhereIdleGuestsSit(t *testing.T) {
	s := newCampus(t)
	const guests, sofas, garden = 30, 3, 22
	for n := range guests {
		s.become(s.join(n, "~/src/shop"), contracts.ActivityWorking)
	}
	s.wait("all work", s.all(contracts.StateWorking))
	at := map[contracts.POIType]int{}
	for n := range guests {
		id := fmt.Sprint("agent_g", n)
		s.become(id, contracts.ActivityIdle)
		anchor, poi, ok := s.w.Scene().Anchor(s.w.Agent(id).Goal.Goal.AnchorID)
		if !ok {
			t.Fatalf("%s has no seat", id)
		}
		at[poi.Type]++
		if first := at[poi.Type]; poi.Type == contracts.POIGarden && first <= garden/2 && !s.w.Scene().ShowsFace(anchor) {
			t.Errorf("guest %d in the garden turns its back to the camera at %s", first, anchor.ID)
		}
	}
	if at[contracts.POILounge] != sofas*len(s.w.Rooms()) || at[contracts.POIGarden] != min(garden, guests-at[contracts.POILounge]) {
		t.Errorf("guests sit at %v", at)
	}
}

// The first guests in a row of desks face the camera, and desks are added as needed.
func TestFacesComeFirst(t *testing.T) {
	s := newCampus(t)
	var faces, desks []int
	for n := range contracts.StudioDesks * contracts.DeskSeats {
		id := s.join(n, "~/src/shop")
		s.become(id, contracts.ActivityWorking)
		anchor, _, ok := s.w.Scene().Anchor(s.w.Agent(id).SeatID)
		if !ok {
			t.Fatalf("guest %d has no desk", n)
		}
		if s.w.Scene().ShowsFace(anchor) {
			faces = append(faces, n+1)
		}
		desks = append(desks, s.w.Rooms()[0].Desks)
	}
	if got := fmt.Sprint(faces, desks); got != "[1 2 3 7 8 9] [1 2 3 3 3 3 4 5 6 6 6 6]" {
		t.Errorf("guests that show their faces, and desk modules: %s", got)
	}
}

// A guest keeps its desk while it is idle, asking or offline.
func TestGuestKeepsItsDesk(t *testing.T) {
	s := newCampus(t)
	id := s.join(0, "~/src/shop")
	s.become(id, contracts.ActivityWorking)
	desk := s.w.Agent(id).SeatID
	for _, activity := range []contracts.Activity{contracts.ActivityIdle, contracts.ActivityWaiting, contracts.ActivityOffline} {
		s.become(id, activity)
		s.become(s.join(1+len(s.w.Guests()), "~/src/shop"), contracts.ActivityWorking)
		s.become(id, contracts.ActivityWorking)
		s.wait("all work", s.all(contracts.StateWorking))
		if got := s.w.Agent(id); got.SeatID != desk || got.Goal.Goal.AnchorID != desk {
			t.Errorf("after %s the guest works at %s and owns %s, want %s", activity, got.Goal.Goal.AnchorID, got.SeatID, desk)
		}
	}
	s.checkSeats()
}

// Guests without a place sit in the house. When it is full, they get desks in a studio of their
// own, which is not named after anyone's folder.
func TestGuestsWithoutAPlace(t *testing.T) {
	s := newCampus(t)
	for n := range 3 {
		s.become(s.join(n, ""), contracts.ActivityIdle)
	}
	s.wait("all sit", func() bool { return !s.walks() })
	s.checkSitting()
	if rooms := s.w.Rooms(); len(rooms) > 0 {
		t.Errorf("rooms for three idle guests next to the crew: %+v", rooms)
	}
	for n := range 60 {
		s.become(s.join(n, ""), contracts.ActivityWorking)
	}
	s.wait("all work", s.all(contracts.StateWorking))
	s.checkSeats()
	if first := s.w.Agent("agent_g0"); first.RoomID != "" {
		t.Errorf("the first guest is in %s", first.RoomID)
	}
	if rooms := s.w.Rooms(); len(rooms) == 0 || rooms[0].Key != "" || rooms[0].Label != "Guests" {
		t.Errorf("rooms: %+v", rooms)
	}
}

// When all plots are taken, guests from other places sit in the house, then at free desks in open
// studios. When a studio closes, another place gets its plot.
func TestGuestsShareStudiosOfAFullCampus(t *testing.T) {
	s := newCampus(t)
	const guests = 60
	for n := range guests {
		s.become(s.join(n, fmt.Sprint("/src/repo-", n)), contracts.ActivityWorking)
	}
	s.wait("all work", s.all(contracts.StateWorking))
	s.checkSeats()
	sharing := func() (n int) {
		for _, ag := range s.w.Guests() {
			if room := s.w.Room(ag.RoomID); room != nil && room.Key != ag.Place {
				n++
			}
		}
		return n
	}
	if n := sharing(); n == 0 || n > guests-contracts.LimitRooms {
		t.Errorf("%d of %d guests share a studio", n, guests)
	}
	first := s.w.Rooms()[0]
	for _, ag := range s.w.Guests() {
		if ag.RoomID == first.RoomID {
			s.must(contracts.AgentGone{AgentID: ag.AgentID, Reason: "left"})
		}
	}
	s.pass(contracts.StudioIdle)
	newest := s.w.Rooms()[contracts.LimitRooms-1]
	if newest.Plot != first.Plot || newest.RoomID != "room_25" {
		t.Errorf("the newest room is %+v, want one on the plot %v", newest, first.Plot)
	}
	s.wait("all work", s.all(contracts.StateWorking))
	s.checkSeats()
}
