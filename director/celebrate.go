package director

import (
	"fmt"
	"math"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// celebration is how long the crew stays at the trophies, at pace 1.
const celebration = 8 * time.Second

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
		if !a.w.Free(ag) || a.wants(ag) != contracts.ActivityIdle {
			continue
		}
		to := a.standNear(ag, shelf.NavAnchors[0].Pos)
		to.poiID, to.facing = shelf.POIID, contracts.Vec3{sin, 0, cos}
		a.walk(ag, to, intent{kind: contracts.GoalGoToPOI, state: contracts.StateWalking, why: fmt.Sprintf("Celebrates “%s”.", p.Title)})
	}
}

// celebrates reports whether an agent without a task is at the trophies or on the way there.
func (a *act) celebrates(ag *world.Agent) bool {
	poi, ok := a.w.Scene().POI(ag.Goal.Goal.POIID)
	return ok && poi.Type == contracts.POITrophyShelf && a.w.Free(ag) &&
		(ag.Goal.Goal.Kind == contracts.GoalGoToPOI || ag.Goal.Goal.Kind == contracts.GoalIdle)
}

// celebrationEnds returns when an agent at the trophies goes home; ok is false if the agent is
// still on its way there, or elsewhere.
func (a *act) celebrationEnds(ag *world.Agent) (at int64, ok bool) {
	if ag.Goal.Goal.Kind != contracts.GoalIdle || !a.celebrates(ag) {
		return 0, false
	}
	return ag.GoalTS + int64(float64(celebration.Milliseconds())/a.cfg.Pace), true
}
