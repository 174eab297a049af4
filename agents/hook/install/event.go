package install

// Program is a vendor's program that runs hooks.
type Program struct {
	Name      string  // the vendor's name in `bullpen hook NAME`
	Events    []Event // the events that need a hook, in order
	Oldest    Version // the oldest supported version, whose events are installed if the version is unknown
	HTTPSince Version // the first version that sends hooks over HTTP; zero means that no version does
	// Milliseconds means that timeouts in the settings are in milliseconds, not seconds.
	Milliseconds bool
	// Flat means that an event's list contains the hooks themselves, without groups or types.
	Flat bool
	// Fresh is the content of a new settings file; default {}.
	Fresh string
}

// Event describes an event for which a program runs hooks.
type Event struct {
	Name  string
	Since Version // the first version that supports the event; zero means that all versions do
	// CommandOnly means that the program never sends this event over HTTP.
	CommandOnly bool
	Timeout     int // seconds after which the program continues without the hook's answer
}

// Hook timeouts, in seconds.
const (
	HookTimeout       = 10
	PermissionTimeout = 600 // long, because a person has to answer
)

// EventsOf returns the events that a version supports. For an unknown version, it returns the
// events of the oldest supported version.
func (p *Program) EventsOf(v Version) []Event {
	if !v.Known() {
		v = p.Oldest
	}
	var list []Event
	for _, e := range p.Events {
		if !e.Since.Known() || v.AtLeast(e.Since) {
			list = append(list, e)
		}
	}
	return list
}

// second returns the length of one second in the settings' time unit.
func (p *Program) second() int {
	if p.Milliseconds {
		return 1000
	}
	return 1
}

// sendsHTTP reports whether a version sends hooks over HTTP.
func (p *Program) sendsHTTP(v Version) bool { return p.HTTPSince.Known() && v.AtLeast(p.HTTPSince) }

// mark returns the part of a hook command that identifies it as ours.
func (p *Program) mark() string { return " hook " + p.Name }
