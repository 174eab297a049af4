package model

import (
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world/scene"
)

// Motion is an agent's motion, derived from its newest goal. The agent's position depends only on
// the motion and the time (W17).
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

// Standing is an agent's position and facing at one point in time.
type Standing struct {
	Pos     contracts.Vec3
	Heading contracts.Vec3
	Moving  bool
}

// position returns an agent's position and facing at the given server time.
func position(a *contracts.Agent, m *Motion, now int64) Standing {
	if m == nil || len(m.Path) == 0 {
		return Standing{Pos: a.Pos, Heading: a.Facing}
	}
	pos, heading, arrived := scene.Position(m.Path, m.SpeedMPS, m.StartedAt, now)
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
