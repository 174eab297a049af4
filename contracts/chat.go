package contracts

// Chat is the payload of a `chat` message without its seq.
type Chat struct {
	ThreadID         string            `json:"thread_id"`
	From             string            `json:"from"`
	To               string            `json:"to"`
	Text             string            `json:"text"`
	SuggestedActions []SuggestedAction `json:"suggested_actions,omitzero"`
	ProjectID        string            `json:"project_id,omitzero"`
	AnswersSeq       uint64            `json:"answers_seq,omitzero"` // the chat this one answers
	Rehearsal        bool              `json:"rehearsal,omitzero"`
}

// SuggestedAction is a button under a chat. Action is a command name or a local
// action of the host (open_task_board, clarify, open_artifact).
type SuggestedAction struct {
	Action     string `json:"action"`
	Label      string `json:"label"`
	ProjectID  string `json:"project_id,omitzero"`
	ArtifactID string `json:"artifact_id,omitzero"`
	DecisionID string `json:"decision_id,omitzero"`
}
