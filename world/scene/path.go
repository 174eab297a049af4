package scene

import "github.com/bullpen-office/bullpen/contracts"

// Path returns a path between two points on the floor (y = 0), around the furniture. A point on a
// seat is reached through the seat's approach; a point inside furniture is reached from the nearest
// walkable cell. ok is false if a point is off the floor or farther than LimitSceneNearest from a
// walkable cell.
func (s *Scene) Path(from, to contracts.Vec3) (_ []contracts.Vec3, ok bool) {
	return s.route(from, to, s.seatApproach(to))
}

// PathToAnchor is like Path, but ends at an anchor and reaches it through the anchor's approach, if
// it has one.
func (s *Scene) PathToAnchor(from contracts.Vec3, anchor contracts.NavAnchor) ([]contracts.Vec3, bool) {
	return s.route(from, anchor.Pos, anchor.Approach)
}

// Walkable reports whether p is in a walkable cell that can be reached from the player's spawn.
func (s *Scene) Walkable(p contracts.Vec3) bool {
	index, ok := s.grid.index(p)
	return ok && s.grid.cells[index] == cellOpen
}

// Nearest returns the centre of the walkable cell nearest to p, or false if there is none within
// LimitSceneNearest.
func (s *Scene) Nearest(p contracts.Vec3) (contracts.Vec3, bool) {
	index, ok := s.grid.nearest(p)
	if !ok {
		return contracts.Vec3{}, false
	}
	return s.grid.centre(index), true
}

// route returns a path between two points. If the path starts at a seat with an approach, it leaves
// the seat through that approach. If approach is not nil, the path reaches the end through approach.
func (s *Scene) route(from, to contracts.Vec3, approach *contracts.Vec3) ([]contracts.Vec3, bool) {
	from[1], to[1] = 0, 0
	if !s.OnFloor(from) || !s.OnFloor(to) {
		return nil, false
	}
	if gapFlat(from, to) <= contracts.SceneSeatSnap {
		return []contracts.Vec3{from, to}, true
	}
	start, goal := from, to
	if a := s.seatApproach(from); a != nil {
		start = contracts.Vec3{a[0], 0, a[2]}
	}
	if approach != nil {
		goal = contracts.Vec3{approach[0], 0, approach[2]}
	}
	walk, ok := s.cross(start, goal)
	if !ok {
		return nil, false
	}
	path := make([]contracts.Vec3, 0, len(walk)+2)
	path = append(path, from)
	for _, p := range append(walk, to) {
		if p != path[len(path)-1] {
			path = append(path, p)
		}
	}
	return path, true
}

// cross returns a path across the grid between two points on the floor, or false if there is none.
func (s *Scene) cross(from, to contracts.Vec3) ([]contracts.Vec3, bool) {
	g := &s.grid
	if g.sees(from, to) {
		return []contracts.Vec3{from, to}, true
	}
	start, inOpen, ok := g.entryCell(from)
	if !ok {
		return nil, false
	}
	goal, outOpen, ok := g.entryCell(to)
	if !ok {
		return nil, false
	}
	cells := g.search(start, goal)
	if cells == nil {
		return nil, false
	}
	points := make([]contracts.Vec3, 0, len(cells)+2)
	if inOpen {
		points = append(points, from)
	}
	for _, c := range cells {
		points = append(points, g.centre(c))
	}
	if outOpen {
		points = append(points, to)
	}
	points = g.pull(points)
	if !inOpen {
		points = append([]contracts.Vec3{from}, points...)
	}
	if !outOpen {
		points = append(points, to)
	}
	return points, true
}

// entryCell returns the open cell that p is reached from; inside reports whether p is in that cell.
func (g *grid) entryCell(p contracts.Vec3) (index int, inside, ok bool) {
	if index, ok = g.index(p); ok && g.cells[index] == cellOpen {
		return index, true, true
	}
	index, ok = g.nearest(p)
	return index, false, ok
}

// seatApproach returns the approach to the seat at p, or nil if there is none.
func (s *Scene) seatApproach(p contracts.Vec3) *contracts.Vec3 {
	for _, a := range s.seats {
		if gapFlat(a.Pos, p) <= contracts.SceneSeatSnap {
			return a.Approach
		}
	}
	return nil
}

// OnFloor reports whether p is on the floor; false for NaN and infinities.
func (s *Scene) OnFloor(p contracts.Vec3) bool { return s.floor.contains(p[0], p[2], 0) }
