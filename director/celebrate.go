package director

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// celebration is how long the crew stays at the trophies after the last agent's arrival, at pace 1.
const celebration = 5 * time.Second

// The crew stands at the trophies in two rows along the wall, with each agent in the second row
// between two in the first. Distances are in metres.
const (
	celebrationSide  = 5    // agents on each side of the middle of a row
	celebrationGap   = 0.95 // distance between neighbours in a row
	celebrationFront = 0.55 // distance from the place in front of the shelf to the first row
	celebrationRow   = 0.8  // distance from the first row to the second
)

// celebrate sends all free crew members to the trophies when a project is completed. They face the
// camera that shows the shelf, so that viewers see them cheer.
func (a *act) celebrate(p *world.Project) {
	shelves := a.w.Scene().POIsOfType(contracts.POITrophyShelf)
	if len(shelves) == 0 || len(shelves[0].NavAnchors) == 0 {
		return
	}
	shelf := shelves[0]
	sin, cos := math.Sincos(shelf.Camera.Azimuth * math.Pi / 180)
	for _, ag := range a.w.Agents() {
		if !a.w.Free(ag) || a.shownActivity(ag) != contracts.ActivityIdle {
			continue
		}
		to := a.rowSpot(ag, &shelf.NavAnchors[0])
		to.poiID, to.facing = shelf.POIID, contracts.Vec3{sin, 0, cos}
		a.walk(ag, to, intent{kind: contracts.GoalGoToPOI, state: contracts.StateWalking, why: fmt.Sprintf("Celebrating “%s”.", p.Title), hurry: true})
	}
}

// maxThanked is how many agents are thanked by name; the others are counted.
const maxThanked = 4

// thanks returns a sentence, preceded by a space, that thanks the agents whose tasks are done. It
// leaves out BD, who says the sentence, and returns "" if there is no one to thank.
func (a *act) thanks(p *world.Project) string {
	var names []string
	for t := range a.w.ProjectTasks(p.ProjectID) {
		ag := a.w.Agent(t.Assignee)
		if t.Status == contracts.TaskDone && ag != nil && ag.AgentID != contracts.AgentBD && !slices.Contains(names, ag.Name) {
			names = append(names, ag.Name)
		}
	}
	if more := len(names) - maxThanked; more > 1 {
		names = append(names[:maxThanked], fmt.Sprintf("%d others", more))
	}
	switch n := len(names); n {
	case 0:
		return ""
	case 1:
		return " Thanks, " + names[0] + "!"
	default:
		return " Thanks, " + strings.Join(names[:n-1], ", ") + " and " + names[n-1] + "!"
	}
}

// rowSpot returns the free spot nearest to the middle of the two rows in front of the shelf; if
// both rows are full, it returns a free spot nearby.
func (a *act) rowSpot(ag *world.Agent, shelf *contracts.NavAnchor) place {
	away := contracts.Vec3{-shelf.Facing[0], 0, -shelf.Facing[2]}
	for n := range 2*celebrationSide + 1 {
		for row := range 2 {
			along := celebrationGap * (float64(outward(n)) + float64(row)/2)
			out := celebrationFront + celebrationRow*float64(row)
			pos := contracts.Vec3{millimetres(shelf.Pos[0] + out*away[0] + along*away[2]), 0, millimetres(shelf.Pos[2] + out*away[2] - along*away[0])}
			if a.w.Scene().Walkable(pos) && !a.occupied(ag, pos) && !a.isSeat(pos) {
				return place{pos: pos}
			}
		}
	}
	return a.standNear(ag, shelf.Pos)
}

// outward returns 0, 1, -1, 2, -2 and so on for n = 0, 1, 2, 3, 4.
func outward(n int) int {
	if n%2 == 0 {
		return -n / 2
	}
	return (n + 1) / 2
}

// millimetres rounds a length in metres to the nearest millimetre.
func millimetres(m float64) float64 { return math.Round(m*1000) / 1000 }

// celebrates reports whether an agent without a task is at the trophies or on the way there.
func (a *act) celebrates(ag *world.Agent) bool {
	poi, ok := a.w.Scene().POI(ag.Goal.Goal.POIID)
	return ok && poi.Type == contracts.POITrophyShelf && a.w.Free(ag) &&
		(ag.Goal.Goal.Kind == contracts.GoalGoToPOI || ag.Goal.Goal.Kind == contracts.GoalIdle)
}

// celebrationEnds returns when an agent at the trophies goes home; ok is false if this agent is not
// at the trophies, or if any agent is still on its way there.
func (a *act) celebrationEnds(ag *world.Agent) (at int64, ok bool) {
	if ag.Goal.Goal.Kind != contracts.GoalIdle || !a.celebrates(ag) {
		return 0, false
	}
	last := ag.GoalTS
	for _, other := range a.w.Agents() {
		switch {
		case !a.celebrates(other):
		case other.Goal.Goal.Kind != contracts.GoalIdle:
			return 0, false
		default:
			last = max(last, other.GoalTS)
		}
	}
	return last + int64(float64(celebration.Milliseconds())/a.cfg.Pace), true
}
