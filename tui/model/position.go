package model

import (
	"math"

	"github.com/bullpen-office/bullpen/contracts"
)

// Motion is how somebody moves, from its newest goal. Where it stands follows
// from this and the time (W17).
type Motion struct {
	Seq       uint64
	Path      []contracts.Vec3
	SpeedMPS  float64
	StartedAt int64
	Facing    contracts.Vec3
	State     contracts.AgentState
	Goal      contracts.Goal
	Why       string
}

// Standing is where somebody is at a time and where it looks.
type Standing struct {
	Pos     contracts.Vec3
	Heading contracts.Vec3
	Moving  bool
}

// position says where a row with its motion stands at a server time.
func position(a *contracts.Agent, m *Motion, now int64) Standing {
	if m == nil || len(m.Path) == 0 {
		return Standing{Pos: a.Pos, Heading: a.Facing}
	}
	pos, heading, arrived := along(m.Path, m.SpeedMPS*float64(now-m.StartedAt)/1000)
	if !arrived && m.Goal.Kind.Moves() {
		return Standing{Pos: pos, Heading: heading, Moving: true}
	}
	switch zero := (contracts.Vec3{}); {
	case m.Facing != zero:
		heading = m.Facing
	case a.Facing != zero:
		heading = a.Facing
	}
	return Standing{Pos: pos, Heading: heading}
}

// along is the point dist metres along a path, the way it heads there, and
// whether the path ends there.
func along(path []contracts.Vec3, dist float64) (pos, heading contracts.Vec3, arrived bool) {
	left := max(dist, 0)
	for i := 1; i < len(path); i++ {
		a, b := path[i-1], path[i]
		leg := gap(a, b)
		if leg == 0 {
			continue
		}
		for k := range heading {
			heading[k] = (b[k] - a[k]) / leg
		}
		if left < leg {
			for k := range pos {
				pos[k] = a[k] + (b[k]-a[k])*left/leg
			}
			return pos, heading, false
		}
		left -= leg
	}
	return path[len(path)-1], heading, true
}

func gap(a, b contracts.Vec3) float64 {
	x, y, z := a[0]-b[0], a[1]-b[1], a[2]-b[2]
	return math.Sqrt(x*x + y*y + z*z)
}
