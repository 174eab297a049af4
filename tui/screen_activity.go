package tui

import (
	"slices"
	"sort"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

// activityScreen shows the activity of agents as a tree, newest first, with a group for each studio
// and one for the history before the client connected.
type activityScreen struct {
	app      *app
	agent    string // empty shows everyone
	list     list
	chosen   string // id of the selected row
	unfolded map[string]bool
	folded   map[string]bool // studios that are collapsed, by the id of their heading
	earlier  bool            // whether the history group is expanded
	decided  bool            // whether earlier was initialized
	whole    map[string]wholeResult
	top      int
	filter   finder
	all      int // number of rows without the filter
	detail   *workView
	shown    string // the node shown in the details
}

func newActivity(a *app) *activityScreen {
	return &activityScreen{app: a, unfolded: map[string]bool{}, folded: map[string]bool{}, whole: map[string]wholeResult{}, detail: newWorkView(a)}
}

func (s *activityScreen) finder() *finder { return &s.filter }

func (s *activityScreen) found() string { return foundOf(len(s.rows()), s.all) }

func (a *app) activityScreen() *activityScreen { return a.tabs[tabActivity].screen.(*activityScreen) }

func (s *activityScreen) hints() []hint {
	fullSize := strings.ToLower(contracts.SayFullSize)
	if wide(s.app.w) {
		return []hint{{"↑↓", "choose"}, {"Enter", fullSize}, {"^D ^U", "scroll the details"}, {"F", "file"}, {"/", "filter"}, {"[ ]", "agent"}}
	}
	return []hint{{"↑↓", "choose"}, {"Enter", "unfold"}, {"W", fullSize}, {"F", "file"}, {"/", "filter"}, {"[ ]", "agent"}}
}

func (s *activityScreen) scroll(by int) { s.move(by) }

// sync updates the index of the selected row, because new rows may have been inserted above it.
func (s *activityScreen) sync(rows []treeRow) {
	if s.chosen == "" {
		return
	}
	if at := slices.IndexFunc(rows, func(r treeRow) bool { return r.id() == s.chosen }); at >= 0 {
		s.list.at = at
	}
}

func (s *activityScreen) move(by int) {
	rows := s.rows()
	s.sync(rows)
	s.list.move(by, len(rows))
	s.chosen = ""
	if s.list.at < len(rows) {
		s.chosen = rows[s.list.at].id()
	}
}

func (s *activityScreen) key(k string) (tea.Cmd, bool) {
	rows := s.rows()
	s.sync(rows)
	switch k {
	case "enter":
		if wide(s.app.w) && s.list.at < len(rows) && rows[s.list.at].node != nil {
			return s.openChosen(rows), true
		}
		s.toggle(rows)
		return nil, true
	case "ctrl+d", "ctrl+u":
		if wide(s.app.w) {
			return nil, s.detail.key(k)
		}
	case "w", "W":
		return s.openChosen(rows), true
	case "f", "F":
		if s.list.at < len(rows) && rows[s.list.at].node != nil {
			return s.app.openFileOf(rows[s.list.at].node), true
		}
		return nil, true
	case "[", "]":
		s.switchAgent(map[string]int{"[": -1, "]": 1}[k])
		return nil, true
	}
	if by := step(k, 10); by != 0 {
		s.move(by)
		return nil, true
	}
	if list := s.app.allAgents(); len(k) == 1 && k[0] >= '1' && k[0] <= '9' && int(k[0]-'1') < len(list) {
		s.show(list[k[0]-'1'].AgentID)
	}
	return nil, false
}

// show switches to one agent's activity, or to everyone's if the id is empty.
func (s *activityScreen) show(agent string) { s.agent, s.list, s.chosen = agent, list{}, "" }

// switchAgent switches to the activity of the next or previous agent. Everyone's activity comes
// before the first agent's.
func (s *activityScreen) switchAgent(by int) {
	ids := []string{""}
	for _, p := range s.app.allAgents() {
		ids = append(ids, p.AgentID)
	}
	at := max(0, slices.Index(ids, s.agent)) + by
	s.show(ids[(at+len(ids))%len(ids)])
}

func (s *activityScreen) toggle(rows []treeRow) {
	if s.list.at >= len(rows) {
		return
	}
	if r := rows[s.list.at]; r.group == groupEarlier {
		s.earlier = !s.earlier
	} else if r.node == nil {
		s.folded[r.group] = r.open
	} else if r.node.More() {
		s.unfolded[r.node.ID] = !s.unfolded[r.node.ID]
		s.chosen = r.node.ID
	} else {
		s.app.toast("No more details for this line.", tonePlain)
	}
}

// openChosen shows the selected node full-screen, or a toast if it has no details.
func (s *activityScreen) openChosen(rows []treeRow) tea.Cmd {
	if s.list.at >= len(rows) || rows[s.list.at].node == nil {
		return nil
	}
	n := rows[s.list.at].node
	s.chosen = n.ID
	if !n.More() {
		s.app.toast("No more details for this line.", tonePlain)
		return nil
	}
	return s.openNode(n)
}

func (s *activityScreen) draw(w, h int) block {
	if !wide(w) {
		return s.drawTree(w, h, s.unfolded)
	}
	side := w / 2
	return s.app.splitView(s.drawTree(w-side, h, nil), s.drawDetail(side-2, h), w-side, h)
}

// drawDetail draws the details of the selected line.
func (s *activityScreen) drawDetail(w, h int) block {
	a := s.app
	rows := s.rows()
	if s.list.at >= len(rows) || rows[s.list.at].node == nil {
		return block{}
	}
	n := rows[s.list.at].node
	if s.shown != n.ID {
		s.shown = n.ID
		s.detail.reset()
	}
	var b block
	title := nodeWords(n)
	s.detail.fill(s.docName(n), func() workDoc { return s.nodeDoc(n) }, w, h-2)
	b.add(split(a.look.title.Render(" "+title), a.look.soft.Render(s.detail.positionWords()+" "), w), "")
	if !n.More() {
		b.add(a.look.soft.Render(" No more details for this line."))
		return b
	}
	b.add(s.detail.draw()...)
	return b
}

// drawTree draws the visible lines. The result of an expanded node is drawn below the node.
func (s *activityScreen) drawTree(w, h int, unfolded map[string]bool) block {
	a := s.app
	who := contracts.SayEveryone
	if s.agent != "" {
		who = a.office.Rows().Name(s.agent)
	}
	var head, b block
	head.add(a.look.title.Render(" "+model.Line(who)) + a.look.soft.Render("  [ ] another agent"))
	rows := s.rows()
	s.sync(rows)
	s.list.at = max(0, min(s.list.at, len(rows)-1))
	if len(rows) == 0 && s.filter.text != "" {
		b.add("", a.look.soft.Render(" Nothing matches the filter."))
	} else if len(rows) == 0 && s.agent == "" {
		b.add("", a.look.soft.Render(" "+contracts.SayNoActivity))
	} else if len(rows) == 0 {
		b.add("", a.look.soft.Render(" "+model.Line(who)+" has no activity yet."))
	}
	at, more := s.layout(rows, w, unfolded)
	room := h - 1
	if len(rows) > 0 {
		chosen, end := at[s.list.at], at[s.list.at+1]
		s.top = max(min(s.top, chosen), min(end-room, chosen))
	}
	s.top = max(0, min(s.top, at[len(rows)]-room))
	first := max(0, sort.Search(len(rows), func(i int) bool { return at[i] > s.top })-1)
	for i := first; i < len(rows) && at[i] < s.top+room; i++ { // draw only visible rows: there may be thousands
		r := rows[i]
		b.button(s.rowLine(r, i == s.list.at, w), func() tea.Cmd {
			s.list.at, s.chosen = i, r.id()
			if r.node == nil || unfolded != nil {
				s.toggle(s.rows())
			}
			return nil
		})
		b.add(more[i]...)
	}
	head.put(b.from(s.top - at[first]))
	return head
}

// layout returns the index of each row's first line, with the total number of lines as the last
// element, and the extra lines below each expanded row.
func (s *activityScreen) layout(rows []treeRow, w int, unfolded map[string]bool) (at []int, more map[int][]string) {
	at, more = make([]int, len(rows)+1), map[int][]string{}
	for i, r := range rows {
		if r.node != nil && unfolded[r.node.ID] {
			more[i] = s.more(r.node, w, r.depth)
		}
		at[i+1] = at[i] + 1 + len(more[i])
	}
	return at, more
}

func (s *activityScreen) rowLine(r treeRow, picked bool, w int) string {
	a := s.app
	if r.node != nil {
		return a.nodeLine(r.node, r.depth, w, s.agent == "" && r.depth == 0, picked)
	}
	sign := "▸"
	if r.open {
		sign = "▾"
	}
	if picked {
		return a.look.picked.Render(pad("›"+sign+" "+ansi.Strip(r.title), w))
	}
	return clip(a.look.soft.Render(" "+sign+" ")+r.title, w)
}
