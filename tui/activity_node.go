package tui

import (
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

// inlineRows is how many lines of a result are shown below its tool call.
const inlineRows = 24

// nodeLine draws a turn, tool call, thought or received message as one line.
func (a *app) nodeLine(n *model.Node, depth, w int, named, picked bool) string {
	sign, style := "✓", a.look.good
	switch n.State {
	case model.NodeRunning:
		sign, style = "●", a.look.work
	case model.NodeFailed:
		sign, style = "✗", a.look.bad
	}
	words := nodeWords(n)
	if named && n.AgentID != "" && n.Type != model.NodeThink {
		words = model.Line(a.office.Rows().Name(n.AgentID)) + " · " + words
	}
	right := ""
	switch {
	case n.State == model.NodeRunning:
		right = "…"
	case n.Type != model.NodeReceived && n.Ended:
		right = contracts.FormatDuration(n.DurationMS)
	}
	if n.State == model.NodeFailed {
		right = "failed  " + right
	}
	if n.Usage != nil {
		right = model.TurnWords(*n.Usage) + "  " + right
	}
	pre := " " + strings.Repeat("   ", depth)
	if depth > 0 {
		pre = "   └ "
	}
	kind := ""
	if n.Type == model.NodeReceived {
		kind = "hears "
	}
	if picked {
		return a.look.picked.Render(split("›"+pre[1:]+sign+" "+kind+words, right+" ", w))
	}
	return split(a.look.soft.Render(pre)+style.Render(sign)+" "+a.look.soft.Render(kind)+words, a.look.soft.Render(right+" "), w)
}

// nodeWords returns the start of a node's message in quotes. If there is no message, it returns the
// tool's name and the node's label, without the symbol at the start of the label.
func nodeWords(n *model.Node) string {
	if preview := n.Preview(); preview != "" {
		return "“" + model.Line(preview) + "”"
	}
	words := model.Line(model.Unsigned(n.Label))
	if n.Tool != "" && !strings.HasPrefix(words, n.Tool) {
		words = model.Line(n.Tool) + "  " + words
	}
	return words
}

// more returns the lines that show a node's result below the node. If there are too many, the last
// line shows the number of hidden lines and the key that shows all of them.
func (s *activityScreen) more(n *model.Node, w, depth int) []string {
	pad := strings.Repeat(" ", 4+3*depth)
	doc := s.nodeDoc(n)
	lines := doc.layout(&s.app.look, max(20, w-len(pad)-1), false, false, 0).lines
	if len(lines) > inlineRows+1 {
		more := model.Counted(len(lines)-inlineRows, "more line", "more lines")
		lines = append(lines[:inlineRows:inlineRows], s.app.look.need.Render(" … "+more+": W shows all"))
	}
	for i := range lines {
		lines[i] = pad + lines[i]
	}
	return lines
}
