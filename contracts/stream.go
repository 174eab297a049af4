package contracts

// StreamDelta is the payload of an `agent_stream` message. It is ephemeral: it
// never touches the ledger and moves no cursor. Seq counts per stream.
type StreamDelta struct {
	StreamID  string `json:"stream_id"`
	AgentID   string `json:"agent_id"`
	ProjectID string `json:"project_id,omitzero"`
	TaskID    string `json:"task_id,omitzero"`
	Kind      string `json:"kind"` // token, thought or code: a rendering hint
	Seq       uint64 `json:"seq"`
	Delta     string `json:"delta"`
	Done      bool   `json:"done"`
	CatchUp   bool   `json:"catch_up,omitzero"` // the text so far, for a late joiner
	Rehearsal bool   `json:"rehearsal,omitzero"`
}
