package server

import (
	"net/http"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/agentstest"
	"github.com/bullpen-office/bullpen/contracts"
)

// W20: with studios, a guest that works gets a room that every viewer sees, that people can walk
// to, and that is still there after a restart.
func TestStudios(t *testing.T) {
	cfg := Config{DataDir: t.TempDir(), Crew: CrewNone, Studios: true, Adapters: []agents.Adapter{agentstest.Toy(t.TempDir())}}
	r := startRig(t, cfg)
	v := r.dial(cfg.ownerToken(t))
	if status, body := r.post("/hooks/toy", `{"name":"Bear","turn":"t1","dir":"/src/shop-api"}`); status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	opened := v.untilEvent(func(e contracts.Event) bool { return e.Name == contracts.EventRoomOpened })
	want := []contracts.Room{{RoomID: "room_1", Key: "/src/shop-api", Label: "shop-api", Module: contracts.ModuleStudio, Plot: contracts.Plot{1, 0},
		Accent: contracts.AccentFor("/src/shop-api", nil), Desks: 1}}
	if diff := cmp.Diff(&want[0], opened.Room); diff != "" {
		t.Errorf("the event (-want +got):\n%s", diff)
	}
	r.untilTrue("the guest works in the studio", func() bool {
		s := r.snapshot(cfg.ownerToken(t))
		return len(s.Agents) == 1 && s.Agents[0].RoomID == "room_1" && s.Agents[0].Goal.POIID == "poi_desk_2_r1" && cmp.Equal(want, s.Rooms)
	})
	v.command(contracts.CmdMovePlayerTo, contracts.MovePlayerTo{POIID: "poi_stage_r1"})
	v.until("ack")
	r.stop()

	r = startRig(t, cfg)
	if diff := cmp.Diff(want, r.snapshot(cfg.ownerToken(t)).Rooms); diff != "" {
		t.Errorf("after a restart (-want +got):\n%s", diff)
	}
}

func (r *rig) snapshot(token string) (s contracts.Snapshot) {
	r.t.Helper()
	status, body, _ := r.get("/v1/state", token)
	if status != http.StatusOK {
		r.t.Fatalf("%d %s", status, body)
	}
	if err := json.Unmarshal([]byte(body), &s); err != nil {
		r.t.Fatal(err)
	}
	return s
}
