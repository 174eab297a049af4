package tui

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

func itoa(n int) string { return strconv.Itoa(n) }

// The widths of the name and status columns.
const (
	nameWidth  = 12
	doingWidth = 17
)

// peopleScreen lists all agents with their status, their task and the reason for the status.
type peopleScreen struct {
	app    *app
	list   list
	filter finder
	detail personScreen   // page of the selected agent; used only in a wide terminal
	ended  map[string]int // number of ended sessions that a row represents, by agent
}

func newPeople(a *app) *peopleScreen {
	s := &peopleScreen{app: a, detail: personScreen{app: a}}
	s.filter.changed = func() { // select a visible agent
		rows := s.rows()
		if len(rows) > 0 && !slices.ContainsFunc(rows, func(p contracts.Agent) bool { return p.AgentID == a.selected }) {
			a.selected = rows[0].AgentID
		}
	}
	return s
}

func (s *peopleScreen) finder() *finder { return &s.filter }

func (s *peopleScreen) found() string { return foundOf(len(s.rows()), len(s.app.allAgents())) }

func (s *peopleScreen) hints() []hint {
	list := []hint{{"↑↓", "choose"}, {"Enter", "open"}, {"F", "follow"}, {"/", "filter"}}
	if wide(s.app.w) {
		list = append(list, hint{"E", "explain"}, hint{"M", "message"}, hint{"^D ^U", "scroll the details"})
	}
	return list
}

// showDetail sets the agent whose details are shown next to the list.
func (s *peopleScreen) showDetail(id string) {
	if s.detail.id != id {
		s.detail = personScreen{app: s.app, id: id}
	}
}

// rows returns the rows that match the filter: the crew, then the guests, with sub-agents below
// their parents. On a campus, the agents in the house come first, then the agents in each studio.
// Without a filter, all ended sessions in a folder share one row.
func (s *peopleScreen) rows() []contracts.Agent {
	crew, guests := s.app.office.Rows().People()
	s.ended = nil
	if s.filter.text == "" {
		guests, s.ended = model.MergeEnded(guests)
	}
	rows := append(crew, guests...)
	studios := s.app.studios()
	slices.SortStableFunc(rows, func(p, q contracts.Agent) int { return cmp.Compare(studios.of(p.RoomID), studios.of(q.RoomID)) })
	return filtered(&s.filter, rows, func(p *contracts.Agent) string {
		return strings.Join([]string{p.Name, model.Doing(p), s.app.office.Rows().OriginWords(p), studios.label(p.RoomID), s.app.lineOf(p), s.app.whyOf(p)}, " ")
	})
}

// groups returns the group of each row, and the headings of the groups. Each studio is a group; if
// there are no studios, the guests are the only group.
func (s *peopleScreen) groups(rows []contracts.Agent) (groups []int, heads []string) {
	studios := s.app.studios()
	for i := range studios {
		heads = append(heads, s.app.studioHead(&studios[i]))
	}
	guests := 0
	for i := range rows {
		group := noGroup
		switch {
		case len(studios) > 0:
			group = studios.of(rows[i].RoomID)
		case rows[i].Source != "":
			guests++
			group = 0
		}
		groups = append(groups, group)
	}
	if len(studios) == 0 {
		heads = []string{s.app.look.soft.Render(" Guests · " + itoa(guests))}
	}
	return groups, heads
}

func (s *peopleScreen) sync(rows []contracts.Agent) {
	if at := slices.IndexFunc(rows, func(p contracts.Agent) bool { return p.AgentID == s.app.selected }); at >= 0 {
		s.list.at = at
	}
}

func (s *peopleScreen) scroll(by int) { s.move(by) }

func (s *peopleScreen) move(by int) {
	rows := s.rows()
	if len(rows) == 0 {
		return
	}
	if s.app.selected != "" {
		s.sync(rows)
		s.list.move(by, len(rows))
	}
	s.app.selected = rows[max(0, min(s.list.at, len(rows)-1))].AgentID
}

func (s *peopleScreen) key(k string) (tea.Cmd, bool) {
	if by := step(k, 10); by != 0 {
		s.move(by)
		return nil, true
	}
	if wide(s.app.w) && s.app.selected != "" {
		s.showDetail(s.app.selected)
		switch k {
		case "ctrl+d", "ctrl+u":
			s.detail.scroll(halfPage(k, s.app.h))
			return nil, true
		case "e", "E", "m", "M":
			return s.detail.key(k)
		}
	}
	return nil, false
}

// statusLineOf returns an agent's own status line, or "" if it adds no information. The status line
// of a waiting crew member is outdated, so it adds none.
func statusLineOf(p *contracts.Agent) string {
	waits := p.Source == "" && (p.NeedsYou || p.State == contracts.StateWaiting)
	if waits || p.StatusLine == model.StateWords(p.State) {
		return ""
	}
	return p.StatusLine
}

// lineOf returns an agent's status line. Without one, it returns the title of the agent's task, or "".
func (a *app) lineOf(p *contracts.Agent) string {
	if said := statusLineOf(p); said != "" {
		return said
	}
	if t := a.office.Rows().Task(p.TaskID); t != nil {
		return t.Title
	}
	return ""
}

func (s *peopleScreen) draw(w, h int) block {
	if !wide(w) {
		return s.drawList(w, h)
	}
	a := s.app
	side := w / 2
	detail := block{lines: []string{"", a.look.soft.Render(" Select someone with ↑ ↓ to see their details here.")}}
	if a.office.Rows().Agent(a.selected) != nil {
		s.showDetail(a.selected)
		detail = s.detail.draw(side-2, h)
	}
	return a.splitView(s.drawList(w-side, h), detail, w-side, h)
}

func (s *peopleScreen) drawList(w, h int) block {
	a := s.app
	rows := s.rows()
	s.sync(rows)
	var b block
	if len(rows) == 0 {
		words := " " + contracts.SayNoOneHere
		if s.filter.text != "" {
			words = " Nobody matches the filter."
		}
		b.add("", a.look.soft.Render(words))
		return b
	}
	line := max(18, (w-nameWidth-doingWidth-8)*45/100)
	b.add(a.look.soft.Render("   " + pad("Name", nameWidth) + " " + pad("State", doingWidth+2) + " " + pad("Working on", line) + " Why"))
	groups, heads := s.groups(rows)
	from, to := s.list.grouped(groups, h-1)
	for i := from; i < to; i++ {
		p := rows[i]
		if headed(groups, from, i) {
			b.add(clip(heads[groups[i]], w))
		}
		b.button(s.row(&p, w, line), func() tea.Cmd { return a.pick(p.AgentID) })
	}
	return b
}

func (s *peopleScreen) row(p *contracts.Agent, w, line int) string {
	a := s.app
	key := a.keyOf(p.AgentID)
	name := model.Line(p.Name)
	if p.ParentID != "" {
		name = "└ " + name
	}
	sign, style := a.look.doing(p)
	doing, on, why := pad(model.Doing(p), doingWidth), pad(model.Line(cmp.Or(model.EndedWords(s.ended[p.AgentID]), a.lineOf(p))), line), model.Line(a.whyOf(p))
	if p.AgentID == a.selected {
		return a.look.picked.Render(pad(key+"› "+pad(name, nameWidth)+" "+sign+" "+doing+" "+on+" "+why, w))
	}
	return clip(a.look.soft.Render(key)+"  "+a.look.strong.Render(pad(name, nameWidth))+" "+style.Render(sign+" "+doing)+" "+on+" "+a.look.soft.Render(why), w)
}

// whyOf returns the reason for an agent's status without the status itself.
func (a *app) whyOf(p *contracts.Agent) string {
	return model.Reason(a.office.WhyOf(p), model.StatusWords(p), "")
}

// joinNonEmpty joins the non-empty parts.
func joinNonEmpty(sep string, parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), sep)
}
