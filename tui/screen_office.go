package tui

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

const (
	sideWidth    = 34 // minimum width of the column next to the floor
	sideWidthMax = 44
	nameOnFloor  = 9
)

// officeScreen shows the room and its people from above, with the agents, the needs and the project
// next to it. On a campus, it shows one part and, above it, a strip for every part.
type officeScreen struct {
	app  *app
	seen string   // the agent that was selected when the map was last drawn
	room struct { // the furnished room is cached; people are drawn on a copy
		scene *contracts.SceneManifest
		look  look
		w, h  int
		floor *floor
	}
}

// furnished returns a new copy of the room without people, in w×h characters.
func (s *officeScreen) furnished(scene *contracts.SceneManifest, w, h int) *floor {
	r := &s.room
	if r.floor == nil || r.scene != scene || r.w != w || r.h != h || r.look.dark != s.app.look.dark || r.look.ascii != s.app.look.ascii {
		r.scene, r.w, r.h, r.look = scene, w, h, s.app.look
		r.floor = newFloor(scene, &r.look, w, h)
	}
	f := *r.floor
	f.cells = slices.Clone(f.cells)
	return &f
}

func (s *officeScreen) hints() []hint {
	if len(s.app.allAgents()) == 0 {
		return nil
	}
	list := []hint{{"1–9", "choose"}, {"Enter", "open"}, {"F", "follow"}}
	if s.app.onCampus() {
		list = append(list, hint{"[ ]", "studio"}, hint{"N", "needs you"})
	}
	return list
}

func (s *officeScreen) scroll(by int) { s.app.choose(by) }

func (s *officeScreen) key(k string) (tea.Cmd, bool) {
	switch k {
	case "up", "down", "j", "k":
		s.sync()
		s.app.choose(step(k, 1))
	case "[", "]":
		if !s.app.onCampus() {
			return nil, false
		}
		s.sync()
		s.app.switchPart(map[string]int{"[": -1, "]": 1}[k])
	case "n", "N":
		s.app.nextAsking()
	default:
		return nil, false
	}
	return nil, true
}

// choose selects the next agent, or the previous one if by is negative.
func (a *app) choose(by int) {
	list := a.roll()
	if len(list) == 0 {
		return
	}
	at := slices.IndexFunc(list, func(p contracts.Agent) bool { return p.AgentID == a.selected })
	sign := 1
	if by < 0 {
		sign = -1
	}
	if at < 0 && sign < 0 {
		at = 0
	}
	a.selected = list[(at+sign+len(list))%len(list)].AgentID
}

// allAgents returns the agents in the order of their keys: by arrival, as in the browser.
func (a *app) allAgents() []contracts.Agent { return a.office.Rows().Agents }

// keyOf returns the key that selects an agent, or a space if the agent has no key.
func (a *app) keyOf(id string) string {
	if i := slices.IndexFunc(a.allAgents(), func(p contracts.Agent) bool { return p.AgentID == id }); i >= 0 && i < 9 {
		return itoa(i + 1)
	}
	return " "
}

func (s *officeScreen) draw(w, h int) block {
	if s.app.office.Scene == nil {
		return block{lines: []string{"", s.app.look.soft.Render(" Loading the room…")}}
	}
	s.sync()
	out := s.app.drawStrips(w, max(stripsLeast, h/4))
	h -= len(out.lines) + 1
	side := max(sideWidth, min(sideWidthMax, w/3))
	left := s.drawFloor(w-side-2, h)
	side = w - lipgloss.Width(left.lines[0]) - 2
	out.put(sideBySide(left, s.drawSide(side, h), w-side-2, "  ").fit(w, h))
	out.add(s.drawFocus(w))
	return out
}

// drawFloor draws the selected part with everyone at their current position.
func (s *officeScreen) drawFloor(w, h int) block {
	a := s.app
	parts := a.office.Parts()
	part := &parts[a.shownPart(parts)]
	scene := part.Manifest
	w, h = floorSize(scene.Room, w, h)
	f := s.furnished(scene, w, h)
	var b block
	players := slices.DeleteFunc(slices.Clone(a.office.Rows().Players), func(p contracts.Player) bool { return parts[model.PartAt(parts, p.Pos)].ID != part.ID })
	for _, p := range players {
		x, y := f.at(part.Local(p.Pos))
		f.set(x, y, "☻", &a.look.title)
	}
	for _, m := range f.marks(s.figures(f, parts), func(x, y int) string { return f.place(scene, x, y) }) {
		b.zones = append(b.zones, zone{m.x + 1, m.y + 1, len(m.text), 1, func() tea.Cmd { return a.pickOf(&m) }})
	}
	for _, p := range players {
		name := p.Name
		if p.PlayerID == a.office.Me {
			name = contracts.SayYou
		}
		f.person(part.Local(p.Pos), "☻", model.Line(name), &a.look.title)
	}
	b.lines = f.lines(s.notes(f, part))
	return b
}

// figures returns the agents in the selected part, at their current positions: the selected and the
// followed agent first, then agents that need you. A sub-agent at an agent's seat is part of that
// agent's figure, unless the sub-agent is selected or followed, needs you, or is moving.
func (s *officeScreen) figures(f *floor, parts []model.Part) []figure {
	a := s.app
	shown := a.shownPart(parts)
	list, perched := make([]figure, 0, len(a.allAgents())), map[string][]figure{}
	for _, p := range a.allAgents() {
		if model.Away(&p) {
			continue
		}
		at := a.office.Where(&p)
		if model.PartAt(parts, at.Pos) != shown {
			continue
		}
		x, y := f.at(parts[shown].Local(at.Pos))
		sign, style := s.sign(&p, at)
		chosen := p.AgentID == a.selected || p.AgentID == a.follow
		one := figure{id: p.AgentID, name: model.Line(p.Name), x: x, y: y, sign: sign, style: style, alone: chosen || sign == "!"}
		if host := p.Goal.PerchOf; host != "" && !one.alone && !at.Moving {
			perched[host] = append(perched[host], one)
			continue
		}
		list = append(list, one)
	}
	list = seated(list, perched)
	rank := func(p figure) int {
		switch {
		case p.id == a.selected || p.id == a.follow:
			return 0
		case p.alone:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(list, func(p, q figure) int { return cmp.Compare(rank(p), rank(q)) })
	return list
}

// seated adds each sub-agent to the figure of its host; a sub-agent whose host is not in the list
// becomes a figure of its own.
func seated(list []figure, perched map[string][]figure) []figure {
	for i := range list {
		list[i].perched = perched[list[i].id]
		delete(perched, list[i].id)
	}
	for _, host := range slices.Sorted(maps.Keys(perched)) {
		list = append(list, perched[host]...)
	}
	return list
}

// pickOf calls pick for a mark's agent. If the mark is a crowd, it selects the next member.
func (a *app) pickOf(m *floorMark) tea.Cmd {
	if !m.crowd {
		return a.pick(m.members[0].id)
	}
	at := slices.IndexFunc(m.members, func(p figure) bool { return p.id == a.selected })
	a.selected = m.members[(at+1)%len(m.members)].id
	return nil
}

// pick selects an agent, or opens its page if it is selected already.
func (a *app) pick(id string) tea.Cmd {
	if a.selected == id {
		a.push(&personScreen{app: a, id: id})
	}
	a.selected = id
	return nil
}

// sign returns an agent's sign and style. The sign shows the status or, while the agent is walking,
// the direction.
func (s *officeScreen) sign(p *contracts.Agent, at model.Standing) (string, lipgloss.Style) {
	sign, style := s.app.look.doing(p)
	if at.Moving && !p.NeedsYou {
		switch x, z := at.Heading[0], at.Heading[2]; {
		case math.Abs(x) >= math.Abs(z) && x >= 0:
			sign = "►"
		case math.Abs(x) >= math.Abs(z):
			sign = "◄"
		case z >= 0:
			sign = "▼"
		default:
			sign = "▲"
		}
	}
	if p.AgentID == s.app.selected || p.AgentID == s.app.follow {
		style = style.Bold(true).Reverse(true)
	}
	return sign, style
}

// drawFocus draws one line about the selected or followed agent, below the floor.
func (s *officeScreen) drawFocus(w int) string {
	a := s.app
	id := a.selected
	if a.follow != "" {
		id = a.follow
	}
	p := a.office.Rows().Agent(id)
	if p == nil {
		return ""
	}
	sign, style := a.look.doing(p)
	line := " " + style.Render(sign+" ") + a.look.strong.Render(model.Line(p.Name)) + " " + model.Doing(p) + a.elsewhere(p)
	if a.follow == id {
		line = a.look.info.Render(" Following") + line
	}
	said := statusLineOf(p)
	if said == "" {
		said = a.whyOf(p)
	}
	if st := a.office.StreamOf(id); a.follow == id && st != nil && !st.Done {
		rows := strings.Fields(st.Text)
		said = strings.Join(rows[max(0, len(rows)-12):], " ")
	}
	if said != "" {
		line += a.look.soft.Render(" · " + model.Line(said))
	}
	return clip(line, w)
}
