package scene

import (
	"fmt"
	"math"

	"github.com/bullpen-office/bullpen/contracts"
)

// place checks one POI and its anchors.
func (c *preflight) place(p *contracts.POI) {
	c.id(p.POIID, contracts.PrefixPOI)
	c.inside(p.POIID, "its ui_anchor", p.UIAnchor, 0)
	if p.Capacity != len(p.NavAnchors) || p.Capacity == 0 {
		c.report(RuleCapacity, p.POIID, "add at least one nav_anchor, and set capacity to the number of anchors",
			"capacity is %d, but there are %d anchors", p.Capacity, len(p.NavAnchors))
	}
	for i := range p.NavAnchors {
		c.anchor(&p.NavAnchors[i])
	}
}

func (c *preflight) anchor(a *contracts.NavAnchor) {
	c.id(a.ID, contracts.PrefixAnchor)
	if l := gap(a.Facing, contracts.Vec3{}); math.Abs(l-1) > facingTolerance {
		c.report(RuleFacing, a.ID, "use a unit vector", "its facing vector has length %.3g", l)
	}
	if !c.inside(a.ID, "its position", a.Pos, 0) {
		return
	}
	foot := a.Pos
	if a.Approach != nil {
		foot = *a.Approach
		if !c.inside(a.ID, "its approach", foot, 0) {
			return
		}
		if d := gapFlat(a.Pos, foot); d > contracts.LimitSceneHop {
			c.report(RuleApproach, a.ID, fmt.Sprintf("move the approach to within %g m of its anchor", contracts.LimitSceneHop), "its approach is %.2f m away", d)
		}
	}
	if c.scene.Walkable(foot) {
		return
	}
	index, ok := c.scene.grid.index(foot)
	why := "is outside the grid"
	if ok {
		why = cellReasons[c.scene.grid.cells[index]]
	}
	c.report(RuleReachable, a.ID, "move it to a walkable cell, add an approach, or clear the way", "%v %s", foot, why)
}

// cellReasons explain why a cell is or is not walkable.
var cellReasons = [...]string{
	cellOpen:   "is walkable",
	cellPocket: "is cut off from the player's spawn",
	cellSeat:   "is right in front of a seat",
	cellMargin: "is too close to furniture or to the edge of the floor",
	cellSolid:  "is inside furniture",
	cellClosed: "is closed by grid.walkable",
}

// anchorGaps reports anchors that are too close to each other.
func (c *preflight) anchorGaps() {
	var all []*contracts.NavAnchor
	for i := range c.scene.manifest.POIs {
		p := &c.scene.manifest.POIs[i]
		for j := range p.NavAnchors {
			a := &p.NavAnchors[j]
			for _, b := range all {
				if d := gapFlat(a.Pos, b.Pos); d < contracts.SceneAnchorGap {
					c.report(RuleAnchorGap, a.ID, fmt.Sprintf("keep %g m between them", contracts.SceneAnchorGap), "it is %.2f m from %s", d, b.ID)
				}
			}
			all = append(all, a)
		}
	}
}
