package agents

import (
	"cmp"
	"strings"
)

// Support is a row of the table in the README: what the office can do with a vendor's agents. A cell
// describes how the office does what the column names; an empty cell means that the office cannot
// do it, or that the vendor does not report it.
type Support struct {
	Agents  string // default: the adapter's label
	Page    string // page about the agents, in docs/guide
	Watch   string // watching sessions that people run
	Drive   string // running agents as members of the crew
	Approve string // answering permission requests in the office
	Cost    string
	Tested  string // version of the real program in the end-to-end tests, or how else it is tested
}

// SupportTable returns a Markdown table with a row for each adapter that has Support. Adapters whose
// sessions can be watched come first. Links start with prefix.
func SupportTable(list []Adapter, prefix string) string {
	var b strings.Builder
	b.WriteString("| agent | watch | drive | approve | cost | tested with |\n|---|---|---|---|---|---|\n")
	for _, watched := range []bool{true, false} {
		for _, a := range list {
			s := a.Support
			if s == nil || (s.Watch != "") != watched {
				continue
			}
			b.WriteString("| [" + cmp.Or(s.Agents, a.Label) + "](" + prefix + s.Page + ")")
			for _, cell := range []string{s.Watch, s.Drive, s.Approve, s.Cost, s.Tested} {
				b.WriteString(" | " + cmp.Or(cell, "–"))
			}
			b.WriteString(" |\n")
		}
	}
	return b.String()
}
