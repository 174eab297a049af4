package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
	"github.com/charmbracelet/x/ansi"
)

// cardEdge is the width of a card's frame.
const cardEdge = 4

func (s *needsScreen) draw(w, h int) block {
	a := s.app
	var b block
	open := s.current()
	s.height = h
	if wide(w) && open != nil {
		return s.drawWide(open, w, h)
	}
	cards := s.cards()
	for i, card := range cards {
		s.drawHead(&b, cards, i, w)
		if holds(open[0].Ref)(card) {
			b.put(s.drawCard(card, w))
			continue
		}
		b.button(split(" "+a.cardLine(card, w-14), a.look.soft.Render(model.Ago(a.office.Now()-card[0].Since)+" "), w), func() tea.Cmd { a.goNeed(card[0].Ref); return nil })
	}
	switch {
	case open == nil && s.filter.text != "":
		b.add("", a.look.soft.Render(" Nothing here matches the filter."))
	case open == nil:
		b.add("", a.look.soft.Render(" "+contracts.SayNothingNeedsYou))
		if _, guests := a.office.Rows().People(); len(guests) == 0 {
			b.button(" "+a.look.key.Render("H")+a.look.soft.Render(" connects your own agents, such as Claude Code sessions"), a.openConnect)
		}
	}
	s.drawSent(&b, w)
	s.top = max(0, min(s.top, len(b.lines)-h))
	return b.from(s.top)
}

// drawSent draws the needs that have been answered but not yet removed by the office.
func (s *needsScreen) drawSent(b *block, w int) {
	a := s.app
	for _, n := range a.office.Rows().Needs() {
		if a.sent[n.Ref] {
			b.add(split(" "+a.needLine(n, w-14), a.look.soft.Render(a.sentWords(n.Ref)+" "), w))
		}
	}
}

// drawWide draws the list of cards, and the open card next to it.
func (s *needsScreen) drawWide(open []model.Need, w, h int) block {
	a := s.app
	side := w * 3 / 5
	var list block
	cards := s.cards()
	for i, card := range cards {
		s.drawHead(&list, cards, i, w-side)
		line := split(" "+a.cardLine(card, w-side-14), a.look.soft.Render(model.Ago(a.office.Now()-card[0].Since)+" "), w-side)
		if holds(open[0].Ref)(card) {
			line = a.look.picked.Render(pad("›"+cutLeft(ansi.Strip(line)), w-side))
		}
		list.button(line, func() tea.Cmd { a.goNeed(card[0].Ref); return nil })
	}
	s.drawSent(&list, w-side)
	card := s.drawCard(open, side-2)
	s.top = max(0, min(s.top, len(card.lines)-h))
	return a.splitView(list, card.from(s.top), w-side, h)
}

// cardLine draws a closed card on one line.
func (a *app) cardLine(card []model.Need, w int) string {
	if len(card) == 1 {
		return a.needLine(card[0], w)
	}
	return a.look.need.Render(needSigns[card[0].Kind]+" ") + clip(sameWords(card)+": "+model.Line(card[0].Title), w-2)
}

// sameWords describes how many agents ask the same question, or how many times one agent asks
// it.
func sameWords(card []model.Need) string {
	who := map[string]bool{}
	for _, n := range card {
		who[n.AgentID] = true
	}
	if len(who) == 1 {
		return fmt.Sprintf(contracts.SayAskedTimes, len(card))
	}
	return fmt.Sprintf(contracts.SaySameQuestion, len(who))
}

// disabled reports whether the card's answers are currently disabled.
func (s *needsScreen) disabled(card []model.Need) bool {
	d := s.app.office.Rows().Decision(card[0].Ref)
	return !s.armed() || d != nil && d.Permission != nil && s.permitReason(d) != ""
}

// drawCard draws the open card, with a frame on the left.
func (s *needsScreen) drawCard(card []model.Need, w int) block {
	a := s.app
	n := &card[0]
	var in block
	switch d := a.office.Rows().Decision(n.Ref); {
	case n.Kind == model.NeedReview:
		s.drawReview(&in, n, w-cardEdge)
	case n.Kind == model.NeedPlan:
		s.drawPlan(&in, n, w-cardEdge)
	case n.Kind == model.NeedElsewhere:
		s.drawElsewhere(&in, n, w-cardEdge)
	case d != nil && d.Session != nil:
		s.drawUnchecked(&in, n, d.Session, w-cardEdge)
	case d != nil && n.Kind == model.NeedPermission:
		s.drawPermission(&in, n, d, w-cardEdge)
	case d != nil:
		s.drawQuestion(&in, n, d, w-cardEdge)
	}
	if len(card) > 1 {
		s.drawSame(&in, card, w-cardEdge)
	}
	in.add("")
	disabled := s.disabled(card)
	for _, o := range s.options(card) {
		label := clip(model.Line(o.label), w-16)
		row := " " + a.look.key.Render(pad(o.hint, keyWidth)) + label
		if disabled && o.hint != "Enter" {
			row = a.look.soft.Render(" " + pad("", keyWidth) + label)
		}
		in.button(row, func() tea.Cmd { return s.choose(o) })
	}
	for _, one := range card {
		in.add(painted(a.look.bad, wrapped(a.refused[one.Ref], w-6, 3))...)
	}
	out := block{zones: moved(in.zones, 3, 0)}
	edge := a.look.need.Render(" ┃ ")
	for _, line := range in.lines {
		out.add(edge + line)
	}
	out.add("")
	return out
}

// keyWidth is the width of the key column on a card.
const keyWidth = 6

// drawSame shows how many agents are waiting for the same answer, and their names.
func (s *needsScreen) drawSame(b *block, card []model.Need, w int) {
	rows := s.app.office.Rows()
	var names []string
	for _, n := range card {
		if name := rows.NeedAgent(n); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	b.add(s.app.look.need.Render(sameWords(card)))
	b.add(painted(s.app.look.soft, wrapped(model.Line(strings.Join(names, ", ")), w, 2))...)
}

// drawPlan draws a plan whose tasks are waiting to be started.
func (s *needsScreen) drawPlan(b *block, n *model.Need, w int) {
	a := s.app
	rows := a.office.Rows()
	s.drawHeadOf(b, n, contracts.SayHasPlan, w)
	b.add(a.look.strong.Render(clip(model.Line(n.Title), w)))
	p := rows.Project(n.Ref)
	if p == nil {
		return
	}
	const most = 6
	tasks := rows.Unstarted(p)
	for _, t := range tasks[:min(len(tasks), most)] {
		b.add(clip("  · "+model.Line(t.Title), w))
	}
	if more := len(tasks) - most; more > 0 {
		b.add(a.look.soft.Render("    " + contracts.SayMoreTasks.Of(more)))
	}
}

// drawElsewhere draws an agent that is waiting for an answer given outside the office, and shows
// where to give it.
func (s *needsScreen) drawElsewhere(b *block, n *model.Need, w int) {
	a := s.app
	s.drawHeadOf(b, n, contracts.SayIsWaiting, w)
	b.add(wrapped(n.Title, w, 4)...)
	if p := a.office.Rows().Agent(n.AgentID); p != nil {
		b.add(a.look.strong.Render(clip(model.AnswerPlaceWords(p), w)))
	}
}

// drawUnchecked draws a session that ended without a passing check of its last code edit.
func (s *needsScreen) drawUnchecked(b *block, n *model.Need, ended *contracts.EndedSession, w int) {
	a := s.app
	s.drawHeadOf(b, n, contracts.SayEndedUnchecked, w)
	if place := ended.Agent.Place; place != "" {
		b.add(a.look.soft.Render(clip(model.Line(place), w)))
	}
	b.add(wrapped(model.CheckedWords(&ended.Checked, a.local()), w, 6)...)
}

// drawHeadOf shows the waiting agent, the reason, how long it has waited, and how much
// time is left.
func (s *needsScreen) drawHeadOf(b *block, n *model.Need, verb string, w int) {
	a := s.app
	who := contracts.SayScript
	if n.AgentID != "" {
		who = a.office.Rows().NeedAgent(*n)
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
	if d.Header != "" {
		b.add(a.look.need.Render(clip(model.Line(d.Header), w)))
	}
	b.add(wrapped(d.Prompt, w, 10)...)
	if p := d.Permission; p != nil && placeWords(p) != "" {
		b.add(a.look.soft.Render(clip(placeWords(p), w)))
	}
	if p := d.Permission; p != nil && s.permitReason(d) != "" {
		b.add(painted(a.look.bad, wrapped(s.permitReason(d), w, 2))...)
	}
	if t := a.office.Rows().Task(d.TaskID); t != nil {
		b.add(a.look.soft.Render(clip(contracts.SayThingTask+": "+joinNonEmpty(" · ", model.Line(t.Title), model.Line(a.office.Rows().NeedProject(*n))), w)))
	}
	if note := strings.TrimSpace(a.drafts["note "+d.DecisionID]); note != "" {
		b.add(a.look.info.Render(clip("With your note: "+model.Line(note), w)))
	}
}

func (s *needsScreen) drawReview(b *block, n *model.Need, w int) {
	a := s.app
	s.drawHeadOf(b, n, contracts.SayAsksForReview, w)
	if art := a.office.Rows().Artifact(n.Ref); art != nil {
		b.add(clip(a.look.strong.Render(model.Line(n.Title))+a.look.soft.Render("  v"+itoa(art.Version))+a.rehearsalTag(art.Rehearsal), w))
		if t := a.office.Rows().Task(art.TaskID); t != nil && t.Verdict != "" {
			badge, style := a.look.verdictBadge(t.Verdict)
			b.add(clip(style.Render(badge)+a.look.soft.Render("  "+contracts.VerdictNotes[t.Verdict]), w))
		}
	}
	if p := a.office.Rows().NeedProject(*n); p != "" {
		b.add(a.look.soft.Render(clip(contracts.SayThingProject+": "+model.Line(p), w)))
	}
}
