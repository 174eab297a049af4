package contracts

// Chat is the payload of a `chat` message without its seq.
type Chat struct {
	ThreadID         string            `json:"thread_id"`
	From             string            `json:"from"`
	To               string            `json:"to"`
	Text             string            `json:"text"`
	SuggestedActions []SuggestedAction `json:"suggested_actions,omitzero"`
	ProjectID        string            `json:"project_id,omitzero"`
	AnswersSeq       uint64            `json:"answers_seq,omitzero"` // the seq of the chat message that this one answers
	Rehearsal        bool              `json:"rehearsal,omitzero"`
}

// SuggestedAction is a button under a chat message. Action is a command name, or an action that the
// client performs itself (open_task_board, clarify, open_artifact).
type SuggestedAction struct {
	Action     string `json:"action"`
	Label      string `json:"label"`
	ProjectID  string `json:"project_id,omitzero"`
	ArtifactID string `json:"artifact_id,omitzero"`
	DecisionID string `json:"decision_id,omitzero"`
}

// StreamDelta is the payload of an `agent_stream` message. It is ephemeral: it is not recorded and
// does not advance a cursor. Seq is the number of the delta in its stream.
type StreamDelta struct {
	StreamID  string `json:"stream_id"`
	AgentID   string `json:"agent_id"`
	ProjectID string `json:"project_id,omitzero"`
	TaskID    string `json:"task_id,omitzero"`
	Kind      string `json:"kind"` // token, thought or code: a rendering hint
	Seq       uint64 `json:"seq"`
	Delta     string `json:"delta"`
	Done      bool   `json:"done"`
	CatchUp   bool   `json:"catch_up,omitzero"` // Delta contains all the text so far, because the viewer joined late
	Rehearsal bool   `json:"rehearsal,omitzero"`
}
