package agents

import (
	"cmp"
	"strings"
)

// Works is a row of the table in the README: what the office can do with a vendor's agents. A cell
// describes how it is done; an empty cell means that the office cannot do it, or that the vendor
// does not report it.
type Works struct {
	Agents  string // default: the adapter's label
	Page    string // page about the agents, in docs/guide
	Watch   string // watching sessions that people run
	Drive   string // running agents as members of the crew
	Approve string // answering permission requests in the office
	Cost    string
	Tested  string // version of the real program in the end-to-end tests, or how else it is tested
}

// WorksTable returns a Markdown table with a row for each adapter that has Works. Adapters whose
// sessions can be watched come first. Links start with prefix.
func WorksTable(list []Adapter, prefix string) string {
	var b strings.Builder
	b.WriteString("| agent | watch | drive | approve | cost | tested with |\n|---|---|---|---|---|---|\n")
	for _, watched := range []bool{true, false} {
		for _, a := range list {
			w := a.Works
			if w == nil || (w.Watch != "") != watched {
				continue
			}
			b.WriteString("| [" + cmp.Or(w.Agents, a.Label) + "](" + prefix + w.Page + ")")
			for _, cell := range []string{w.Watch, w.Drive, w.Approve, w.Cost, w.Tested} {
				b.WriteString(" | " + cmp.Or(cell, "–"))
			}
			b.WriteString(" |\n")
		}
	}
	return b.String()
}
