package tui

import (
	"fmt"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/work"
	"github.com/bullpen-office/bullpen/model"
)

// A card that shows a call leaves cardRest lines of the screen for other content, but always has
// at least argRows lines for the call. Enter shows the whole call.
const (
	argRows  = 8
	cardRest = 12
)

// drawPermission draws a permission request: what the tool would do, where, and what "always"
// would cover.
func (s *needsScreen) drawPermission(b *block, n *model.Need, d *contracts.Decision, w int) {
	a := s.app
	s.drawHeadOf(b, n, contracts.SayWantsToUse, w)
	p := d.Permission
	if p == nil {
		p = &contracts.Permission{Tool: contracts.SayATool}
	}
	said := model.Unsigned(p.Label)
	if p.Label == "" {
		said = model.Unsigned(d.Prompt)
	}
	if v := work.Of(p.Tool, p.Args, nil); v.Kind == work.KindTerminal && v.Command == said {
		said = ""
	}
	b.add(clip(a.look.need.Render(model.Line(p.Tool))+"  "+model.Line(said), w))
	if place := placeWords(p); place != "" {
		b.add(a.look.soft.Render(clip(place, w)))
	}
	s.drawCall(b, d, p, w)
	if p.Grants != "" && slices.Contains(d.Options, contracts.OptionAlways) {
		b.add(painted(a.look.soft, wrapped(fmt.Sprintf(contracts.SayAlwaysCovers, p.Grants), w, 2))...)
	}
	if why := s.permitReason(d); why != "" {
		if !a.office.Permit && a.disabledReason() == "" && why[0] == 'L' {
			why += " Run `bullpen open` and answer in the browser that it opens; or start `bullpen tui` on the office's own machine, or with an operator's token in BULLPEN_TOKEN."
		}
		b.add(painted(a.look.bad, wrapped(why, w, 4))...)
	}
}

// drawCall draws as much of the call as fits on the card. A call that fits completely counts as
// read.
func (s *needsScreen) drawCall(b *block, d *contracts.Decision, p *contracts.Permission, w int) {
	doc := s.app.permissionDoc(p)
	lines := doc.lines(&s.app.look, w)
	if len(lines) <= max(argRows, s.height-cardRest)+1 {
		b.add(lines...)
		s.fullyShown = d.DecisionID
		return
	}
	rows := max(argRows, s.height-cardRest)
	b.add(lines[:rows]...)
	b.add(s.app.look.need.Render("  … " + model.Counted(len(lines)-rows, "more line", "more lines") + ": Enter shows all"))
}
