package world_test

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
	"github.com/bullpen-office/bullpen/world/scene"
)

func studio(number, desks int, plot contracts.Plot) *contracts.Room {
	return &contracts.Room{RoomID: contracts.RoomID(number), Key: "/src/shop", Label: "shop", Module: contracts.ModuleStudio, Plot: plot, Accent: "teal", Desks: desks}
}

func guestIn(room string) contracts.Body {
	return &contracts.Event{Name: contracts.EventAgentJoined, Agents: []contracts.AgentProfile{{AgentID: "agent_guest", Name: "Guest", Source: "claude", RoomID: room}}}
}

func status(activity contracts.Activity) contracts.Body {
	return &contracts.Event{Name: contracts.EventAgentStatus, AgentID: "agent_guest", Status: &contracts.AgentStatus{AgentID: "agent_guest", Activity: activity, Why: "Test."}}
}

func TestRooms(t *testing.T) {
	recs := tape(t, opened(),
		&contracts.Event{Name: contracts.EventRoomOpened, Room: studio(1, 1, contracts.Plot{1, 0})},
		guestIn("room_1"),
		&contracts.Event{Name: contracts.EventRoomOpened, Room: studio(2, 1, contracts.Plot{0, 1})},
		&contracts.Event{Name: contracts.EventRoomChanged, Room: studio(1, 3, contracts.Plot{1, 0})},
		&contracts.Event{Name: contracts.EventRoomClosed, RoomID: "room_2"},
		status(contracts.ActivityOffline),
	)
	w := fold(t, recs)
	want := []world.Room{{Room: *studio(1, 3, contracts.Plot{1, 0}), EmptySince: 7000}}
	if diff := cmp.Diff(want, w.Rooms()); diff != "" {
		t.Errorf("rooms (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]contracts.Room{want[0].Room}, w.Snapshot(9000, nil, nil).Rooms); diff != "" {
		t.Errorf("rooms in a snapshot (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]world.PastRoom{{Key: "/src/shop", Plot: contracts.Plot{0, 1}}}, w.PastRooms()); diff != "" || w.RoomsMade() != 2 {
		t.Errorf("past rooms, of %d (-want +got):\n%s", w.RoomsMade(), diff)
	}
	if _, _, ok := w.Scene().Anchor("anchor_desk_1_r1"); !ok {
		t.Error("the open room has no desks")
	}
	if _, _, ok := w.Scene().Anchor("anchor_desk_1_r2"); ok {
		t.Error("the closed room still has desks")
	}
	again := fold(t, recs)
	if a, b := hashOf(t, w), hashOf(t, again); a != b {
		t.Errorf("replaying the records gives another world: %s, %s", a, b)
	}
	encoded, err := w.Encode()
	if err != nil {
		t.Fatal(err)
	}
	restored, err := world.Decode(scene.Default(), encoded)
	if err != nil {
		t.Fatal(err)
	}
	if hashOf(t, restored) != hashOf(t, w) || restored.Scene().Plan() != w.Scene().Plan() {
		t.Error("a checkpoint does not restore the rooms")
	}
}

// When the last room closes, the scene is the house again, and the agents of that room no longer
// have a room.
func TestLastRoomCloses(t *testing.T) {
	w := fold(t, tape(t, opened(),
		&contracts.Event{Name: contracts.EventRoomOpened, Room: studio(1, 1, contracts.Plot{1, 0})},
		guestIn("room_1"),
		&contracts.Event{Name: contracts.EventRoomClosed, RoomID: "room_1"},
	))
	if w.Scene() != scene.Default() || len(w.Rooms()) != 0 || w.Snapshot(9000, nil, nil).Rooms != nil {
		t.Errorf("rooms: %v", w.Rooms())
	}
	if room := w.Agent("agent_guest").RoomID; room != "" {
		t.Errorf("the guest is still in %s", room)
	}
}

// A world opens even if the campus of its house has no plot for an open room.
func TestRoomsWithoutAPlot(t *testing.T) {
	encoded, err := fold(t, tape(t, opened(), &contracts.Event{Name: contracts.EventRoomOpened, Room: studio(1, 1, contracts.Plot{1, 0})})).Encode()
	if err != nil {
		t.Fatal(err)
	}
	manifest := *scene.Default().Manifest()
	const finer = 4
	manifest.Grid.CellSize /= finer
	manifest.Grid.Width, manifest.Grid.Height, manifest.Grid.Walkable = manifest.Grid.Width*finer, manifest.Grid.Height*finer, nil
	text, err := json.Marshal(manifest)
	if err != nil {
		t.Fatal(err)
	}
	house, err := scene.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.Decode(house, encoded)
	if err != nil {
		t.Fatal(err)
	}
	if room := w.Room("room_1"); room == nil || w.HasPlot(room.Plot) || w.Scene().Plan() != house.Plan() {
		t.Errorf("room %+v, plots %v", room, w.Plots())
	}
}

func TestRoomRecordsThatCannotBeFolded(t *testing.T) {
	for name, e := range map[string]*contracts.Event{
		"no room":        {Name: contracts.EventRoomOpened},
		"unknown module": {Name: contracts.EventRoomOpened, Room: &contracts.Room{RoomID: "room_1", Module: "tower", Plot: contracts.Plot{1, 0}}},
		"unknown room":   {Name: contracts.EventRoomClosed, RoomID: "room_7"},
	} {
		w := world.New(scene.Default())
		if err := w.Apply(tape(t, e)[0]); err == nil {
			t.Errorf("%s: folded", name)
		}
	}
}
