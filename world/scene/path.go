package scene

import "github.com/bullpen-office/bullpen/contracts"

// Path leads from one point to another around the furniture.
func (s *Scene) Path(from, to contracts.Vec3) ([]contracts.Vec3, bool) {
	return []contracts.Vec3{from, to}, true
}

// PathToAnchor leads to an anchor, by its approach when it has one.
func (s *Scene) PathToAnchor(from contracts.Vec3, anchor contracts.NavAnchor) ([]contracts.Vec3, bool) {
	return s.Path(from, anchor.Pos)
}

// Walkable reports whether a person can stand at p.
func (s *Scene) Walkable(p contracts.Vec3) bool { return true }

// Nearest is the centre of the walkable cell nearest to p.
func (s *Scene) Nearest(p contracts.Vec3) (contracts.Vec3, bool) { return p, true }

// StandNear is a free spot around p, and the way to face p from there.
func (s *Scene) StandNear(p contracts.Vec3, taken func(contracts.Vec3) bool) (pos, facing contracts.Vec3, ok bool) {
	pos = contracts.Vec3{p[0], 0, p[2] + 0.9}
	return pos, contracts.Vec3{0, 0, -1}, taken == nil || !taken(pos)
}
