package scene

import (
	"fmt"
	"iter"
	"math"

	"github.com/bullpen-office/bullpen/contracts"
)

// cell is the state of a grid cell: walkable, or the reason it is not. Only cellOpen is walkable.
type cell uint8

const (
	cellOpen   cell = iota
	cellPocket      // free, but cut off from the player's spawn
	cellSeat        // in front of a seat that has an approach
	cellMargin      // less than the agent radius away from furniture or from the floor's edge
	cellSolid       // inside furniture
	cellClosed      // closed by the manifest's own bitmap
)

// grid divides the floor of a room into cells. Rows run from the back wall to the front.
type grid struct {
	x, z  float64 // corner of the first cell
	size  float64
	w, h  int
	cells []cell
}

// Limits for the grid of a scene, in metres.
const (
	cellSizeMin    = 0.05
	cellSizeMax    = 1.0
	agentRadiusMax = 1.0
)

// newGrid computes the grid of a scene. Pockets that cannot be reached from the player's spawn are
// closed, so that there is a path between any two open cells.
func newGrid(s *Scene) (grid, error) {
	m := &s.manifest
	mg := &m.Grid
	switch {
	case mg.CellSize < cellSizeMin || mg.CellSize > cellSizeMax:
		return grid{}, fmt.Errorf("grid.cell_size is %g; use %g to %g metres", mg.CellSize, cellSizeMin, cellSizeMax)
	case mg.Width < 1 || mg.Height < 1 || mg.Width > contracts.LimitSceneCells/mg.Height:
		return grid{}, fmt.Errorf("grid is %d × %d cells; use at least one and at most %d in total", mg.Width, mg.Height, contracts.LimitSceneCells)
	case mg.AgentRadius < 0 || mg.AgentRadius > agentRadiusMax:
		return grid{}, fmt.Errorf("grid.agent_radius is %g; use 0 to %g metres", mg.AgentRadius, agentRadiusMax)
	}
	g := grid{x: mg.Origin[0], z: mg.Origin[1], size: mg.CellSize, w: mg.Width, h: mg.Height}
	g.cells = make([]cell, g.w*g.h)
	g.closeEdges(s.floor, mg.AgentRadius)
	for i := range s.walls {
		g.closeOutline(&s.walls[i], mg.AgentRadius)
	}
	for i := range m.Objects {
		if o, ok := outlineOf(&m.Objects[i]); ok {
			g.closeOutline(&o, mg.AgentRadius)
		}
	}
	g.closeSeats(m)
	if err := g.override(mg.Walkable); err != nil {
		return grid{}, err
	}
	g.closePockets(m.Spawns.Player)
	return g, nil
}

// index returns the index of the cell that contains the point, or false if the point is outside the
// grid.
func (g *grid) index(p contracts.Vec3) (int, bool) {
	fi, fj := math.Floor((p[0]-g.x)/g.size), math.Floor((p[2]-g.z)/g.size)
	if !(fi >= 0 && fj >= 0 && fi < float64(g.w) && fj < float64(g.h)) { // also NaN
		return 0, false
	}
	return int(fj)*g.w + int(fi), true
}

// centre returns the middle of a cell, rounded like all path coordinates.
func (g *grid) centre(index int) contracts.Vec3 {
	i, j := index%g.w, index/g.w
	return contracts.Vec3{round(g.x + (float64(i)+0.5)*g.size), 0, round(g.z + (float64(j)+0.5)*g.size)}
}

func (g *grid) open(i, j int) bool {
	return i >= 0 && j >= 0 && i < g.w && j < g.h && g.cells[j*g.w+i] == cellOpen
}

// closeEdges closes the cells that are off the floor or closer to its edge than the agent radius.
func (g *grid) closeEdges(floor floorPlan, radius float64) {
	for index := range g.cells {
		if c := g.centre(index); !floor.contains(c[0]-radius, c[2]-radius, touch) || !floor.contains(c[0]+radius, c[2]-radius, touch) ||
			!floor.contains(c[0]-radius, c[2]+radius, touch) || !floor.contains(c[0]+radius, c[2]+radius, touch) {
			g.cells[index] = cellMargin
		}
	}
}

func (g *grid) closeOutline(o *outline, margin float64) {
	for index := range g.around(o.x, o.z, math.Hypot(o.w, o.d)+margin) {
		c := g.centre(index)
		switch {
		case o.covers(c[0], c[2], 0):
			g.cells[index] = cellSolid
		case g.cells[index] == cellOpen && o.covers(c[0], c[2], margin):
			g.cells[index] = cellMargin
		}
	}
}

// closeSeats closes the cells around seats, so that paths do not run through seated agents.
func (g *grid) closeSeats(m *contracts.SceneManifest) {
	for i := range m.POIs {
		for _, a := range m.POIs[i].NavAnchors {
			if a.Approach == nil {
				continue
			}
			for index := range g.around(a.Pos[0], a.Pos[2], contracts.SceneSeatRadius) {
				if g.cells[index] == cellOpen && gapFlat(g.centre(index), a.Pos) < contracts.SceneSeatRadius {
					g.cells[index] = cellSeat
				}
			}
		}
	}
}

// around iterates, row by row, over the cells of the square that is centred at x, z and extends
// reach in each direction. Cells outside the square may be included.
func (g *grid) around(x, z, reach float64) iter.Seq[int] {
	clamp := func(v float64, most int) int { return int(max(0, min(v, float64(most)))) }
	i0, i1 := clamp(math.Floor((x-reach-g.x)/g.size)-1, g.w), clamp(math.Ceil((x+reach-g.x)/g.size)+1, g.w)
	j0, j1 := clamp(math.Floor((z-reach-g.z)/g.size)-1, g.h), clamp(math.Ceil((z+reach-g.z)/g.size)+1, g.h)
	return func(yield func(int) bool) {
		for j := j0; j < j1; j++ {
			for i := i0; i < i1; i++ {
				if !yield(j*g.w + i) {
					return
				}
			}
		}
	}
}

// override applies the manifest's own bitmap, if it has one.
func (g *grid) override(rows []string) error {
	if len(rows) == 0 {
		return nil
	}
	if len(rows) != g.h {
		return fmt.Errorf("grid.walkable has %d rows; it needs %d, or none", len(rows), g.h)
	}
	for j, row := range rows {
		if len(row) != g.w {
			return fmt.Errorf("grid.walkable row %d has %d cells; it needs %d", j, len(row), g.w)
		}
		for i := range len(row) {
			switch row[i] {
			case '.':
				g.cells[j*g.w+i] = cellOpen
			case '#':
				g.cells[j*g.w+i] = cellClosed
			case ' ':
			default:
				return fmt.Errorf("grid.walkable row %d has %q at %d; use '.', '#' or a space", j, row[i], i)
			}
		}
	}
	return nil
}

// closePockets closes the cells that cannot be reached from spawn.
func (g *grid) closePockets(spawn contracts.Vec3) {
	reached := make([]bool, len(g.cells))
	var queue []int
	if start, ok := g.nearest(spawn); ok {
		reached[start] = true
		queue = append(queue, start)
	}
	for len(queue) > 0 {
		at := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		i, j := at%g.w, at/g.w
		for _, s := range steps[:straightSteps] {
			if n := at + s.di + s.dj*g.w; g.open(i+s.di, j+s.dj) && !reached[n] {
				reached[n] = true
				queue = append(queue, n)
			}
		}
	}
	for index, c := range g.cells {
		if c == cellOpen && !reached[index] {
			g.cells[index] = cellPocket
		}
	}
}

// nearest returns the open cell whose centre is nearest to the point; on a tie, the first in row
// order. It returns false if there is none within LimitSceneNearest.
func (g *grid) nearest(p contracts.Vec3) (int, bool) {
	best, bestGap := 0, math.Inf(1)
	reach := int(math.Ceil(contracts.LimitSceneNearest/g.size)) + 1
	ci, cj := (p[0]-g.x)/g.size, (p[2]-g.z)/g.size
	if !(math.Abs(ci) < contracts.LimitSceneCells && math.Abs(cj) < contracts.LimitSceneCells) { // also NaN
		return 0, false
	}
	for j := int(cj) - reach; j <= int(cj)+reach; j++ {
		for i := int(ci) - reach; i <= int(ci)+reach; i++ {
			if !g.open(i, j) {
				continue
			}
			index := j*g.w + i
			if d := gapFlat(g.centre(index), p); d < bestGap {
				best, bestGap = index, d
			}
		}
	}
	return best, bestGap <= contracts.LimitSceneNearest
}

// round rounds a coordinate to millimetres and never returns -0.
func round(v float64) float64 { return math.Round(v*1000)/1000 + 0 }
