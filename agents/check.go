package agents

import (
	"fmt"
	"os/exec"
	"strings"

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

// limitWithheld is how many variables a finding names.
const limitWithheld = 8

// Program checks that the runner's program is there. command is its name where the
// configuration names none; do is how to get it.
func (c Checking) Program(command, do string) Finding {
	if c.Runner.Command != "" {
		command = c.Runner.Command
	}
	path, err := exec.LookPath(command)
	if err != nil {
		return Wrong("runner", do+", or name its path in runners."+c.Name+".command", "%s: %s is not installed or not in PATH", c.Name, command)
	}
	saw := fmt.Sprintf("%s: %s at %s", c.Name, c.Runner.Kind, path)
	if len(c.Withheld) > 0 {
		saw += "; it does not get " + strings.Join(c.Withheld[:min(len(c.Withheld), limitWithheld)], ", ")
		if more := len(c.Withheld) - limitWithheld; more > 0 {
			saw += fmt.Sprintf(" and %d more", more)
		}
		saw += " (runners." + c.Name + ".env gives what is named there)"
	}
	return Fine("runner", "%s", saw)
}
