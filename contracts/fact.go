package contracts

// Fact is an observation or a result of a worker or adapter. The director turns facts into records;
// a fact about work that is over is refused and changes nothing.
type Fact interface{ fact() }

// TaskDraft is a task that a planner or worker proposes.
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

// PlanReady ends the planning of a kickoff. Reason is set if planning failed and the only
// task is the request itself.
type PlanReady struct {
	ProjectID string
	Summary   string
	Tasks     []TaskDraft
	Reason    string
}

// RunBegan reports that a runner started an attempt of a task.
type RunBegan struct {
	TaskID  string
	Attempt int
	Runner  string
}

// RunProgress is a short preview of the worker's progress that is safe to show.
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

// ChatSaid is an agent's message in a thread.
type ChatSaid struct{ Chat Chat }

// HUDSeen is an activity fact. If Once is set, facts with the same id are recorded once: a
// fact reported by both a hook and a transcript has the same id.
type HUDSeen struct {
	HUD   HUD
	Once  bool
	Watch string // the source whose watcher saw it; empty if the office runs it itself
}

// AgentSeen adds an agent that works elsewhere, or updates its profile.
type AgentSeen struct{ Profile AgentProfile }

// AgentGone removes a guest from the office.
type AgentGone struct {
	AgentID string
	Reason  string
}

// StatusSeen is a new verdict about a guest.
type StatusSeen struct{ Status AgentStatus }

// AskSeen is a question of a guest. The reply names the decision that it became.
type AskSeen struct {
	AgentID       string // may be empty for a script
	Kind          DecisionKind
	Prompt        string
	Header        string
	Options       []string
	Descriptions  []string // of the options, in their order; may be empty
	Multiple      bool
	AllowFreeText bool
	ExpiresAt     int64 // Unix milliseconds; 0 means never
	Permission    *Permission
	TurnID        string // the turn that asks; its end withdraws the question
	Watch         string // the source that waits for the answer; empty if a connection to this office waits
}

// AskWithdrawn cancels a question that was answered elsewhere or no longer needs an answer.
type AskWithdrawn struct {
	DecisionID string
	Reason     string
}

// UISeen is a workflow event. Ask is set if it also becomes a decision. Lasts is the number of
// milliseconds from its recording after which it expires; 0 leaves that to UI.ExpiresAt.
type UISeen struct {
	UI    UI
	Ask   *AskSeen
	Lasts int64
}

// UsageSeen is a source's report of tokens and cost. Key makes the same report count once.
type UsageSeen struct {
	Key     string
	AgentID string
	TaskID  string
	TurnID  string
	Usage   Usage
}

// Kinds of audited events.
const (
	AuditLogin      = "login"
	AuditExport     = "export"
	AuditRevocation = "revocation"
)

// Audited is a security-relevant event that changes nothing in the office.
type Audited struct {
	Kind string // AuditLogin …
	By   string // the principal
	Via  string // how it was authenticated
	Says string // what happened, for people
}

// Event returns the event that is recorded for the audit.
func (f Audited) Event() *Event {
	return &Event{Name: EventAudited, Kind: f.Kind, By: Clip(CleanLine(f.By), LimitID), Via: Clip(CleanLine(f.Via), LimitPreview),
		Meta: &Meta{Title: Clip(CleanLine(f.Says), LimitPreview)}}
}

// FactKey returns the ledger key under which a fact counts once; empty if it may be reported
// any number of times.
func FactKey(f Fact) string {
	switch f := f.(type) {
	case HUDSeen:
		if f.Once || f.HUD.ResultSHA256 != "" {
			return HUDKey(f.HUD.UUID)
		}
	case UISeen:
		return UIKey(f.UI.Source, f.UI.EventID)
	case UsageSeen:
		if f.Key != "" {
			return "use/" + f.Key
		}
	}
	return ""
}

// HUDKey returns the key of an activity fact that counts once, or whose result is stored next
// to the ledger.
func HUDKey(uuid string) string { return "hud/" + uuid }

func (PlanReady) fact()    {}
func (RunBegan) fact()     {}
func (RunProgress) fact()  {}
func (RunAsked) fact()     {}
func (RunDelivered) fact() {}
func (RunBroke) fact()     {}
func (ChatSaid) fact()     {}
func (HUDSeen) fact()      {}
func (AgentSeen) fact()    {}
func (AgentGone) fact()    {}
func (StatusSeen) fact()   {}
func (AskSeen) fact()      {}
func (AskWithdrawn) fact() {}
func (UISeen) fact()       {}
func (UsageSeen) fact()    {}
func (Audited) fact()      {}
