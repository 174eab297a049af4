package scene

import (
	"math"

	"github.com/bullpen-office/bullpen/contracts"
)

// standRings are the distances from a person, in metres, at which an agent tries to stand, in
// order. Each ring has standSpots spots, starting at the angle standFirst on the viewer's side, so
// that faces are visible.
var standRings = [...]float64{0.9, 1.1, 1.3, 1.5, 0.75}

const (
	standSpots = 16
	standFirst = math.Pi / 4
)

// StandNear returns a walkable spot that is not taken, SceneStandMin to SceneStandMax metres from
// p, and the facing towards p; ok is false if there is none. Spots in line of sight of p come
// first. If taken is nil, all spots are free.
func (s *Scene) StandNear(p contracts.Vec3, taken func(contracts.Vec3) bool) (pos, facing contracts.Vec3, ok bool) {
	p[1] = 0
	if !s.OnFloor(p) {
		return pos, facing, false
	}
	for _, inSight := range [...]bool{true, false} {
		for _, ring := range standRings {
			for n := range standSpots {
				pos = standSpot(p, ring, n)
				if !s.Walkable(pos) || s.grid.sees(p, pos) != inSight || taken != nil && taken(pos) {
					continue
				}
				d := gapFlat(p, pos)
				return pos, contracts.Vec3{(p[0] - pos[0]) / d, 0, (p[2] - pos[2]) / d}, true
			}
		}
	}
	return contracts.Vec3{}, contracts.Vec3{}, false
}

// standSpot returns the nth spot on a ring. The spots alternate between the left and the right of
// the first.
func standSpot(p contracts.Vec3, ring float64, n int) contracts.Vec3 {
	turn := float64((n + 1) / 2)
	if n%2 == 0 {
		turn = -turn
	}
	sin, cos := math.Sincos(standFirst + turn*2*math.Pi/standSpots)
	return contracts.Vec3{round(p[0] + ring*sin), 0, round(p[2] + ring*cos)}
}

// lattice is the distance between the spots that FreeSpot tries, in metres.
const lattice = 0.5

// FreeSpot returns the walkable spot nearest to p that is not taken, for use when there is no space
// around p itself; ok is false if the room is full.
func (s *Scene) FreeSpot(p contracts.Vec3, taken func(contracts.Vec3) bool) (pos, facing contracts.Vec3, ok bool) {
	g := s.manifest.Grid
	width, depth := float64(g.Width)*g.CellSize, float64(g.Height)*g.CellSize
	for reach := lattice * 8; ; reach *= 2 { // spots beyond reach are tried only if none within reach is free
		nearest := reach
		for x := lattice / 2; x < width; x += lattice {
			for z := lattice / 2; z < depth; z += lattice {
				at := contracts.Vec3{round(g.Origin[0] + x), 0, round(g.Origin[1] + z)}
				d := gapFlat(p, at)
				if d == 0 || d >= nearest || !s.Walkable(at) || taken(at) {
					continue
				}
				nearest, pos, ok = d, at, true
				facing = contracts.Vec3{(p[0] - at[0]) / d, 0, (p[2] - at[2]) / d}
			}
		}
		if farthest := gapFlat(p, contracts.Vec3{g.Origin[0], 0, g.Origin[1]}) + width + depth; ok || !(reach < farthest) { // also NaN
			return pos, facing, ok
		}
	}
}
