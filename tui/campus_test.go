package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/tui/link"
	worldscene "github.com/bullpen-office/bullpen/world/scene"
)

// campusOf returns a story with this number of people and a studio for each label. The first person
// is in the house. Of the others, some work at desks, some are free in the garden, and every tenth
// needs you and waits on the stage of their studio.
func campusOf(people int, labels ...string) func(*stage) {
	return func(s *stage) {
		s.live(true)
		snap := &contracts.Snapshot{Seq: 1, Agents: []contracts.Agent{newGuest(0, "Hana", model.House, contracts.Vec3{1, 0, 1})}}
		for i, plot := range worldscene.Plots(len(labels)) {
			snap.Rooms = append(snap.Rooms, contracts.Room{RoomID: contracts.RoomID(i + 1), Key: labels[i], Label: labels[i], Module: contracts.ModuleStudio,
				Plot: plot, Accent: contracts.Accents[i%len(contracts.Accents)], Desks: contracts.StudioDesks})
		}
		campus, err := worldscene.NewCampus(worldscene.Default()).Compose(snap.Rooms)
		if err != nil {
			s.t.Fatal(err)
		}
		spot := func(room string, t contracts.POIType, n int) contracts.Vec3 {
			var anchors []contracts.NavAnchor
			for _, poi := range campus.POIsIn(room, t) {
				anchors = append(anchors, poi.NavAnchors...)
			}
			return anchors[n%len(anchors)].Pos
		}
		for i := 1; i < people; i++ {
			room, n := snap.Rooms[(i-1)%len(snap.Rooms)].RoomID, (i-1)/len(snap.Rooms)
			p := newGuest(i, fmt.Sprintf("Guest%03d", i), room, spot(room, contracts.POIDevDesk, n))
			switch {
			case i%10 == 4:
				p.NeedsYou, p.Activity, p.Pos = true, contracts.ActivityWaiting, spot(room, contracts.POIStage, n)
				p.StatusLine, p.Since = fmt.Sprintf("May I deploy %d?", i), s.now.UnixMilli()+int64(i)
			case i%5 == 3:
				p.Activity, p.Pos = contracts.ActivityIdle, spot(contracts.GardenScene, contracts.POIGarden, i)
			}
			snap.Agents = append(snap.Agents, p)
		}
		s.tell(link.Update{Messages: []model.Message{{Type: contracts.TypeSnapshot, ID: "snap_1", TS: s.now.UnixMilli(), Seq: 1, Payload: snap}}})
	}
}

func newGuest(i int, name, room string, pos contracts.Vec3) contracts.Agent {
	return contracts.Agent{AgentProfile: contracts.AgentProfile{AgentID: fmt.Sprint("agent_", i), Name: name, Source: "claude", RoomID: room}, Activity: contracts.ActivityWorking, Pos: pos}
}

var sixStudios = []string{"shop-api", "shop-web", "docs", "infra", "data-pipeline", "mobile"}

// event sends an office event.
func (s *stage) event(e *contracts.Event) {
	s.t.Helper()
	seq := s.office.Seq + 1
	s.tell(link.Update{Messages: []model.Message{{Type: contracts.TypeEvent, ID: fmt.Sprint("evt_", seq), TS: s.now.UnixMilli(), Seq: seq, Payload: e}}})
}

// change sends a snapshot that changes or adds agents.
func (s *stage) change(agents ...contracts.Agent) {
	s.t.Helper()
	seq := s.office.Seq + 1
	snap := &contracts.Snapshot{Mode: "delta", Seq: seq, Agents: agents}
	s.tell(link.Update{Messages: []model.Message{{Type: contracts.TypeSnapshot, ID: fmt.Sprint("snap_", seq), TS: s.now.UnixMilli(), Seq: seq, Payload: snap}}})
}

// TestStudioKeys checks that [ and ] show every part of the campus in turn, and that the strip and
// the list next to the map follow.
func TestStudioKeys(t *testing.T) {
	s := newStage(t, 120, 40)
	campusOf(40, sixStudios...)(s)
	s.says("›▌Cozy office", "40 guests · 6 studios", "1 ● Hana")
	s.lacks("Guest001")
	for _, label := range append(sixStudios, "Garden") {
		s.keys("]")
		s.says("›▌"+label, "─ "+label+" ─")
	}
	s.keys("]")
	s.says("›▌Cozy office")
	s.keys("[", "[")
	s.says("›▌mobile", "Guest006")
	s.lacks("Guest005", "Hana")
}

// TestNextAsking checks that N selects every agent that needs you, wherever it is, that the map
// follows, and that Space opens the card of the selected agent.
func TestNextAsking(t *testing.T) {
	s := newStage(t, 120, 40)
	campusOf(40, sixStudios...)(s)
	for _, want := range []struct{ name, studio string }{{"Guest004", "infra"}, {"Guest014", "shop-web"}, {"Guest024", "mobile"}, {"Guest034", "infra"}, {"Guest004", "infra"}, {"Guest014", "shop-web"}} {
		s.keys("n")
		s.says("›▌"+want.studio, "›! "+want.name)
	}
	s.keys("space")
	s.says("Guest014 is waiting", "May I deploy 14?")
	s = newStage(t, 80, 24)
	campusOf(3, "docs")(s)
	s.keys("n")
	s.says(contracts.SayNothingNeedsYou)
}

// TestMapFollowsTheSelection checks that the map shows where the selected or followed agent is, and
// that it shows the house when the agent's studio closes.
func TestMapFollowsTheSelection(t *testing.T) {
	s := newStage(t, 120, 40)
	campusOf(40, sixStudios...)(s)
	s.keys("3")
	s.says("›▌shop-web", "›● Guest002")
	s.keys("]")
	s.says("›▌docs", "● Guest002 Working in shop-web")
	s.keys("f")
	s.says("›▌shop-web", "Following")
	s.keys("[")
	s.says("›▌shop-api")
	s.lacks("Following")
	s.keys("]")
	s.event(&contracts.Event{Name: contracts.EventRoomClosed, RoomID: contracts.RoomID(2)})
	s.says("›▌Cozy office", "5 studios")
	s.lacks("shop-web")
	for i := range sixStudios {
		s.event(&contracts.Event{Name: contracts.EventRoomClosed, RoomID: contracts.RoomID(i + 1)})
	}
	s.lacks("Garden", "▌", "studio")
}

// TestStripsAreClickable clicks on a strip.
func TestStripsAreClickable(t *testing.T) {
	s := newStage(t, 80, 24)
	campusOf(40, sixStudios...)(s)
	for y, line := range strings.Split(s.shown(), "\n") {
		if before, _, found := strings.Cut(line, "docs"); found {
			s.update(tea.MouseClickMsg{X: len([]rune(before)), Y: y, Button: tea.MouseLeft})
			s.says("›▌docs")
			return
		}
	}
	t.Fatalf("there is no strip:\n%s", s.shown())
}

// TestStripsOfManyStudios checks that the strips leave space for the map, show the selected part, and
// count the agents that need you in the parts that they leave out.
func TestStripsOfManyStudios(t *testing.T) {
	var labels []string
	for i := range contracts.LimitRooms {
		labels = append(labels, fmt.Sprint("service-", i+1))
	}
	for _, size := range [][2]int{{60, 16}, {80, 24}, {120, 36}, {200, 50}} {
		s := newStage(t, size[0], size[1])
		campusOf(200, labels...)(s)
		for range 14 {
			s.keys("]")
			lines := strings.Split(s.shown(), "\n")
			if n := len(linesWith(lines, "▌")); n > max(stripsLeast, size[1]/4) || n == 0 || len(linesWith(lines, "›▌")) != 1 {
				t.Fatalf("%d lines of strips:\n%s", n, s.shown())
			}
			wellFormed(t, s)
		}
	}
	s := newStage(t, 80, 24)
	campusOf(200, labels...)(s)
	s.shows(`  and \d+ more · 1\d need you`)
}

func linesWith(lines []string, words string) (out []string) {
	for _, line := range lines {
		if strings.Contains(line, words) {
			out = append(out, line)
		}
	}
	return out
}

// TestPerchedSubAgents checks that sub-agents at the seat of their parent are counted on the
// parent's label, except those that need you or are selected.
func TestPerchedSubAgents(t *testing.T) {
	s := newStage(t, 120, 40)
	campusOf(9, "docs")(s)
	parent := *s.office.Rows().Agent("agent_1")
	var subs []contracts.Agent
	for i := range 4 {
		sub := newGuest(100+i, fmt.Sprintf("Sub%d", i), parent.RoomID, parent.Pos)
		sub.ParentID, sub.Goal.PerchOf = parent.AgentID, parent.AgentID
		subs = append(subs, sub)
	}
	s.change(subs...)
	s.keys("2")
	s.says("●Guest001+4")
	s.keys("down", "n")
	s.says("●Guest001+4")
	s.keys("ctrl+k", `"Sub2"`, "enter", "esc")
	s.says("●Guest001+3", "●Sub2")
	subs[0].NeedsYou = true
	s.change(subs[0])
	s.says("●Guest001+2", "Sub0!", "●Sub2")
}

// TestRollLeavesOutPassersBy checks that a studio's agent is on the map while it walks through the
// house, but not in the list next to the map.
func TestRollLeavesOutPassersBy(t *testing.T) {
	s := newStage(t, 120, 40)
	campusOf(9, "docs")(s)
	goal := &contracts.AgentGoal{AgentID: "agent_1", Goal: contracts.Goal{Kind: contracts.GoalGoHome}, State: contracts.StateWalking,
		Path: []contracts.Vec3{{0, 0, 3}, {4, 0, 3}}, SpeedMPS: 1, StartedAt: s.now.UnixMilli()}
	seq := s.office.Seq + 1
	s.tell(link.Update{Messages: []model.Message{{Type: contracts.MessageType(contracts.KindGoal), ID: "goal_1", TS: s.now.UnixMilli(), Seq: seq, Payload: goal}}})
	s.says("►Guest001", "● Hana")
	s.lacks("● Guest001")
	s.wait(10 * time.Second)
	s.says("● Guest001")
}
