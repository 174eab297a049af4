package scene

import (
	"fmt"
	"math"

	"github.com/bullpen-office/bullpen/contracts"
)

// Problem is a problem that Preflight found in a scene.
type Problem struct {
	Rule  Rule   // the check that found the problem
	Where string // id or manifest field that the problem is about
	What  string // what is wrong
	Do    string // how to fix the problem
}

func (p Problem) String() string {
	return fmt.Sprintf("%s: %s; %s (%s)", p.Where, p.What, p.Do, p.Rule)
}

// Rule names one of Preflight's checks.
type Rule string

// The checks of Preflight.
const (
	RuleID        Rule = "id"
	RuleUnique    Rule = "unique"
	RuleCapacity  Rule = "capacity"
	RuleAnchorGap Rule = "anchor_gap"
	RuleFacing    Rule = "facing"
	RuleApproach  Rule = "approach"
	RuleReachable Rule = "reachable"
	RuleInside    Rule = "inside"
	RuleFootprint Rule = "footprint"
	RuleReference Rule = "reference"
	RulePlaces    Rule = "places"
	RuleSpawn     Rule = "spawn"
	RuleDecor     Rule = "decor"
	RuleGrid      Rule = "grid"
)

// facingTolerance is how far the length of a facing vector may deviate from 1, because the numbers
// in manifests are rounded.
const facingTolerance = 0.01

// placesNeeded lists the places that the flows need, with the minimum number of anchors.
var placesNeeded = []struct {
	kind    contracts.POIType
	anchors int
}{
	{contracts.POIInbox, 1},
	{contracts.POITaskBoard, 1},
	{contracts.POIMeetingTable, contracts.SceneMeetingSeats},
	{contracts.POIResearchDesk, 1},
	{contracts.POIDevDesk, 1},
	{contracts.POIDesignDesk, 1},
	{contracts.POIDeliveryShelf, 1},
	{contracts.POITrophyShelf, 1},
	{contracts.POILounge, 1},
	{contracts.POICoffeeBar, 1},
}

// Preflight lists the scene's problems, in manifest order. If the list is empty, every flow of the
// office works in the scene.
func (s *Scene) Preflight() []Problem {
	c := &preflight{scene: s, ids: map[string]bool{}}
	c.head()
	c.objects()
	for i := range s.manifest.POIs {
		c.place(&s.manifest.POIs[i])
	}
	c.anchorGaps()
	c.places()
	c.spawns()
	c.decor()
	return c.problems
}

// preflight collects the problems found in one scene.
type preflight struct {
	scene    *Scene
	ids      map[string]bool
	problems []Problem
}

func (c *preflight) report(rule Rule, where, do, format string, args ...any) {
	c.problems = append(c.problems, Problem{Rule: rule, Where: where, What: fmt.Sprintf(format, args...), Do: do})
}

func (c *preflight) id(id string, prefix contracts.Prefix) {
	if !contracts.HasPrefix(id, prefix) {
		c.report(RuleID, id, fmt.Sprintf("use %s_ and lower-case words, at most %d bytes", prefix, contracts.LimitID), "invalid id %q", id)
	}
	if c.ids[id] {
		c.report(RuleUnique, id, "use unique ids", "duplicate id")
	}
	c.ids[id] = true
}

// inside reports whether a point is on the floor or at most slack metres away from it; objects on a
// wall need some slack. If the point is too far away, inside also records the problem.
func (c *preflight) inside(where, what string, p contracts.Vec3, slack float64) bool {
	if c.scene.floor.contains(p[0], p[2], slack) {
		return true
	}
	r := &c.scene.manifest.Room
	do := fmt.Sprintf("keep x within ±%g and z within ±%g", r.W/2, r.D/2)
	if c.scene.parts != nil {
		do = "keep it on the campus grounds"
	}
	c.report(RuleInside, where, do, "%s %v is off the floor", what, p)
	return false
}

// head checks that the scene's own id is valid and that the grid covers the floor.
func (c *preflight) head() {
	m := &c.scene.manifest
	if !contracts.HasPrefix("scene_"+m.SceneID, "scene") {
		c.report(RuleID, "scene_id", "use lower-case words joined by _", "invalid id %q", m.SceneID)
	}
	if c.scene.parts != nil {
		return // Compose has computed the grid
	}
	w, d := float64(m.Grid.Width)*m.Grid.CellSize, float64(m.Grid.Height)*m.Grid.CellSize
	off := max(math.Abs(m.Grid.Origin[0]+m.Room.W/2), math.Abs(m.Grid.Origin[1]+m.Room.D/2), math.Abs(w-m.Room.W), math.Abs(d-m.Room.D))
	if off > m.Grid.CellSize {
		c.report(RuleGrid, "grid", fmt.Sprintf("start at %g, %g and cover %g × %g m", -m.Room.W/2, -m.Room.D/2, m.Room.W, m.Room.D), "the grid does not match the floor")
	}
}

func (c *preflight) objects() {
	m := &c.scene.manifest
	for i := range m.Objects {
		o := &m.Objects[i]
		c.id(o.ObjectID, contracts.PrefixObject)
		c.inside(o.ObjectID, "its position", o.Pos, m.Room.WallThickness)
		switch f := o.Footprint; f.Shape {
		case contracts.FootprintNone:
		case contracts.FootprintRect, contracts.FootprintEllipse:
			if f.W <= 0 || f.D <= 0 {
				c.report(RuleFootprint, o.ObjectID, "set w and d in metres, or set the shape to none", "its footprint is %g × %g", f.W, f.D)
			}
		default:
			c.report(RuleFootprint, o.ObjectID, "use rect, ellipse or none", "unknown footprint shape %q", f.Shape)
		}
		if _, ok := c.scene.POI(o.POIID); o.POIID != "" && !ok {
			c.report(RuleReference, o.ObjectID, "use a place in this scene, or omit poi_id", "it belongs to %q, which does not exist", o.POIID)
		}
	}
}

// places checks that the scene has the places that the flows need.
func (c *preflight) places() {
	for _, need := range placesNeeded {
		found := c.scene.POIsOfType(need.kind)
		if len(found) == 0 {
			c.report(RulePlaces, "pois", "add one: agents need to go there", "no %s", need.kind)
			continue
		}
		most := 0
		for _, p := range found {
			most = max(most, len(p.NavAnchors))
		}
		if most < need.anchors {
			c.report(RulePlaces, found[0].POIID, "add anchors to one of them", "no %s has at least %d anchors", need.kind, need.anchors)
		}
	}
}

func (c *preflight) spawns() {
	sp := &c.scene.manifest.Spawns
	c.spawn("spawns.player", sp.Player)
	if len(sp.Agents) == 0 {
		c.report(RuleSpawn, "spawns.agents", "add at least one", "agents have no spawn point")
	}
	for i, p := range sp.Agents {
		c.spawn(fmt.Sprintf("spawns.agents[%d]", i), p)
	}
}

func (c *preflight) spawn(where string, p contracts.Vec3) {
	if c.inside(where, "the spawn", p, 0) && !c.scene.Walkable(p) {
		c.report(RuleSpawn, where, "move it to a walkable cell", "%v is not walkable", p)
	}
}

func (c *preflight) decor() {
	anchors := c.scene.manifest.DecorAnchors
	if len(anchors) == 0 {
		c.report(RuleDecor, "decor_anchors", "add anchors for trophies", "finished projects have no place for their trophies")
	}
	for _, a := range anchors {
		c.id(a.ID, contracts.PrefixAnchor)
		c.inside(a.ID, "its position", a.Pos, 0)
	}
}
