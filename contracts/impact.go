package contracts

// ImpactKind is the effect of a finished tool call or turn on the state of an agent's work.
type ImpactKind string

// The kinds of impact. A tool call that has no impact, such as one that reads a file, has no kind.
const (
	ImpactEdit    ImpactKind = "edit"    // the call changed a file
	ImpactCheck   ImpactKind = "check"   // the call ran a command that looks like a check
	ImpactCommand ImpactKind = "command" // the call ran a command that may have changed files
	ImpactDone    ImpactKind = "done"    // the agent ended its turn itself, which means that it considers its work done
)

// CheckOutcome is the outcome of a command that looks like a check.
type CheckOutcome string

// The outcomes of a check. An outcome is unknown if the exit code is missing, or if it may belong to
// another command on the same line.
const (
	OutcomePassed  CheckOutcome = "passed"
	OutcomeFailed  CheckOutcome = "failed"
	OutcomeUnknown CheckOutcome = "unknown"
)

// Impact is the effect of a finished tool call or turn on the state of an agent's work. The
// director derives the impact when it records the end of the call or turn, and ignores impacts that
// reporters send.
type Impact struct {
	Kind     ImpactKind   `json:"kind"`
	At       int64        `json:"at"`                 // when the call or turn ended
	Since    int64        `json:"since,omitzero"`     // checks only: when the call started
	What     string       `json:"what,omitzero"`      // the file or the command, shortened; empty if unknown
	Prose    bool         `json:"prose,omitzero"`     // edits only: the edit changed only prose, such as Markdown, which checks rarely cover
	Outcome  CheckOutcome `json:"outcome,omitzero"`   // checks only
	ExitCode *int         `json:"exit_code,omitzero"` // checks only; nil if it is unknown or may belong to another command
	AgentID  string       `json:"agent_id,omitzero"`  // in snapshots: the sub-agent that made the call; empty for the agent itself
}

// EditsState describes whether an agent's edits were checked.
type EditsState string

// The states of an agent's edits.
const (
	EditsChecked   EditsState = "checked"   // a check passed after the last edit
	EditsStale     EditsState = "stale"     // an edit was made after the last check, or while it was running
	EditsFailed    EditsState = "failed"    // the last check ran after the last edit and failed
	EditsUnchecked EditsState = "unchecked" // no check ran
	EditsUnknown   EditsState = "unknown"   // the outcome of the last check, or the effect of a later command, is unknown
)

// Checked describes whether an agent's edits were checked, according to its recorded tool calls. It
// reports observations and proves nothing: the files themselves were not examined.
type Checked struct {
	State   EditsState `json:"state"`
	DoneAt  int64      `json:"done_at,omitzero"` // when the agent last reported that it was done; 0 if it has made an edit since
	Edit    Impact     `json:"edit"`             // the last edit
	Check   *Impact    `json:"check,omitzero"`   // the last check
	Command *Impact    `json:"command,omitzero"` // set only if a command after a passed check makes the state unknown
}

// Unproven reports whether the edits lack a passing check: no check ran, the last check failed, or
// an edit was made during or after the last check.
func (s EditsState) Unproven() bool {
	return s == EditsStale || s == EditsFailed || s == EditsUnchecked
}

// EndedSession is a guest's session that ended without a passing check of its last code edit.
type EndedSession struct {
	Agent   AgentProfile `json:"agent"`   // the guest, which leaves the office soon after
	Checked Checked      `json:"checked"` // Checked.Edit is the last code edit
}
