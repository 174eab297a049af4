package main

import (
	"fmt"

	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/outpost"
)

// outpostReport is the JSON output of `bullpen status` in the data directory of an outpost.
type outpostReport struct {
	URL     string         `json:"url"` // the outpost's address for hooks
	Outpost outpost.Health `json:"outpost"`
}

// printOutpost prints the status of an outpost. If the outpost is not connected, the exit code is
// exitProblems.
func (r statusReport) printOutpost(v *verb) error {
	lines := "outpost   " + joinedWords(*r.outpost)
	for _, line := range r.hooks {
		lines += "\nhooks     " + line
	}
	err := v.print(outpostReport{r.URL, *r.outpost}, lines)
	if err == nil && !r.outpost.Connected {
		return &exitError{code: exitProblems}
	}
	return err
}

// joinedWords describes an outpost's connection to its office.
func joinedWords(h outpost.Health) string {
	line := fmt.Sprintf("%s of the office at %s: ", h.Name, h.Office)
	if h.Connected {
		return printable(line + "connected")
	}
	line += "NOT connected: " + h.Problem
	if h.Spooled > 0 {
		line += fmt.Sprintf("; %s (%s) waiting to be sent", model.Counted(h.Spooled, "report", "reports"), size(h.Bytes))
	}
	return printable(line)
}
