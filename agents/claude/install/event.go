package install

// Event is an event that Claude Code runs hooks for.
type Event struct {
	Name  string
	Since Version // first version that supports it, according to the changelog
	// CommandOnly means that Claude Code never sends this event over HTTP.
	CommandOnly bool
	Timeout     int // seconds after which Claude Code continues without the hook's answer
}

const (
	hookTimeout       = 10
	permissionTimeout = 600 // a person has to answer
)

// oldest is the oldest supported version.
var oldest = Version{1, 0, 85}

// Events lists the events to install, in order. PostToolUseFailure is not in the changelog, so its
// Since is the first version that ignores unknown events.
var Events = []Event{
	{Name: "SessionStart", Since: Version{1, 0, 62}, CommandOnly: true, Timeout: hookTimeout},
	{Name: "UserPromptSubmit", Since: Version{1, 0, 54}, Timeout: hookTimeout},
	{Name: "PreToolUse", Since: Version{1, 0, 38}, Timeout: hookTimeout},
	{Name: "PermissionRequest", Since: Version{2, 0, 45}, Timeout: permissionTimeout},
	{Name: "PermissionDenied", Since: Version{2, 1, 89}, Timeout: hookTimeout},
	{Name: "PostToolUse", Since: Version{1, 0, 38}, Timeout: hookTimeout},
	{Name: "PostToolUseFailure", Since: Version{2, 1, 101}, Timeout: hookTimeout},
	{Name: "Notification", Since: Version{1, 0, 38}, Timeout: hookTimeout},
	{Name: "SubagentStart", Since: Version{2, 0, 43}, Timeout: hookTimeout},
	{Name: "SubagentStop", Since: Version{1, 0, 41}, Timeout: hookTimeout},
	{Name: "Stop", Since: Version{1, 0, 38}, Timeout: hookTimeout},
	{Name: "StopFailure", Since: Version{2, 1, 78}, Timeout: hookTimeout},
	{Name: "PreCompact", Since: Version{1, 0, 48}, Timeout: hookTimeout},
	{Name: "PostCompact", Since: Version{2, 1, 76}, Timeout: hookTimeout},
	{Name: "SessionEnd", Since: Version{1, 0, 85}, Timeout: hookTimeout},
}

// EventsOf returns the events that a version supports; for an unknown version, the events of
// the oldest supported one.
func EventsOf(v Version) []Event {
	if !v.Known() {
		v = oldest
	}
	var list []Event
	for _, e := range Events {
		if v.AtLeast(e.Since) {
			list = append(list, e)
		}
	}
	return list
}
