package agents

import (
	"fmt"
	"os/exec"
	"strings"

	"github.com/bullpen-office/bullpen/staff"
)

// Finding is one line of `bullpen doctor`: what was checked, what was found, and what to
// do about a problem.
type Finding struct {
	Check string `json:"check"`
	OK    bool   `json:"ok"`
	Saw   string `json:"saw"`
	Do    string `json:"do,omitzero"`
}

// OK returns a finding that reports no problem.
func OK(check, format string, args ...any) Finding {
	return Finding{Check: check, OK: true, Saw: fmt.Sprintf(format, args...)}
}

// Problem returns a finding with a problem; do is the suggested fix.
func Problem(check, do, format string, args ...any) Finding {
	return Finding{Check: check, Saw: fmt.Sprintf(format, args...), Do: do}
}

// CheckConfig describes the runner to check and gives access to this machine's environment and files.
type CheckConfig struct {
	Name     string // the runner's name
	Runner   staff.Runner
	Probe    bool     // network probes are allowed; they may be billed
	Withheld []string // environment variables that are not passed to the runner's program

	Getenv   func(string) string
	ReadFile staff.ReadFile
}

// limitWithheld is the maximum number of withheld variables that a finding lists.
const limitWithheld = 8

// Program checks that the runner's program is installed. command is the program's default name; do
// is advice on how to install it.
func (c CheckConfig) Program(command, do string) Finding {
	if c.Runner.Command != "" {
		command = c.Runner.Command
	}
	path, err := exec.LookPath(command)
	if err != nil {
		return Problem("runner", do+", or set runners."+c.Name+".command to its path", "%s: %s is not installed or not in PATH", c.Name, command)
	}
	saw := fmt.Sprintf("%s: %s at %s", c.Name, c.Runner.Kind, path)
	if len(c.Withheld) > 0 {
		saw += "; withheld from its environment: " + strings.Join(c.Withheld[:min(len(c.Withheld), limitWithheld)], ", ")
		if more := len(c.Withheld) - limitWithheld; more > 0 {
			saw += fmt.Sprintf(" and %d more", more)
		}
		saw += " (list a variable in runners." + c.Name + ".env to pass it)"
	}
	return OK("runner", "%s", saw)
}
