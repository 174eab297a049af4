package scene

import (
	"math"

	"github.com/bullpen-office/bullpen/contracts"
)

// sees reports whether the straight line between two points crosses only open cells. Where the line
// passes through a corner, both adjacent cells must be open.
func (g *grid) sees(a, b contracts.Vec3) bool {
	ai, ok := g.index(a)
	if !ok || g.cells[ai] != cellOpen {
		return false
	}
	bi, ok := g.index(b)
	if !ok || g.cells[bi] != cellOpen {
		return false
	}
	i, j := ai%g.w, ai/g.w
	ei, ej := bi%g.w, bi/g.w
	alongX := newCrossing(a[0]-g.x, b[0]-a[0], g.size, i)
	alongZ := newCrossing(a[2]-g.z, b[2]-a[2], g.size, j)
	for left := abs(ei-i) + abs(ej-j); left > 0; left-- {
		switch {
		case alongX.next == alongZ.next && i != ei && j != ej:
			if !g.open(i+alongX.dir, j) || !g.open(i, j+alongZ.dir) {
				return false
			}
			i, j = i+alongX.dir, j+alongZ.dir
			alongX.next += alongX.every
			alongZ.next += alongZ.every
			left--
		case j == ej || i != ei && alongX.next < alongZ.next:
			i += alongX.dir
			alongX.next += alongX.every
		default:
			j += alongZ.dir
			alongZ.next += alongZ.every
		}
		if !g.open(i, j) {
			return false
		}
	}
	return true
}

// crossing iterates over the points where a line crosses the grid along one axis, as fractions of
// the line's length.
type crossing struct {
	dir         int
	next, every float64
}

func newCrossing(from, delta, size float64, index int) crossing {
	switch {
	case delta > 0:
		return crossing{dir: 1, next: (float64(index+1)*size - from) / delta, every: size / delta}
	case delta < 0:
		return crossing{dir: -1, next: (float64(index)*size - from) / delta, every: -size / delta}
	}
	return crossing{next: math.Inf(1), every: math.Inf(1)}
}

// pull shortens a path like a string that is pulled tight: it keeps only the points where the path
// must bend.
func (g *grid) pull(points []contracts.Vec3) []contracts.Vec3 {
	if len(points) < 3 {
		return points
	}
	kept := points[:1:1]
	for i := 1; i < len(points)-1; i++ {
		if !g.sees(kept[len(kept)-1], points[i+1]) {
			kept = append(kept, points[i])
		}
	}
	return append(kept, points[len(points)-1])
}

func abs(n int) int { return max(n, -n) }
