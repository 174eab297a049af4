package contracts

// Fact is what a worker or adapter saw or made. The director turns facts into
// records; a fact about work that is over is refused and changes nothing.
type Fact interface{ fact() }

// TaskDraft is a task as a planner or worker proposes it.
type TaskDraft struct {
	Title       string   `json:"title"`
	Description string   `json:"description,omitzero"`
	Kind        TaskKind `json:"kind,omitzero"`
	Priority    int      `json:"priority,omitzero"`
}

// ArtifactDraft is a deliverable whose content is already stored by hash.
type ArtifactDraft struct {
	Type   string
	Title  string
	MIME   string
	Bytes  int
	SHA256 string
}

// PlanReady ends the planning of a kickoff. Reason is set when planning failed
// and the single task is the request itself.
type PlanReady struct {
	ProjectID string
	Summary   string
	Tasks     []TaskDraft
	Reason    string
}

// RunBegan says that a runner took a task's attempt up.
type RunBegan struct {
	TaskID  string
	Attempt int
	Runner  string
}

// RunProgress is a short, safe preview of what the worker does.
type RunProgress struct {
	TaskID  string
	Attempt int
	Percent int
	Preview string
}

// RunAsked blocks the task on a decision.
type RunAsked struct {
	TaskID        string
	Attempt       int
	Prompt        string
	Options       []string
	AllowFreeText bool
}

// RunDelivered ends a run with its deliverables.
type RunDelivered struct {
	TaskID    string
	Attempt   int
	Artifacts []ArtifactDraft
	FollowUps []TaskDraft
	TokensIn  int
	TokensOut int
	CostUSD   *float64
	Rehearsal bool
}

// RunBroke ends a run without deliverables; the task is blocked with the reason.
type RunBroke struct {
	TaskID  string
	Attempt int
	Reason  string
}

// ChatSaid is what an agent says in a thread.
type ChatSaid struct{ Chat Chat }

// HUDSeen is a fact of activity.
type HUDSeen struct{ HUD HUD }

func (PlanReady) fact()    {}
func (RunBegan) fact()     {}
func (RunProgress) fact()  {}
func (RunAsked) fact()     {}
func (RunDelivered) fact() {}
func (RunBroke) fact()     {}
func (ChatSaid) fact()     {}
func (HUDSeen) fact()      {}
