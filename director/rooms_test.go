package director_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/director"
	"github.com/bullpen-office/bullpen/world"
	"github.com/bullpen-office/bullpen/world/scene"
)

func newCampus(t tester) *rig {
	s := newRig(t)
	s.d = director.New(director.Config{Sources: sources, Studios: true})
	return s
}

// join adds guest n, which works at place.
func (s *rig) join(n int, place string) string {
	s.t.Helper()
	id := fmt.Sprintf("agent_g%d", n)
	s.must(contracts.AgentSeen{Profile: contracts.AgentProfile{AgentID: id, Name: id, Source: "claude", Place: place}})
	return id
}

func (s *rig) become(id string, activity contracts.Activity) {
	s.t.Helper()
	s.must(contracts.StatusSeen{Status: contracts.AgentStatus{AgentID: id, Activity: activity, Why: "Test.", Authority: contracts.FromHook}})
}

// all returns a function that reports whether all guests are in the given state.
func (s *rig) all(state contracts.AgentState) func() bool {
	return func() bool {
		for _, ag := range s.w.Guests() {
			if ag.Goal.State != state {
				return false
			}
		}
		return true
	}
}

// checkSeats checks that every guest has a seat of its own.
func (s *rig) checkSeats() {
	s.t.Helper()
	taken := map[string]string{}
	for _, ag := range s.w.Guests() {
		id := ag.Goal.Goal.AnchorID
		anchor, _, ok := s.w.Scene().Anchor(id)
		if !ok || !anchor.Seated || taken[id] != "" {
			s.t.Fatalf("%s (%s, room %q) has the seat %q, which exists: %v, already taken by: %q", ag.AgentID, ag.Goal.State, ag.RoomID, id, ok, taken[id])
		}
		taken[id] = ag.AgentID
	}
}

// checkReplay checks that folding the records produces the same world.
func (s *rig) checkReplay() {
	s.t.Helper()
	w := world.New(scene.Default())
	for _, rec := range s.recs {
		if err := w.Apply(rec); err != nil {
			s.t.Fatal(err)
		}
	}
	a, err := s.w.Hash()
	if err != nil {
		s.t.Fatal(err)
	}
	if b, err := w.Hash(); err != nil || a != b {
		s.t.Fatalf("the replayed world differs: %v", err)
	}
}

// A working guest has its own seat in a room for its place, and an idle guest has its own seat as
// well.
func TestGuestsHaveSeats(t *testing.T) {
	for _, c := range []struct{ guests, places, rooms int }{{1, 1, 1}, {13, 1, 2}, {80, 6, 12}, {contracts.LimitGuests, 1, 17}} {
		t.Run(fmt.Sprintf("%d guests in %d places", c.guests, c.places), func(t *testing.T) {
			s := newCampus(t)
			for n := range c.guests {
				s.become(s.join(n, fmt.Sprintf("/src/repo-%d", n%c.places)), contracts.ActivityWorking)
			}
			s.wait("all work", s.all(contracts.StateWorking))
			s.checkSeats()
			if got := len(s.w.Rooms()); got != c.rooms {
				t.Errorf("%d rooms are open, want %d", got, c.rooms)
			}
			for _, ag := range s.w.Guests() {
				if room := s.w.Room(ag.RoomID); room == nil || room.Key != ag.Place || !strings.HasSuffix(ag.Goal.Goal.AnchorID, contracts.RoomSuffix(ag.RoomID)) {
					t.Fatalf("%s works for %s in room %q at %s", ag.AgentID, ag.Place, ag.RoomID, ag.Goal.Goal.AnchorID)
				}
			}
			for _, ag := range s.w.Guests() {
				s.become(ag.AgentID, contracts.ActivityIdle)
			}
			s.wait("all are free", s.all(contracts.StateIdle))
			s.checkSeats()
			if err := check(s.w); err != nil {
				t.Error(err)
			}
			s.checkReplay()
		})
	}
}

func TestAnnex(t *testing.T) {
	s := newCampus(t)
	for n := range 13 {
		s.become(s.join(n, "~/src/shop-api"), contracts.ActivityWorking)
	}
	rooms := s.w.Rooms()
	if len(rooms) != 2 || rooms[0].Label != "shop-api" || rooms[1].Label != "shop-api 2" || rooms[0].Accent != rooms[1].Accent {
		t.Fatalf("rooms: %+v", rooms)
	}
	if rooms[0].Desks != 6 || rooms[1].Desks != 1 {
		t.Errorf("desks: %d and %d, want 6 and 1", rooms[0].Desks, rooms[1].Desks)
	}
	if diff := cmp.Diff([]contracts.Plot{{1, 0}, {0, 1}}, []contracts.Plot{rooms[0].Plot, rooms[1].Plot}); diff != "" {
		t.Errorf("plots (-want +got):\n%s", diff)
	}
}

// The studios and the house have different accents, if there are enough accents.
func TestStudiosHaveDifferentAccents(t *testing.T) {
	s := newCampus(t)
	seen := map[string]string{contracts.HouseAccent: "the house"}
	for n := range len(contracts.Accents) - 1 {
		s.become(s.join(n, fmt.Sprint("/src/shop", n)), contracts.ActivityWorking)
	}
	for _, r := range s.w.Rooms() {
		if other := seen[r.Accent]; other != "" {
			t.Errorf("%s has the accent %s, like %s", r.Label, r.Accent, other)
		}
		seen[r.Accent] = r.Label
	}
	if len(seen) != len(contracts.Accents) {
		t.Errorf("%d accents are used: %v", len(seen), seen)
	}
}

// A guest without a place, a guest that has not worked yet and the crew stay in the house; a
// sub-agent is in its parent's room.
func TestWhoGetsARoom(t *testing.T) {
	s := newCampus(t)
	s.become(s.join(1, ""), contracts.ActivityWorking)
	s.become(s.join(2, " \u200b"), contracts.ActivityWorking)
	parent := s.join(3, "~/src/shop")
	if got := len(s.w.Rooms()); got != 0 {
		t.Fatalf("%d rooms are open before anyone works", got)
	}
	s.become(parent, contracts.ActivityWorking)
	s.must(contracts.AgentSeen{Profile: contracts.AgentProfile{AgentID: "agent_sub", Name: "Explore", Source: "claude", ParentID: parent, Place: "/elsewhere", RoomID: "room_9"}})
	s.become("agent_sub", contracts.ActivityWorking)
	s.wait("all work", s.all(contracts.StateWorking))
	for id, want := range map[string]string{"agent_g1": "", "agent_g2": "", "agent_g3": "room_1", "agent_sub": "room_1", "agent_bd": ""} {
		if got := s.w.Agent(id).RoomID; got != want {
			t.Errorf("%s is in room %q, want %q", id, got, want)
		}
	}
	if got := s.w.Room("room_1").Desks; got != 1 {
		t.Errorf("%d desk modules for one guest and its sub-agent", got)
	}
}

func TestGuestAsksOnItsOwnStage(t *testing.T) {
	s := newCampus(t)
	s.must(contracts.AgentSeen{Profile: contracts.AgentProfile{AgentID: guestID, Name: "shop", Source: "claude", Place: "~/src/shop"}})
	s.must(permission())
	if g := s.w.Agent(guestID).Goal; g.Goal.AnchorID != "anchor_stage_1_r1" {
		t.Errorf("the guest asks at %q", g.Goal.AnchorID)
	}
}

// A guest that continues elsewhere moves to the room for that place.
func TestGuestChangesItsPlace(t *testing.T) {
	s := newCampus(t)
	id := s.join(1, "~/src/shop")
	s.become(id, contracts.ActivityWorking)
	s.join(1, "~/src/docs")
	if room := s.w.Room(s.w.Agent(id).RoomID); room == nil || room.Key != "~/src/docs" {
		t.Errorf("the guest is in %+v", room)
	}
	s.checkReplay()
}

func TestGuestsOfARepositoryShareAStudio(t *testing.T) {
	s := newCampus(t)
	see := func(id, place, repo string) {
		t.Helper()
		s.must(contracts.AgentSeen{Profile: contracts.AgentProfile{AgentID: id, Name: id, Source: "claude", Place: place, Repo: repo}})
		s.become(id, contracts.ActivityWorking)
	}
	see("agent_a", "~/shop/web", "~/shop")
	see("agent_b", "~/shop-fix", "~/shop")
	see("agent_c", "~/notes", "")
	see("agent_a", "/tmp/x", "/tmp/x") // it works elsewhere for a while
	rooms := s.w.Rooms()
	if len(rooms) != 2 || rooms[0].Key != "~/shop" || rooms[1].Key != "~/notes" {
		t.Fatalf("rooms %+v", rooms)
	}
	a, b := s.w.Agent("agent_a"), s.w.Agent("agent_b")
	if a.RoomID != rooms[0].RoomID || b.RoomID != a.RoomID || a.Repo != "~/shop" || a.Place != "/tmp/x" {
		t.Errorf("%+v\n%+v", a.AgentProfile, b.AgentProfile)
	}
	s.checkReplay()
}

// Studios for folders with the same name are also labelled with the parent folder.
func TestStudiosWithTheSameNameAreDistinguished(t *testing.T) {
	s := newCampus(t)
	for i, place := range []string{"~/work/shop", "~/old/shop", "laptop:/src/shop"} {
		s.become(s.join(i, place), contracts.ActivityWorking)
	}
	var labels []string
	for _, r := range s.w.Rooms() {
		labels = append(labels, r.Label)
	}
	if d := cmp.Diff([]string{"shop", "old/shop", "src/shop"}, labels); d != "" {
		t.Error(d)
	}
}

func TestEmptyStudiosClose(t *testing.T) {
	s := newCampus(t)
	shop, docs := s.join(1, "~/src/shop"), s.join(2, "~/src/docs")
	s.become(shop, contracts.ActivityWorking)
	s.become(docs, contracts.ActivityWorking)
	s.wait("both work", s.all(contracts.StateWorking))
	plot := s.w.Rooms()[0].Plot

	s.become(shop, contracts.ActivityOffline)
	s.pass(contracts.StudioIdle - time.Minute)
	s.become(shop, contracts.ActivityWorking)
	s.become(shop, contracts.ActivityOffline)
	s.pass(contracts.StudioIdle - time.Second)
	if got := len(s.w.Rooms()); got != 2 {
		t.Fatalf("%d rooms are open; the one that was used a moment ago must stay", got)
	}
	s.must(contracts.AgentGone{AgentID: shop, Reason: "gone"})
	s.pass(time.Second)
	if rooms := s.w.Rooms(); len(rooms) != 1 || rooms[0].Key != "~/src/docs" {
		t.Fatalf("open rooms: %+v", rooms)
	}

	s.become(s.join(3, "~/src/web"), contracts.ActivityWorking)
	s.become(s.join(1, "~/src/shop"), contracts.ActivityWorking)
	rooms := s.w.Rooms()
	if got := rooms[1].Plot; got == plot {
		t.Errorf("a freed plot was reused before a new one: %v", got)
	}
	if got := rooms[2]; got.Plot != plot || got.RoomID != "room_4" || got.Label != "shop" {
		t.Errorf("the place that returned has %+v, want the plot %v", got, plot)
	}
	s.checkReplay()
}

// When the last studio closes, the garden closes too, and a guest in the garden sits elsewhere.
func TestTheGardenClosesWithTheLastStudio(t *testing.T) {
	s := newCampus(t)
	worker, idler := s.join(0, "/src/shop"), s.join(1, "")
	s.become(worker, contracts.ActivityWorking)
	s.wait("it works", func() bool { return s.w.Agent(worker).Goal.State == contracts.StateWorking })
	s.become(idler, contracts.ActivityWorking)
	s.become(idler, contracts.ActivityIdle)
	s.wait("nobody walks", func() bool { return !s.walks() })
	if _, poi, ok := s.w.Scene().Anchor(s.w.Agent(idler).Goal.Goal.AnchorID); !ok || poi.Type != contracts.POIGarden {
		t.Fatalf("the idle guest is at %q, not in the garden", s.w.Agent(idler).Goal.Goal.AnchorID)
	}
	s.must(contracts.AgentGone{AgentID: worker, Reason: "left"})
	s.pass(contracts.StudioIdle)
	if len(s.w.Rooms()) > 0 {
		t.Fatal("the studio is still open")
	}
	s.wait("nobody walks", func() bool { return !s.walks() })
	s.checkSitting()
	s.checkReplay()
}

// With more places than rooms, and with hostile names, the office stays within its limits and
// everyone works.
func TestMorePlacesThanRooms(t *testing.T) {
	s := newCampus(t)
	for n := range 500 {
		p := contracts.AgentProfile{AgentID: fmt.Sprint("agent_g", n), Name: strings.Repeat("\u202eé", 200), Source: "claude", Place: fmt.Sprintf("/srv/%d\x1b[31m\u202e/%s%d", n, strings.Repeat("é", 200), n)}
		if refusal := s.tell(contracts.AgentSeen{Profile: p}); (refusal == nil) != (n < contracts.LimitGuests) {
			t.Fatalf("guest %d: %v", n, refusal)
		} else if refusal == nil {
			s.become(p.AgentID, contracts.ActivityWorking)
		}
	}
	if got := len(s.w.Rooms()); got != contracts.LimitRooms {
		t.Errorf("%d rooms are open, want %d", got, contracts.LimitRooms)
	}
	for _, r := range s.w.Rooms() {
		if utf8.RuneCountInString(r.Label) > contracts.LimitRoomLabel || utf8.RuneCountInString(r.Key) > contracts.LimitPreview || strings.ContainsAny(r.Label+r.Key, "\x1b\u202e") {
			t.Errorf("label %q, key %q", r.Label, r.Key)
		}
	}
	s.wait("all work", s.all(contracts.StateWorking))
	s.checkSeats()
	if err := check(s.w); err != nil {
		t.Error(err)
	}
}

// Without studios, the ledger contains nothing about rooms, and rooms that were open before are
// closed.
func TestStudiosOff(t *testing.T) {
	s := newRig(t)
	s.become(s.join(1, "~/src/shop"), contracts.ActivityWorking)
	for _, rec := range s.recs {
		if strings.Contains(string(rec.Body), "room") && !strings.Contains(string(rec.Body), "cozy_office") {
			t.Errorf("a record mentions a room: %s", rec.Body)
		}
	}

	s = newCampus(t)
	id := s.join(1, "~/src/shop")
	s.become(id, contracts.ActivityWorking)
	s.wait("it works", s.all(contracts.StateWorking))
	s.d = director.New(director.Config{Sources: sources})
	s.advance()
	s.wait("it works in the house", s.all(contracts.StateWorking))
	if _, _, ok := scene.Default().Anchor(s.w.Agent(id).Goal.Goal.AnchorID); !ok || len(s.w.Rooms()) != 0 || s.w.Agent(id).RoomID != "" {
		t.Errorf("the guest is at %q in room %q, with %d rooms", s.w.Agent(id).Goal.Goal.AnchorID, s.w.Agent(id).RoomID, len(s.w.Rooms()))
	}
}
