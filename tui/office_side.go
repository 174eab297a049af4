package tui

import (
	"cmp"
	"fmt"
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
	needsListed    = 4   // needs listed next to the floor
	rollLeast      = 3   // lines of the roll that are always shown
	rollName       = 11  // width of the name column
	rollPlacesFrom = 12  // minimum height of the roll, in lines, for listing hidden agents by place
	placeMetres    = 3.0 // maximum distance at which an agent counts as being at a place
	rollTask       = 18  // cells needed next to the name and the state to show the task
)

// drawSide draws the column next to the floor: the agents, the needs and the project.
func (s *officeScreen) drawSide(w, h int) block {
	a := s.app
	var b block
	needs := s.drawNeeds(w)
	rest := s.drawProject(w)
	b.put(a.drawRoll(w, max(rollLeast, h-len(needs.lines)-len(rest.lines)-1)))
	b.put(needs)
	b.add("")
	b.put(rest)
	return b
}

// drawNeeds lists the first needs, most urgent first, and counts the rest.
func (s *officeScreen) drawNeeds(w int) block {
	a := s.app
	var b block
	list := a.office.Rows().Needs()
	if len(list) == 0 {
		return b
	}
	b.add("", a.look.need.Render(contracts.SayNeedsYou))
	shown := list[:min(len(list), needsListed)]
	if len(list) > needsListed {
		shown = list[:needsListed-1]
	}
	for _, n := range shown {
		b.button(a.needLine(n, w), func() tea.Cmd { a.goNeed(n.Ref); return nil })
	}
	if n := len(list) - len(shown); n > 0 {
		b.add(a.look.soft.Render(fmt.Sprintf("  and %d more", n)))
	}
	return b
}

// drawRoll lists the agents, one line each. If not all fit, the agents that need you stay at the top,
// followed by the agents around the selected one, and a last line counts the others. A tall list also
// names the others by place.
func (a *app) drawRoll(w, room int) block {
	var b block
	list := a.roll()
	if len(list) <= room {
		for _, p := range list {
			b.button(a.rollLine(&p, w), func() tea.Cmd { return a.pick(p.AgentID) })
		}
		return b
	}
	places := 0
	if room >= rollPlacesFrom {
		places = room / 4
	}
	room -= 1 + places
	pinned := 0
	for pinned < room/3 && list[pinned].NeedsYou {
		pinned++
	}
	at := slices.IndexFunc(list, func(p contracts.Agent) bool { return p.AgentID == a.selected })
	from := max(pinned, min(at-room/2, len(list)-room+pinned))
	to := from + room - pinned
	for _, p := range slices.Concat(list[:pinned], list[from:to]) {
		b.button(a.rollLine(&p, w), func() tea.Cmd { return a.pick(p.AgentID) })
	}
	hidden := slices.Concat(list[pinned:from], list[to:])
	b.add(a.look.soft.Render(clip("    "+hiddenWords(hidden, w-4), w)))
	b.add(painted(a.look.soft, a.placeLines(hidden, w, places))...)
	return b
}

// placeLines lists the names at each place on one line, the largest crowds first.
func (a *app) placeLines(people []contracts.Agent, w, most int) (lines []string) {
	names := map[string][]string{}
	for _, p := range people {
		if place := a.placeOf(&p); place != "" {
			names[place] = append(names[place], model.Line(p.Name))
		}
	}
	places := slices.SortedFunc(maps.Keys(names), func(x, y string) int { return cmp.Or(len(names[y])-len(names[x]), strings.Compare(x, y)) })
	for _, place := range places[:min(len(places), most)] {
		lines = append(lines, clip(fmt.Sprintf("    %d %s: %s", len(names[place]), place, strings.Join(names[place], ", ")), w))
	}
	return lines
}

// placeOf returns the name of the place where an agent is, or "" if no place is near.
func (a *app) placeOf(p *contracts.Agent) string {
	if a.office.Scene == nil {
		return ""
	}
	parts, at := a.office.Parts(), a.office.Where(p).Pos
	part := &parts[model.PartAt(parts, at)]
	at = part.Local(at)
	best, near := "", placeMetres
	for _, poi := range part.Manifest.POIs {
		for _, n := range poi.NavAnchors {
			if d := math.Hypot(n.Pos[0]-at[0], n.Pos[2]-at[2]); d < near {
				best, near = crowdNames[poi.Type], d
			}
		}
	}
	return best
}

// hiddenWords returns the number of hidden agents and, if there is space, what they are doing.
func hiddenWords(hidden []contracts.Agent, w int) string {
	var doing []string
	count := map[string]int{}
	for _, p := range hidden {
		words := strings.ToLower(model.Doing(&p))
		if count[words]++; count[words] == 1 {
			doing = append(doing, words)
		}
	}
	words := fmt.Sprintf("and %d more", len(hidden))
	if len(doing) == 1 {
		return words + ", " + doing[0]
	}
	for i, one := range doing {
		doing[i] = fmt.Sprintf("%d %s", count[one], one)
	}
	if all := words + ": " + strings.Join(doing, ", "); lipgloss.Width(all) <= w {
		return all
	}
	return words
}

func (a *app) rollLine(p *contracts.Agent, w int) string {
	key := a.keyOf(p.AgentID)
	sign, style := a.look.doing(p)
	name := pad(model.Line(p.Name), rollName)
	doing, on := model.Doing(p), ""
	if task := a.taskOf(p); task != "" && w-rollName-lipgloss.Width(doing) >= rollTask {
		on = " · " + task
	}
	if p.AgentID == a.selected {
		return a.look.picked.Render(pad(key+"›"+sign+" "+name+" "+doing+on, w))
	}
	return clip(a.look.soft.Render(key)+" "+style.Render(sign)+" "+name+" "+style.Render(doing)+a.look.soft.Render(on), w)
}

// taskOf returns an agent's task or, if it has none, its status line. It returns "" for agents that
// need a person, because the list of needs shows the reason.
func (a *app) taskOf(p *contracts.Agent) string {
	if p.NeedsYou {
		return ""
	}
	on := a.lineOf(p)
	if t := a.office.Rows().Task(p.TaskID); t != nil {
		on = t.Title
	}
	if on == p.Name {
		return ""
	}
	return model.Line(on)
}

// needSigns maps a kind of need to its sign.
var needSigns = map[model.NeedKind]string{
	model.NeedDecision: "?", model.NeedPermission: "!", model.NeedPlan: "▸", model.NeedReview: "◆", model.NeedElsewhere: "↗", model.NeedUnchecked: "○",
}

// needLine draws a need on one line.
func (a *app) needLine(n model.Need, w int) string {
	who := ""
	if n.AgentID != "" {
		who = model.Line(a.office.Rows().NeedAgent(n)) + ": "
	}
	words := who + model.Line(n.Title)
	if p := a.office.Rows().NeedProject(n); p != "" {
		words += " · " + model.Line(p)
	}
	return a.look.need.Render(needSigns[n.Kind]+" ") + clip(words, w-2)
}

// drawProject draws a summary of the main project, or a hint if there is none.
func (s *officeScreen) drawProject(w int) block {
	a := s.app
	var b block
	rows := a.office.Rows()
	p := rows.MainProject(a.project)
	if p == nil {
		b.add(a.look.soft.Render("No projects yet."), a.look.soft.Render("Ask the office for something: /"))
		if a.office.Rows().Rehearsing() {
			b.add("")
			b.add(painted(a.look.soft, wrap(contracts.SayCrewRehearses, w))...)
			b.button(a.look.key.Render("H")+" connects real agents", a.openConnect)
		}
		return b
	}
	tasks := rows.TasksOf(p.ProjectID)
	done := 0
	for _, t := range tasks {
		if t.Status == contracts.TaskDone {
			done++
		}
	}
	percent := model.ProjectPercent(tasks)
	b.button(a.look.strong.Render(clip(model.Line(p.Title), w)), func() tea.Cmd { return a.show(model.Ref{Kind: "project", ID: p.ProjectID}) })
	said := contracts.SayBeingPlanned
	if len(tasks) > 0 {
		said = fmt.Sprintf(contracts.SayDoneOf, done, len(tasks), percent)
	}
	b.add(a.look.soft.Render(clip(model.ProjectWords(p.Status)+" · "+said, w)), a.look.bar(percent, w))
	if n := len(rows.Unstarted(p)); n > 0 && a.office.Access == contracts.AccessOperator {
		b.button(a.look.need.Render(fmt.Sprintf("U Auto-assign %d", n)), a.assignTasks)
	}
	return b
}
