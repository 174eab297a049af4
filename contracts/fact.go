package contracts

// Fact is an observation or a result that a worker or adapter reports. The director turns facts
// into records; a fact about work that has ended is rejected and changes nothing.
type Fact interface {
	// FactName returns the fact's name on the wire.
	FactName() string
}

// TaskDraft is a task that a planner or worker proposes.
type TaskDraft struct {
	Title       string   `json:"title"`
	Description string   `json:"description,omitzero"`
	Kind        TaskKind `json:"kind,omitzero"`
	Priority    int      `json:"priority,omitzero"`
}

// ArtifactDraft is a deliverable whose content is already stored by hash.
type ArtifactDraft struct {
	Type   string `json:"type,omitzero"`
	Title  string `json:"title,omitzero"`
	MIME   string `json:"mime,omitzero"`
	Bytes  int    `json:"bytes,omitzero"`
	SHA256 string `json:"sha256,omitzero"`

	// Set only for a patch.
	Tree string    `json:"tree,omitzero"` // git tree of the delivered files
	Base string    `json:"base,omitzero"` // commit that the patch applies to
	Stat *DiffStat `json:"stat,omitzero"`
}

// PlanReady ends the planning of a kickoff. Reason is set if planning failed; the only task is then
// the request itself.
type PlanReady struct {
	ProjectID string      `json:"project_id,omitzero"`
	Summary   string      `json:"summary,omitzero"`
	Tasks     []TaskDraft `json:"tasks,omitzero"`
	Reason    string      `json:"reason,omitzero"`
}

// RunBegan reports that a runner started an attempt at a task.
type RunBegan struct {
	TaskID  string `json:"task_id,omitzero"`
	Attempt int    `json:"attempt,omitzero"`
	Runner  string `json:"runner,omitzero"`
}

// RunProgress is a short preview of the worker's progress that is safe to show.
type RunProgress struct {
	TaskID  string `json:"task_id,omitzero"`
	Attempt int    `json:"attempt,omitzero"`
	Percent int    `json:"percent,omitzero"`
	Preview string `json:"preview,omitzero"`
}

// RunAsked blocks the task on a decision.
type RunAsked struct {
	TaskID        string   `json:"task_id,omitzero"`
	Attempt       int      `json:"attempt,omitzero"`
	Prompt        string   `json:"prompt,omitzero"`
	Options       []string `json:"options,omitzero"`
	AllowFreeText bool     `json:"allow_free_text,omitzero"`
}

// RunDelivered ends a run with its deliverables.
type RunDelivered struct {
	TaskID    string          `json:"task_id,omitzero"`
	Attempt   int             `json:"attempt,omitzero"`
	Artifacts []ArtifactDraft `json:"artifacts,omitzero"`
	FollowUps []TaskDraft     `json:"follow_ups,omitzero"`
	TokensIn  int             `json:"tokens_in,omitzero"`
	TokensOut int             `json:"tokens_out,omitzero"`
	CostUSD   *float64        `json:"cost_usd,omitzero"`
	Rehearsal bool            `json:"rehearsal,omitzero"`
}

// RunBroke ends a run without deliverables; the task is blocked for the given reason.
type RunBroke struct {
	TaskID  string `json:"task_id,omitzero"`
	Attempt int    `json:"attempt,omitzero"`
	Reason  string `json:"reason,omitzero"`
}

// ChatSaid is an agent's message in a thread.
type ChatSaid struct {
	Chat Chat `json:"chat"`
}

// HUDSeen is an activity fact. If Once is set, facts with the same id are recorded only once. A
// hook and a transcript that report the same fact give it the same id.
type HUDSeen struct {
	HUD   HUD    `json:"hud,omitzero"`
	Once  bool   `json:"once,omitzero"`
	Watch string `json:"watch,omitzero"` // the source whose watcher saw it; empty if the office itself runs the agent
}

// AgentSeen adds an agent that works elsewhere, or updates its profile.
type AgentSeen struct {
	Profile AgentProfile `json:"profile"`
}

// AgentGone removes a guest from the office.
type AgentGone struct {
	AgentID string `json:"agent_id,omitzero"`
	Reason  string `json:"reason,omitzero"`
}

// StatusSeen reports a new status of a guest.
type StatusSeen struct {
	Status AgentStatus `json:"status"`
}

// AskSeen reports a guest's question. The reply names the decision that was created for it.
type AskSeen struct {
	AgentID       string       `json:"agent_id,omitzero"` // may be empty for a script
	Kind          DecisionKind `json:"kind,omitzero"`
	Prompt        string       `json:"prompt,omitzero"`
	Header        string       `json:"header,omitzero"`
	Options       []string     `json:"options,omitzero"`
	Descriptions  []string     `json:"descriptions,omitzero"` // empty, or one for each option in the same order
	Multiple      bool         `json:"multiple,omitzero"`
	AllowFreeText bool         `json:"allow_free_text,omitzero"`
	ExpiresAt     int64        `json:"expires_at,omitzero"` // Unix milliseconds; 0 means never
	Permission    *Permission  `json:"permission,omitzero"`
	TurnID        string       `json:"turn_id,omitzero"` // the turn that asked; the question is withdrawn when that turn ends
	Watch         string       `json:"watch,omitzero"`   // the source whose watcher is waiting for the answer; empty if the office itself is waiting

	// For the permission policy.
	Dir       string     `json:"dir,omitzero"`        // absolute directory that the call would run in; empty if unknown
	Home      string     `json:"home,omitzero"`       // home directory on the machine where the call would run; empty if unknown
	RepoRules *RepoRules `json:"repo_rules,omitzero"` // nil if the repository has none, or is on another machine
}

// AskWithdrawn cancels a question that was answered elsewhere or no longer needs an answer.
type AskWithdrawn struct {
	DecisionID string `json:"decision_id,omitzero"`
	Reason     string `json:"reason,omitzero"`
}

// UISeen is a workflow event. Ask is set if the event also asks for a decision. Lasts is how long
// the event lasts after it is recorded, in milliseconds; 0 means that UI.ExpiresAt applies.
type UISeen struct {
	UI    UI       `json:"ui,omitzero"`
	Ask   *AskSeen `json:"ask,omitzero"`
	Lasts int64    `json:"lasts,omitzero"`
}

// UsageSeen is a source's report of tokens and cost. Reports with the same Key are recorded only
// once.
type UsageSeen struct {
	Key     string `json:"key,omitzero"`
	AgentID string `json:"agent_id,omitzero"`
	TaskID  string `json:"task_id,omitzero"`
	TurnID  string `json:"turn_id,omitzero"`
	Usage   Usage  `json:"usage,omitzero"`
}

// Kinds of audited events.
const (
	AuditLogin      = "login"
	AuditExport     = "export"
	AuditRevocation = "revocation"
)

// Audited is a security-relevant event that changes nothing in the office.
type Audited struct {
	Kind string `json:"kind,omitzero"` // one of the audit kinds, such as AuditLogin
	By   string `json:"by,omitzero"`   // the principal
	Via  string `json:"via,omitzero"`  // how the principal was authenticated
	Says string `json:"says,omitzero"` // readable description of the event
	Key  string `json:"key,omitzero"`  // events with the same kind and key are recorded only once; without a key, every event is recorded
}

// Event returns the event to record for f.
func (f Audited) Event() *Event {
	return &Event{Name: EventAudited, Kind: f.Kind, By: Clip(CleanLine(f.By), LimitID), Via: Clip(CleanLine(f.Via), LimitPreview),
		Meta: &Meta{Title: Clip(CleanLine(f.Says), LimitPreview)}}
}

// NodeUp starts a new life of another node of the office, or continues Life if that life is still
// up. Everything that the node's other lives left open is ended. The reply's Seq is the seq of the
// *Owner record that names the life.
type NodeUp struct {
	Node    string   `json:"node"`
	Life    string   `json:"life,omitzero"`    // the earlier life that the node continues, if any
	Watches []string `json:"watches,omitzero"` // sources that the node watches
}

// NodeDown ends a life of another node and everything that the node has open. It has no effect if
// the life has already ended. A turn that the node was only watching ends after WatchGrace, unless
// a new life of the node watches the turn again.
type NodeDown struct {
	Node string `json:"node"`
	Life string `json:"life"`
}

// Teller is the node or outpost that reports facts; its life owns all turns and calls that these
// facts start. Key identifies the report: facts that are reported again under the same key are
// recorded only once.
type Teller struct{ Node, Life, Key string }

// FieldLife is the Field of the refusal that is returned if the teller's life has ended. Nothing
// was recorded in that case.
const FieldLife = "life"

// FieldNode is the Field of the refusal for a fact about a guest that another node watches.
const FieldNode = "node"

// FactKey returns the ledger key that keeps a fact from being recorded twice, or "" if the fact may
// be recorded any number of times. An outpost's fact must be qualified first; see Teller.Qualify.
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
	case CheckRan:
		return f.key()
	case Audited:
		if f.Key != "" {
			return "audit/" + f.Kind + "/" + f.Key
		}
	}
	return ""
}

// HUDKey returns the ledger key of an activity fact that is recorded only once, or whose result is
// stored next to the ledger.
func HUDKey(uuid string) string { return "hud/" + uuid }

// HUDResultPath returns the HTTP path of an activity fact's whole result.
func HUDResultPath(uuid string) string { return "/v1/hud/" + uuid + "/result" }

func (PlanReady) FactName() string    { return "plan_ready" }
func (RunBegan) FactName() string     { return "run_began" }
func (RunProgress) FactName() string  { return "run_progress" }
func (RunAsked) FactName() string     { return "run_asked" }
func (RunDelivered) FactName() string { return "run_delivered" }
func (RunBroke) FactName() string     { return "run_broke" }
func (ChatSaid) FactName() string     { return "chat_said" }
func (HUDSeen) FactName() string      { return "hud_seen" }
func (AgentSeen) FactName() string    { return "agent_seen" }
func (AgentGone) FactName() string    { return "agent_gone" }
func (StatusSeen) FactName() string   { return "status_seen" }
func (AskSeen) FactName() string      { return "ask_seen" }
func (AskWithdrawn) FactName() string { return "ask_withdrawn" }
func (UISeen) FactName() string       { return "ui_seen" }
func (UsageSeen) FactName() string    { return "usage_seen" }
func (Audited) FactName() string      { return "audited" }
func (NodeUp) FactName() string       { return "node_up" }
func (NodeDown) FactName() string     { return "node_down" }
