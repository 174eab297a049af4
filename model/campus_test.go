package model

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world/scene"
)

func studio(number, desks int, plot contracts.Plot) contracts.Room {
	return contracts.Room{RoomID: contracts.RoomID(number), Key: "/src/shop", Label: "shop", Module: contracts.ModuleStudio, Plot: plot, Accent: "blue", Desks: desks}
}

func roomEvent(seq uint64, e contracts.Event) Message {
	return Message{Type: contracts.TypeEvent, ID: "evt", TS: int64(seq), Seq: seq, Payload: &e}
}

// TestRoomsAreFolded checks that rooms follow their events and snapshots (W20).
func TestRoomsAreFolded(t *testing.T) {
	first, second := studio(1, 1, contracts.Plot{1, 0}), studio(2, 1, contracts.Plot{0, 1})
	grown := studio(1, 3, contracts.Plot{1, 0})
	guest := contracts.Agent{AgentProfile: contracts.AgentProfile{AgentID: "agent_a", Source: "claude", RoomID: second.RoomID, SeatID: "anchor_desk_1_r2"}}
	snap := func(seq uint64, s contracts.Snapshot) Message {
		return Message{Type: contracts.TypeSnapshot, ID: "snap", TS: int64(seq), Seq: seq, Payload: &s}
	}
	o := folded(snap(1, contracts.Snapshot{Rooms: []contracts.Room{first}, Agents: []contracts.Agent{guest}}),
		roomEvent(2, contracts.Event{Name: contracts.EventRoomOpened, Room: &second}),
		roomEvent(3, contracts.Event{Name: contracts.EventRoomChanged, Room: &grown}))
	if diff := cmp.Diff([]contracts.Room{grown, second}, o.Rows().Rooms); diff != "" {
		t.Errorf("after the events (-want +got):\n%s", diff)
	}
	o.Apply(roomEvent(4, contracts.Event{Name: contracts.EventRoomClosed, RoomID: second.RoomID}))
	if diff := cmp.Diff([]contracts.Room{grown}, o.Rows().Rooms); diff != "" {
		t.Errorf("after the end of a room (-want +got):\n%s", diff)
	}
	if a := o.Rows().Agent("agent_a"); a.RoomID != House || a.SeatID != "" {
		t.Errorf("the agent of the closed room is in %q at %q", a.RoomID, a.SeatID)
	}
	o.Apply(snap(5, contracts.Snapshot{Mode: "delta", Rooms: []contracts.Room{second}, Removed: []string{first.RoomID}}))
	if diff := cmp.Diff([]contracts.Room{second}, o.Rows().Rooms); diff != "" {
		t.Errorf("after a delta (-want +got):\n%s", diff)
	}
}

// TestParts checks that every place on a campus is in the part that it belongs to, at the position
// given in the module's manifest.
func TestParts(t *testing.T) {
	o := folded()
	if got := o.Parts(); got != nil {
		t.Fatalf("parts without a scene: %v", got)
	}
	o.Scene = scene.Default().Manifest()
	if got := o.Parts(); len(got) != 1 || got[0].ID != House || got[0].Manifest != o.Scene {
		t.Fatalf("parts without rooms: %v", got)
	}
	var rooms []contracts.Room
	for i, plot := range scene.Plots(contracts.LimitRooms) {
		rooms = append(rooms, studio(i+1, contracts.StudioDesks, plot))
	}
	o.history.rows.Rooms = append(rooms, contracts.Room{RoomID: "room_99", Module: "tower"})
	parts := o.Parts()
	if len(parts) != len(rooms)+2 || parts[len(parts)-1].ID != contracts.GardenScene {
		t.Fatalf("%d parts", len(parts))
	}
	campus, err := scene.NewCampus(scene.Default()).Compose(rooms)
	if err != nil {
		t.Fatal(err)
	}
	for i, part := range parts {
		for _, poi := range part.Manifest.POIs {
			for _, a := range poi.NavAnchors {
				at, _, ok := campus.Anchor(a.ID + contracts.RoomSuffix(part.ID))
				if !ok || PartAt(parts, at.Pos) != i || scene.Length([]contracts.Vec3{part.Local(at.Pos), a.Pos}) > 0.01 {
					t.Fatalf("%s of %s is at %v in the part, %v in the module", a.ID, part.Label, part.Local(at.Pos), a.Pos)
				}
			}
		}
	}
}

// TestDesksInUse checks that a studio shows two desks for each module in use.
func TestDesksInUse(t *testing.T) {
	for desks, want := range map[int]int{-1: 0, 0: 0, 1: 2, 4: 8, 6: 12, 99: 12} {
		places, objects := 0, 0
		for _, p := range studioWith(desks).POIs {
			if p.Type == contracts.POIDevDesk {
				places++
			}
		}
		for _, object := range studioWith(desks).Objects {
			if object.Kind == "desk" {
				objects++
			}
		}
		if places != want || objects != want {
			t.Errorf("%d desk modules: %d places and %d desks, want %d", desks, places, objects, want)
		}
	}
}

// TestTallyVectors runs contracts/vectors/tallies.json, as web/src/world/campus.test.ts does: both
// count agents in the same way.
func TestTallyVectors(t *testing.T) {
	type counts struct {
		Working, Waiting, Needing, Free int
		Words                           string
	}
	var cases []struct {
		Name   string            `json:"name"`
		Agents []contracts.Agent `json:"agents"`
		Want   map[string]counts `json:"want"`
	}
	readVectors(t, "tallies.json", &cases)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			got := map[string]counts{}
			for room, n := range (&Rows{Agents: c.Agents}).Tallies() {
				got[room] = counts{n.Working, n.Waiting, n.Needing, n.Free, n.Words()}
			}
			if diff := cmp.Diff(c.Want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if words := (Tally{}).Words(); words != "" {
		t.Errorf("an empty tally is described as %q", words)
	}
}
