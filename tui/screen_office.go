package tui

import (
	"cmp"
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

// officeScreen shows the room from above with the people in it, and next to it the agents, the
// needs and the project.
type officeScreen struct {
	app  *app
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
	return []hint{{"1–9", "choose"}, {"Enter", "open"}, {"F", "follow"}}
}

func (s *officeScreen) scroll(by int) { s.app.choose(by) }

func (s *officeScreen) key(k string) (tea.Cmd, bool) {
	if k == "up" || k == "down" || k == "j" || k == "k" {
		s.app.choose(step(k, 1))
		return nil, true
	}
	return nil, false
}

// choose selects the next agent on the roll, or the previous one if by is negative.
func (a *app) choose(by int) {
	list := a.office.Rows().Roll()
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
	side := max(sideWidth, min(sideWidthMax, w/3))
	left := s.drawFloor(w-side-2, h-1)
	side = w - lipgloss.Width(left.lines[0]) - 2
	out := sideBySide(left, s.drawSide(side, h-1), w-side-2, "  ").fit(w, h-1)
	out.add(s.drawFocus(w))
	return out
}

// drawFloor draws the room with everyone at their current position.
func (s *officeScreen) drawFloor(w, h int) block {
	a := s.app
	scene := a.office.Scene
	w, h = floorSize(scene.Room, w, h)
	f := s.furnished(scene, w, h)
	var b block
	for _, p := range a.office.Rows().Players {
		x, y := f.at(p.Pos)
		f.set(x, y, "☻", &a.look.title)
	}
	for _, m := range f.marks(s.figures(f), func(x, y int) string { return f.place(scene, x, y) }) {
		b.zones = append(b.zones, zone{m.x + 1, m.y + 1, len(m.text), 1, func() tea.Cmd { return a.pickOf(m.members) }})
	}
	for _, p := range a.office.Rows().Players {
		name := p.Name
		if p.PlayerID == a.office.Me {
			name = contracts.SayYou
		}
		f.person(p.Pos, "☻", model.Line(name), &a.look.title)
	}
	wall := s.notes(f, scene)
	b.lines = f.lines(wall)
	return b
}

// figures returns the agents that are here, at their current positions: the selected and the
// followed agent first, then agents that need you.
func (s *officeScreen) figures(f *floor) []figure {
	a := s.app
	list := make([]figure, 0, len(a.allAgents()))
	for _, p := range a.allAgents() {
		if model.Away(&p) {
			continue
		}
		at := a.office.Where(&p)
		x, y := f.at(at.Pos)
		sign, style := s.sign(&p, at)
		chosen := p.AgentID == a.selected || p.AgentID == a.follow
		list = append(list, figure{id: p.AgentID, name: model.Line(p.Name), x: x, y: y, sign: sign, style: style, alone: chosen || sign == "!"})
	}
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

// pickOf calls pick for a single figure, or selects the next member of a crowd.
func (a *app) pickOf(members []figure) tea.Cmd {
	if len(members) == 1 {
		return a.pick(members[0].id)
	}
	at := slices.IndexFunc(members, func(p figure) bool { return p.id == a.selected })
	a.selected = members[(at+1)%len(members)].id
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

// sign returns an agent's sign and style. The sign shows the status, or the direction while the
// agent walks.
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

// placeNames maps a type of place to the name written on the floor.
var placeNames = map[contracts.POIType]string{
	contracts.POIMeetingTable: "Meeting", contracts.POILounge: "Lounge", contracts.POICoffeeBar: "Coffee", contracts.POIInbox: "Reception",
}

// crowdNames maps a type of place to its name next to crowds and in the roll.
var crowdNames = map[contracts.POIType]string{
	contracts.POIMeetingTable: "meeting", contracts.POILounge: "lounge", contracts.POICoffeeBar: "coffee", contracts.POIInbox: "reception",
	contracts.POIBeanbags: "beanbags", contracts.POIDevDesk: "desks", contracts.POIResearchDesk: "desks", contracts.POIDesignDesk: "desks",
	contracts.POIWritingDesk: "desks", contracts.POIDirectorDesk: "desk", contracts.POITaskBoard: "board", contracts.POIDeliveryShelf: "shelf", contracts.POITrophyShelf: "shelf",
}

// placeReach is the distance in columns below which a crowd counts as being at a place.
const placeReach = 24

// place returns the name of the place nearest to a point on the floor, or "" if no place is near.
func (f *floor) place(scene *contracts.SceneManifest, x, y int) string {
	best, near := "", placeReach
	for _, p := range scene.POIs {
		for _, n := range p.NavAnchors {
			px, py := f.at(n.Pos)
			if d := abs(px-x) + 2*abs(py-y); d < near {
				best, near = crowdNames[p.Type], d
			}
		}
	}
	return best
}

// notes writes the names of places on the floor, and returns the signs of the back wall.
func (s *officeScreen) notes(f *floor, scene *contracts.SceneManifest) (wall []sign) {
	l := &s.app.look
	trophies, reviews := len(s.app.office.Rows().Decor), s.reviews()
	for _, p := range scene.POIs {
		if name := placeNames[p.Type]; name != "" {
			f.note(p.UIAnchor, name)
			continue
		}
		text, things := "", 0
		switch p.Type {
		case contracts.POITaskBoard:
			text = l.soft.Render(" Board")
		case contracts.POITrophyShelf:
			things = min(8, trophies)
			text = l.soft.Render(" Trophies ") + l.need.Render(strings.Repeat("★", things))
		case contracts.POIDeliveryShelf:
			things = min(6, reviews)
			text = l.soft.Render(" Deliveries ") + l.need.Render(strings.Repeat("■", things))
		default:
			continue
		}
		x, _ := f.at(p.UIAnchor)
		wall = append(wall, sign{x, text + " ", things})
	}
	return wall
}

func (s *officeScreen) reviews() (n int) {
	for _, r := range s.app.office.Rows().Artifacts {
		if r.Status == contracts.ArtifactInReview || r.Status == contracts.ArtifactDelivered {
			n++
		}
	}
	return n
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
	line := " " + style.Render(sign+" ") + a.look.strong.Render(model.Line(p.Name)) + " " + model.Doing(p)
	if a.follow == id {
		line = a.look.info.Render(" Following") + line
	}
	said := saysOf(p)
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
