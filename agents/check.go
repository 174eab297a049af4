package agents

import (
	"fmt"

	"github.com/bullpen-office/bullpen/staff"
)

// Finding is one line of `bullpen doctor`: what was checked, what was seen, and what to
// do when that is not right.
type Finding struct {
	Check string `json:"check"`
	OK    bool   `json:"ok"`
	Saw   string `json:"saw"`
	Do    string `json:"do,omitzero"`
}

// Fine is a finding without a problem.
func Fine(check, format string, args ...any) Finding {
	return Finding{Check: check, OK: true, Saw: fmt.Sprintf(format, args...)}
}

// Wrong is a problem, and what to do about it.
func Wrong(check, do, format string, args ...any) Finding {
	return Finding{Check: check, Saw: fmt.Sprintf(format, args...), Do: do}
}

// Checking is one runner of a vendor, as it is configured on this machine.
type Checking struct {
	Name     string // of the runner
	Runner   staff.Runner
	Probe    bool     // endpoints may be asked: a question can be counted, or cost something
	Withheld []string // variables of the environment that its program does not get

	Getenv   func(string) string
	ReadFile staff.ReadFile
}
