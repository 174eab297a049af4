package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/tui/model"
)

// cardEdge is what the frame of a card takes of its width.
const cardEdge = 4

func (s *needsScreen) draw(w, h int) block {
	a := s.app
	n := s.current()
	s.height = h
	var b block
	if n == nil {
		words := " Nothing needs you. Enjoy the view."
		if s.filter.text != "" {
			words = " Nothing that needs you matches the filter."
		}
		b.add("", a.look.soft.Render(words))
		return b
	}
	if wide(w) {
		return s.drawWide(n, w, h)
	}
	for _, one := range s.needs() {
		if one.Ref == n.Ref {
			b.put(s.drawCard(n, w))
			continue
		}
		b.button(split(" "+a.needLine(one, w-14), a.look.soft.Render(model.Ago(a.office.Now()-one.Since)+" "), w), func() tea.Cmd { a.goNeed(one.Ref); return nil })
	}
	s.top = max(0, min(s.top, len(b.lines)-h))
	return b.from(s.top)
}

// drawWide is the list of needs, and next to it the open one.
func (s *needsScreen) drawWide(n *model.Need, w, h int) block {
	a := s.app
	side := w * 3 / 5
	var list block
	for _, one := range s.needs() {
		line := split(" "+a.needLine(one, w-side-14), a.look.soft.Render(model.Ago(a.office.Now()-one.Since)+" "), w-side)
		if one.Ref == n.Ref {
			line = a.look.picked.Render(pad("›"+cutLeft(stripped(line)), w-side))
		}
		list.button(line, func() tea.Cmd { a.goNeed(one.Ref); return nil })
	}
	card := s.drawCard(n, side-2)
	s.top = max(0, min(s.top, len(card.lines)-h))
	return a.parted(list, card.from(s.top), w-side, h)
}

// drawCard is the open need, framed at its left.
func (s *needsScreen) drawCard(n *model.Need, w int) block {
	a := s.app
	var in block
	switch d := a.office.Rows().Decision(n.Ref); {
	case n.Kind == model.NeedReview:
		s.drawReview(&in, n, w-cardEdge)
	case d != nil && n.Kind == model.NeedPermission:
		s.drawPermission(&in, n, d, w-cardEdge)
	case d != nil:
		s.drawQuestion(&in, n, d, w-cardEdge)
	}
	in.add("")
	d := a.office.Rows().Decision(n.Ref)
	off := !s.takes(n) || n.Kind == model.NeedPermission && d != nil && s.permitReason(d) != ""
	for i, o := range s.options(n) {
		label := clip(model.Line(o.label), w-16)
		row := "  " + label + a.look.soft.Render("  "+o.hint)
		if off {
			row = a.look.soft.Render("  " + label)
		} else if i == s.option {
			row = a.look.picked.Render("› "+label+" ") + a.look.soft.Render(" "+withEnter(o.hint))
		}
		in.button(row, func() tea.Cmd { s.option = i; return s.choose(n, o) })
	}
	if a.sent[n.Ref] {
		in.add(a.look.soft.Render("  Sending…"))
	}
	in.add(painted(a.look.bad, wrapped(s.refusal, w-6, 3))...)
	out := block{}
	edge := a.look.need.Render(" ┃ ")
	for _, line := range in.lines {
		out.add(edge + line)
	}
	for _, z := range in.zones {
		z.x += 3
		out.zones = append(out.zones, z)
	}
	out.add("")
	return out
}

// withEnter is the key of the chosen option; Enter takes it too.
func withEnter(key string) string {
	if key == "" || key == "Enter" {
		return "Enter"
	}
	return key + " or Enter"
}

// drawHeadOf says who waits, for what, since when.
func (s *needsScreen) drawHeadOf(b *block, n *model.Need, verb string, w int) {
	a := s.app
	who := "A script"
	if n.AgentID != "" {
		who = a.office.Rows().Name(n.AgentID)
	}
	right := model.Ago(a.office.Now() - n.Since)
	if n.Until != 0 {
		right = model.Left((n.Until-a.office.Now()+999)/1000) + " · " + right
	}
	if n.Since == 0 {
		right = ""
	}
	b.add(split(a.look.strong.Render(model.Line(who))+a.look.soft.Render(" "+verb), a.look.soft.Render(right), w))
}

func (s *needsScreen) drawQuestion(b *block, n *model.Need, d *contracts.Decision, w int) {
	a := s.app
	s.drawHeadOf(b, n, "asks", w)
	b.add(wrapped(d.Prompt, w, 10)...)
	if t := a.office.Rows().Task(d.TaskID); t != nil {
		b.add(a.look.soft.Render(clip("About "+model.Line(t.Title), w)))
	}
	if note := strings.TrimSpace(a.drafts["note "+d.DecisionID]); note != "" {
		b.add(a.look.info.Render(clip("With your note: "+model.Line(note), w)))
	}
}

func (s *needsScreen) drawReview(b *block, n *model.Need, w int) {
	a := s.app
	s.drawHeadOf(b, n, "asks for your review", w)
	if art := a.office.Rows().Artifact(n.Ref); art != nil {
		b.add(clip(a.look.strong.Render(model.Line(n.Title))+a.look.soft.Render("  v"+itoa(art.Version))+a.rehearsalTag(art.Rehearsal), w))
	}
}
