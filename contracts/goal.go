package contracts

// GoalKind is the kind of an agent's next action.
type GoalKind string

// The first four goals move the agent; the others keep it where it is.
const (
	GoalGoToPOI    GoalKind = "go_to_poi"
	GoalGoToPlayer GoalKind = "go_to_player"
	GoalDeliver    GoalKind = "deliver_artifact"
	GoalGoHome     GoalKind = "go_home"

	GoalIdle        GoalKind = "idle"
	GoalMeet        GoalKind = "attend_meeting"
	GoalWork        GoalKind = "work"
	GoalWaitForUser GoalKind = "wait_for_user"
)

// Moves reports whether the agent walks to reach the goal.
func (k GoalKind) Moves() bool {
	switch k {
	case GoalGoToPOI, GoalGoToPlayer, GoalDeliver, GoalGoHome:
		return true
	}
	return false
}

// Goal is an agent's next action and the place for it. If AnchorID is set, the agent has booked
// that seat of POIID. If PerchOf is set, the agent is a sub-agent at the seat of PerchOf and has
// not booked a seat itself.
type Goal struct {
	Kind     GoalKind `json:"kind"`
	POIID    string   `json:"poi_id,omitzero"`
	AnchorID string   `json:"anchor_id,omitzero"`
	PlayerID string   `json:"player_id,omitzero"`
	PerchOf  string   `json:"perch_of,omitzero"` // the agent whose seat this agent perches at; this agent's path ends there
}

// AgentGoal is the payload of an `agent_goal` message without its seq. The agent's position at any
// time depends only on Path, SpeedMPS and StartedAt. State is the agent's state from now on, and
// Why is the reason for it.
type AgentGoal struct {
	AgentID       string     `json:"agent_id"`
	Goal          Goal       `json:"goal"`
	Path          []Vec3     `json:"path"`
	SpeedMPS      float64    `json:"speed_mps"`
	ArrivalRadius float64    `json:"arrival_radius"`
	StartedAt     int64      `json:"started_at"`
	Facing        Vec3       `json:"facing"` // direction that the agent faces on arrival
	State         AgentState `json:"state"`
	Why           string     `json:"why,omitzero"`
	TaskID        string     `json:"task_id,omitzero"`
}
