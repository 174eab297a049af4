package director

import (
	"math"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// minDistance is the minimum distance between two agents, in metres.
const minDistance = 0.5

// hurrySpeed is the factor by which agents walk faster on their way to a celebration.
const hurrySpeed = 1.8

// place is the end of a walk: a reserved seat, a spot on the floor, or a perch at another agent's
// seat.
type place struct {
	poiID   string
	anchor  *contracts.NavAnchor // nil for a spot on the floor
	perchOf string               // the agent whose seat the perch belongs to; empty if the place is not a perch
	pos     contracts.Vec3
	facing  contracts.Vec3
}

func anchorPlace(poi *contracts.POI, anchor *contracts.NavAnchor) place {
	return place{poiID: poi.POIID, anchor: anchor, pos: anchor.Pos, facing: anchor.Facing}
}

// seat returns the first anchor in the given places that is free or already booked by the agent. It
// returns false if there is none.
func (a *act) seat(ag *world.Agent, pois ...*contracts.POI) (place, bool) {
	for _, poi := range pois {
		for i := range poi.NavAnchors {
			if a.free(ag, &poi.NavAnchors[i]) {
				return anchorPlace(poi, &poi.NavAnchors[i]), true
			}
		}
	}
	return place{}, false
}

// free reports whether an agent may book an anchor: no other agent owns it, has booked it or is too
// close to it.
func (a *act) free(ag *world.Agent, anchor *contracts.NavAnchor) bool {
	if owner := a.deskOwner(anchor.ID); owner != nil && owner != ag {
		return false
	}
	by := a.w.BookedBy(anchor.ID)
	return by == ag || by == nil && !a.occupied(ag, anchor.Pos)
}

// seatOrStand returns a free seat in the given places or, if all are taken, a free spot near the
// first place.
func (a *act) seatOrStand(ag *world.Agent, pois ...*contracts.POI) place {
	if p, ok := a.seat(ag, pois...); ok {
		return p
	}
	near := a.w.Scene().Manifest().Spawns.Player
	poiID := ""
	if len(pois) > 0 && len(pois[0].NavAnchors) > 0 {
		near, poiID = pois[0].NavAnchors[0].Pos, pois[0].POIID
	}
	p := a.standNear(ag, near)
	p.poiID = poiID
	return p
}

// standNear returns a free spot near a point, or else the nearest free spot in the room, or else
// the agent's own position.
func (a *act) standNear(ag *world.Agent, near contracts.Vec3) place {
	taken := func(p contracts.Vec3) bool { return a.occupied(ag, p) || a.isSeat(p) }
	pos, facing, ok := a.w.Scene().StandNear(near, taken)
	if !ok {
		pos, facing, ok = a.w.Scene().FreeSpot(near, taken)
	}
	if !ok {
		here, looks := a.w.Pos(ag, a.now.MS)
		return place{pos: here, facing: looks}
	}
	return place{pos: pos, facing: facing}
}

// occupied reports whether another agent is standing at a point or walking to it. Agents that take
// up no space do not count.
func (a *act) occupied(self *world.Agent, p contracts.Vec3) bool {
	for _, other := range a.w.Agents() {
		if other != self && distance(other.Destination(), p) < minDistance && !a.takesNoSpace(other) {
			return true
		}
	}
	return false
}

// takesNoSpace reports whether others may use an agent's spot on a campus: the agent is a sub-agent
// at its host's seat, or an offline guest, which is not drawn.
func (a *act) takesNoSpace(ag *world.Agent) bool {
	g := &ag.Goal
	return g.Goal.PerchOf != "" || a.cfg.Studios && ag.Guest() && g.State == contracts.StateOffline && g.Goal.AnchorID == ""
}

// isSeat reports whether a point is too close to a seat that others may book.
func (a *act) isSeat(p contracts.Vec3) bool {
	for _, poi := range a.w.Scene().Manifest().POIs {
		for _, anchor := range poi.NavAnchors {
			if distance(anchor.Pos, p) < minDistance {
				return true
			}
		}
	}
	return false
}

// intent describes what an agent is about to do and why, and the state that viewers
// see.
type intent struct {
	kind   contracts.GoalKind
	state  contracts.AgentState
	player string
	taskID string
	why    string
	hurry  bool // walks hurrySpeed times as fast
}

// walk sends an agent to a place along the room's paths.
func (a *act) walk(ag *world.Agent, to place, in intent) {
	from, _ := a.w.Pos(ag, a.now.MS)
	var path []contracts.Vec3
	var ok bool
	if to.anchor != nil {
		path, ok = a.w.Scene().PathToAnchor(from, *to.anchor)
	} else {
		path, ok = a.w.Scene().Path(from, to.pos)
	}
	if !ok || len(path) == 0 {
		path = []contracts.Vec3{to.pos} // only an invalid scene lacks a path, and the preflight check reports it
	}
	a.goal(ag, to, in, path)
}

// stay changes an agent's goal without moving the agent.
func (a *act) stay(ag *world.Agent, in intent) {
	g := ag.Goal
	at := place{poiID: g.Goal.POIID, perchOf: g.Goal.PerchOf, pos: ag.Destination(), facing: g.Facing}
	if anchor, _, ok := a.w.Scene().Anchor(g.Goal.AnchorID); ok {
		at.anchor = anchor
	}
	a.goal(ag, at, in, []contracts.Vec3{at.pos})
}

func (a *act) goal(ag *world.Agent, to place, in intent, path []contracts.Vec3) {
	goal := contracts.Goal{Kind: in.kind, POIID: to.poiID, PlayerID: in.player, PerchOf: to.perchOf}
	if to.anchor != nil && to.perchOf == "" {
		goal.AnchorID = to.anchor.ID
	}
	speed := contracts.WalkSpeed * a.cfg.Pace
	if in.hurry {
		speed *= hurrySpeed
	}
	a.emit(&contracts.AgentGoal{
		AgentID: ag.AgentID, Goal: goal, Path: path,
		SpeedMPS: speed, ArrivalRadius: contracts.ArrivalRadius,
		StartedAt: a.now.MS, Facing: to.facing, State: in.state, Why: in.why, TaskID: in.taskID,
	})
}

// poi returns the scene's place of the given type, which must be one that the flows need: the
// preflight check guarantees that the scene has a place of each such type.
func (a *act) poi(t contracts.POIType) *contracts.POI {
	found, _ := a.w.Scene().Place(t)
	return found
}

// settleIn places new agents at their homes without making them walk there.
func (a *act) settleIn(crew []contracts.AgentProfile) {
	for _, p := range crew {
		ag := a.w.Agent(p.AgentID)
		home := a.restingPlace(ag)
		a.goal(ag, home, intent{kind: contracts.GoalIdle, state: contracts.StateIdle, why: "Just came in."}, []contracts.Vec3{home.pos})
	}
}

// homes returns the places where an agent spends its free time, its own home first.
func (a *act) homes(ag *world.Agent) []*contracts.POI {
	var out []*contracts.POI
	if own, ok := a.w.Scene().POI(ag.Home); ok {
		out = append(out, own)
	}
	for _, t := range []contracts.POIType{contracts.POILounge, contracts.POICoffeeBar, contracts.POIBeanbags} {
		out = append(out, a.w.Scene().POIsOfType(t)...)
	}
	return out
}

// sendHome sends home an agent that has no work.
func (a *act) sendHome(ag *world.Agent) {
	a.walk(ag, a.restingPlace(ag), intent{kind: contracts.GoalGoHome, state: contracts.StateWalking, why: "Nothing to do: going back."})
}

func distance(p, q contracts.Vec3) float64 {
	return math.Hypot(p[0]-q[0], p[2]-q[2])
}
