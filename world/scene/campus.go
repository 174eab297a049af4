package scene

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
)

// span is a range of POIs in a manifest.
type span struct{ first, end int }

// Campus composes the scene of an office from its house, the garden and its rooms. A Campus is
// immutable and safe for concurrent use.
type Campus struct {
	house *Scene
	site  Site
	plots []contracts.Plot
}

// modules returns the parsed manifests of the built-in modules.
var modules = sync.OnceValue(func() (m struct{ studio, garden *Scene }) {
	var err error
	if m.studio, err = Parse(contracts.StudioManifest); err == nil {
		m.garden, err = Parse(contracts.GardenManifest)
	}
	if err != nil {
		panic("embedded module is invalid: " + err.Error())
	}
	return m
})

// Module returns the manifest of a built-in module by its id, or nil if there is none. Treat it as
// read-only.
func Module(id string) *contracts.SceneManifest {
	switch id {
	case contracts.StudioScene:
		return &modules().studio.manifest
	case contracts.GardenScene:
		return &modules().garden.manifest
	}
	return nil
}

// SiteOf returns the site around a house.
func SiteOf(house *contracts.SceneManifest) Site {
	studio := &modules().studio.manifest.Room
	return Site{House: Size{house.Room.W, house.Room.D}, Studio: Size{studio.W, studio.D}}
}

// NewCampus returns the campus around a house.
func NewCampus(house *Scene) *Campus {
	c := &Campus{house: house, site: SiteOf(&house.manifest), plots: Plots(contracts.LimitRooms)}
	for i := range c.plots {
		if g := c.gridOver(c.floorUnder(c.plots[:i+1])); g.Width > contracts.LimitSceneCells/g.Height {
			c.plots = c.plots[:i]
			break
		}
	}
	return c
}

// Plots returns the usable plots, in order. There are LimitRooms plots, or fewer if the grid would
// otherwise exceed LimitSceneCells.
func (c *Campus) Plots() []contracts.Plot { return c.plots }

// Compose returns the scene of the campus with the given rooms, or the house if there are none. The
// same rooms give the same scene. Opening or closing a room moves nothing else.
func (c *Campus) Compose(rooms []contracts.Room) (*Scene, error) {
	if len(rooms) == 0 {
		return c.house, nil
	}
	s := &Scene{manifest: c.house.manifest, encoded: c.house.encoded, parts: map[string]span{}}
	s.manifest.Objects = slices.Clone(s.manifest.Objects)
	s.manifest.POIs = slices.Clone(s.manifest.POIs)
	s.parts[""] = span{0, len(s.manifest.POIs)}
	s.walls = wallsOf(&c.house.manifest.Room, 0, 0)
	c.place(s, modules().garden, contracts.GardenScene, contracts.GardenPlot)
	plots := make([]contracts.Plot, len(rooms))
	for i, r := range rooms {
		if r.Module != contracts.ModuleStudio {
			return nil, fmt.Errorf("room %s: unknown module %q", r.RoomID, r.Module)
		}
		plots[i] = r.Plot
		c.place(s, modules().studio, r.RoomID, r.Plot)
	}
	s.floor = c.floorUnder(plots)
	walkable := s.manifest.Grid.Walkable
	s.manifest.Grid = c.gridOver(s.floor)
	s.manifest.Grid.Walkable = c.widen(walkable, &s.manifest.Grid)
	if err := s.prepare(); err != nil {
		return nil, err
	}
	return s, nil
}

// Preflight checks the campus with a room on every plot. It lists the problems that the house alone
// does not have.
func (c *Campus) Preflight() []Problem {
	if len(c.plots) == 0 {
		return []Problem{{Rule: RuleGrid, Where: "grid", What: fmt.Sprintf("with one studio there would be more than %d cells", contracts.LimitSceneCells), Do: "use larger cells or a smaller room"}}
	}
	rooms := make([]contracts.Room, len(c.plots))
	for i, p := range c.plots {
		rooms[i] = contracts.Room{RoomID: contracts.RoomID(i + 1), Module: contracts.ModuleStudio, Plot: p}
	}
	s, err := c.Compose(rooms)
	if err != nil {
		return []Problem{{Rule: RuleGrid, Where: "grid", What: err.Error(), Do: "fix the scene"}}
	}
	own := c.house.Preflight()
	return slices.DeleteFunc(s.Preflight(), func(p Problem) bool { return slices.Contains(own, p) })
}

// place adds a module to a scene that is being composed.
func (c *Campus) place(s *Scene, module *Scene, part string, plot contracts.Plot) {
	x, z := c.site.Centre(plot)
	suffix := contracts.RoomSuffix(part)
	m, first := &s.manifest, len(s.manifest.POIs)
	for _, o := range module.manifest.Objects {
		o.ObjectID += suffix
		o.Pos = moved(o.Pos, x, z)
		if o.POIID != "" {
			o.POIID += suffix
		}
		m.Objects = append(m.Objects, o)
	}
	for _, p := range module.manifest.POIs {
		p.POIID += suffix
		p.UIAnchor, p.Camera.Target = moved(p.UIAnchor, x, z), moved(p.Camera.Target, x, z)
		p.NavAnchors = slices.Clone(p.NavAnchors)
		for i := range p.NavAnchors {
			a := &p.NavAnchors[i]
			a.ID += suffix
			a.Pos = moved(a.Pos, x, z)
			if a.Approach != nil {
				approach := moved(*a.Approach, x, z)
				a.Approach = &approach
			}
		}
		m.POIs = append(m.POIs, p)
	}
	s.parts[part] = span{first, len(m.POIs)}
	s.walls = append(s.walls, wallsOf(&module.manifest.Room, x, z)...)
}

func moved(p contracts.Vec3, x, z float64) contracts.Vec3 {
	return contracts.Vec3{round(p[0] + x), p[1], round(p[2] + z)}
}

// wallsOf returns the back and left walls of a room whose centre is at x, z.
func wallsOf(r *contracts.SceneRoom, x, z float64) []outline {
	t := r.WallThickness
	if t <= 0 {
		return nil
	}
	wall := outline{shape: contracts.FootprintRect, cos: 1}
	back, left := wall, wall
	back.x, back.z, back.w, back.d = x-t/2, z-r.D/2-t/2, r.W/2+t/2, t/2
	left.x, left.z, left.w, left.d = x-r.W/2-t/2, z, t/2, r.D/2
	return []outline{back, left}
}

// floorUnder returns the floor that people can walk on when the given plots are in use: the ground
// except the strips behind the back walls of the first row and behind the left walls of the first
// column.
func (c *Campus) floorUnder(plots []contracts.Plot) floorPlan {
	floor := floorPlan(c.site.Ground(plots))
	for i := range floor {
		floor[i].X0 = round(floor[i].X0 + contracts.CampusMargin)
	}
	floor[0].Z0 = round(floor[0].Z0 + contracts.CampusMargin)
	return floor
}

// gridOver returns a grid that covers a floor. Its cells are aligned with the house's grid.
func (c *Campus) gridOver(floor floorPlan) contracts.SceneGrid {
	g := c.house.manifest.Grid
	x0, z0, x1, z1 := g.Origin[0], g.Origin[1], math.Inf(-1), math.Inf(-1)
	for _, a := range floor {
		x0, z0, x1, z1 = min(x0, a.X0), min(z0, a.Z0), max(x1, a.X1), max(z1, a.Z1)
	}
	left, back := c.offset(x0, 0), c.offset(z0, 1)
	g.Origin[0] -= float64(left) * g.CellSize
	g.Origin[1] -= float64(back) * g.CellSize
	g.Width = int(math.Ceil((x1-g.Origin[0])/g.CellSize - touch))
	g.Height = int(math.Ceil((z1-g.Origin[1])/g.CellSize - touch))
	g.Walkable = nil
	return g
}

// offset returns the number of cells by which the campus extends beyond the start of the house's grid,
// along x (0) or z (1).
func (c *Campus) offset(from float64, axis int) int {
	g := &c.house.manifest.Grid
	return max(0, int(math.Ceil((g.Origin[axis]-from)/g.CellSize-touch)))
}

// widen returns the house's own bitmap as a bitmap of the whole campus.
func (c *Campus) widen(rows []string, g *contracts.SceneGrid) []string {
	if len(rows) == 0 {
		return nil
	}
	house := &c.house.manifest.Grid
	left := int(math.Round((house.Origin[0] - g.Origin[0]) / g.CellSize))
	back := int(math.Round((house.Origin[1] - g.Origin[1]) / g.CellSize))
	out := make([]string, g.Height)
	for j := range out {
		row := slices.Repeat([]byte{' '}, g.Width)
		if j >= back && j-back < len(rows) {
			copy(row[left:], rows[j-back])
		}
		out[j] = string(row)
	}
	return out
}
