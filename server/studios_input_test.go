package server

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/agentstest"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world/scene"
)

// startCampus starts an office with studios.
func startCampus(t *testing.T) *rig {
	return startRig(t, Config{Crew: CrewNone, Studios: true, Adapters: []agents.Adapter{agentstest.Toy(t.TempDir())}})
}

// toy reports an agent's turn.
func (r *rig) toy(report agentstest.Report) {
	r.t.Helper()
	body, err := json.Marshal(report)
	if err != nil {
		r.t.Fatal(err)
	}
	if status, answer := r.post("/hooks/toy", string(body)); status != http.StatusOK {
		r.t.Fatalf("%+v: %d %s", report, status, answer)
	}
}

// work reports turns until all agents sit and work, and returns the state of the office. If an
// agent no longer counts as working because the machine is slow, work reports the agent's turn
// again.
func (r *rig) work(reports ...agentstest.Report) (s contracts.Snapshot) {
	r.t.Helper()
	r.untilTrue("all agents sit and work", func() bool {
		s = r.snapshot("")
		working, walking := map[string]bool{}, false
		for _, a := range s.Agents {
			working[a.AgentID] = a.Activity == contracts.ActivityWorking
			walking = walking || a.Goal.Kind.Moves()
		}
		silent := slices.DeleteFunc(slices.Clone(reports), func(report agentstest.Report) bool { return working[agentstest.AgentID(report.Name)] })
		for _, report := range silent {
			r.toy(report)
		}
		return len(silent) == 0 && !walking
	})
	return s
}

// checkSeats checks that each agent has a seat of its own.
func checkSeats(t *testing.T, s contracts.Snapshot) {
	t.Helper()
	campus, err := scene.NewCampus(scene.Default()).Compose(s.Rooms)
	if err != nil {
		t.Fatal(err)
	}
	taken := map[string]bool{}
	for _, a := range s.Agents {
		anchor, _, ok := campus.Anchor(a.Goal.AnchorID)
		if !ok || !anchor.Seated || taken[a.Goal.AnchorID] {
			t.Fatalf("%s in %q is at %+v", a.AgentID, a.RoomID, a.Goal)
		}
		taken[a.Goal.AnchorID] = true
	}
}

// W20: with agents in more folders than there are plots, and with long and hostile names, the
// office stays within its limits, its labels can be shown, and all agents have a seat.
func TestStudiosForTooManyPlaces(t *testing.T) {
	r := startCampus(t)
	const agents = contracts.LimitRooms + 16
	var reports []agentstest.Report
	for n := range agents {
		name := fmt.Sprintf("%d\x1b[31m\u202e<img src=x onerror=alert(1)>%s", n, strings.Repeat("é", 200))
		reports = append(reports, agentstest.Report{Name: name, Turn: "t1", Dir: "/srv/" + name})
	}
	s := r.work(reports...)
	if len(s.Rooms) != contracts.LimitRooms {
		t.Errorf("%d rooms are open, want %d", len(s.Rooms), contracts.LimitRooms)
	}
	checkSeats(t, s)
	for _, room := range s.Rooms {
		if utf8.RuneCountInString(room.Label) > contracts.LimitRoomLabel || room.Label != contracts.CleanLine(room.Label) || room.Key != contracts.CleanLine(room.Key) {
			t.Errorf("label %q, key %q", room.Label, room.Key)
		}
	}
}

// W20: agents in one folder get a studio and its annexes, with a seat for each agent.
func TestStudioForTooManyPeople(t *testing.T) {
	r := startCampus(t)
	const rooms = 3
	const agents = rooms * contracts.StudioDesks * contracts.DeskSeats
	var reports []agentstest.Report
	for n := range agents {
		reports = append(reports, agentstest.Report{Name: fmt.Sprint("toy", n), Turn: "t1", Dir: "/src/shop-api"})
	}
	s := r.work(reports...)
	checkSeats(t, s)
	if len(s.Rooms) != rooms {
		t.Fatalf("%d rooms are open, want %d", len(s.Rooms), rooms)
	}
	for i, room := range s.Rooms {
		if room.Label != contracts.RoomLabel("/src/shop-api", 1, i+1) || room.Accent != s.Rooms[0].Accent {
			t.Errorf("room %d is %+v", i+1, room)
		}
	}
}

// W20: a session that repeatedly starts and ends does not open and close its studio each time.
func TestStudioDoesNotFlicker(t *testing.T) {
	r := startCampus(t)
	for n := range 5 {
		for _, over := range []bool{false, true} {
			r.toy(agentstest.Report{Name: "Bear", Turn: fmt.Sprint("t", n), Over: over, Dir: "/src/shop-api"})
			r.untilTrue("the office has recorded the activity", func() bool {
				want := contracts.ActivityWorking
				if over {
					want = contracts.ActivityIdle
				}
				return r.snapshot("").Agents[0].Activity == want
			})
		}
	}
	_, events, _ := r.get("/v1/events?kind=event&limit=1000", "")
	if opened, closed := strings.Count(events, `"room_opened"`), strings.Count(events, `"room_closed"`); opened != 1 || closed != 0 {
		t.Errorf("the studio was opened %d times and closed %d times", opened, closed)
	}
}

// W20: everything about rooms is optional, so that clients that do not support rooms still work: a
// state with rooms matches its schema even if the members about rooms are removed, and the office's
// scene is still the house.
func TestClientThatKnowsNoRooms(t *testing.T) {
	r := startCampus(t)
	r.work(agentstest.Report{Name: "Bear", Turn: "t1", Dir: "/src/shop-api"})
	_, body, _ := r.get("/v1/state", "")
	state := decoded(t, body).(map[string]any)
	if state["rooms"] == nil {
		t.Fatal("no room is open")
	}
	delete(state, "rooms")
	agent := state["agents"].([]any)[0].(map[string]any)
	delete(agent, "room_id")
	delete(agent, "seat_id")
	if err := answerSchemas(t, r)["GET /v1/state 200"].Validate(state); err != nil {
		t.Error(err)
	}
	_, house, _ := r.get("/v1/scene", "")
	if house != string(scene.Default().JSON()) {
		t.Error("the scene of the office is not the house")
	}
	v := r.dial("")
	v.command(contracts.CmdMovePlayerTo, contracts.MovePlayerTo{POIID: "poi_lounge"})
	v.until("ack")
}
