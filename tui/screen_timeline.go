package tui

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

const detailFrom = 110 // minimum width to show details next to the lines

// timelineScreen shows events, newest first; scrolling down loads older ones, back to the start of
// the ledger.
type timelineScreen struct {
	app    *app
	filter model.FeedFilter
	words  finder
	list   list
	chosen string // id of the selected line; empty means that the newest line is selected
	page   int
	older  struct {
		busy, done bool
		before     uint64
	}
}

// feedLine is one line of the timeline: an office event, a workflow message, or a raw workflow
// event.
type feedLine struct {
	id     string
	ts     int64
	event  *contracts.Event
	ui     *contracts.UI
	notice *model.Notice
	seq    uint64
	replay bool
}

func (s *timelineScreen) finder() *finder { return &s.words }

func (s *timelineScreen) found() string { return foundOf(len(s.rows()), len(s.unfiltered())) }

func (s *timelineScreen) hints() []hint {
	return []hint{{"↑↓", "back in time"}, {"[ ]", "needed you"}, {"V", "kinds"}, {"/", "filter"}, {"Enter", "open"}}
}

// rows returns the lines that match both filters, newest first.
func (s *timelineScreen) rows() []feedLine {
	return filtered(&s.words, s.unfiltered(), func(r *feedLine) string {
		head, who, about := s.lineWords(*r)
		return head + " " + who + " " + about
	})
}

// unfiltered returns the lines of the selected kind, agent and project, before the text filter.
func (s *timelineScreen) unfiltered() (list []feedLine) {
	o := s.app.office
	if key := s.filter.Kind.Key; key == "ui" || key == "ignored" {
		for _, r := range slices.Backward(o.UILog()) {
			if (key == "ui" || r.UI.Ignored != "") && (s.filter.Agent == "" || r.UI.AgentID == s.filter.Agent) {
				list = append(list, feedLine{id: r.ID, ts: r.TS, ui: r.UI})
			}
		}
		return list
	}
	if s.filter.Kind.Key != model.FeedMessages {
		for _, r := range o.Filtered(s.filter) {
			list = append(list, feedLine{id: r.ID, ts: r.TS, seq: r.Seq, event: r.Event, replay: r.Replay})
		}
	}
	list = append(list, s.notices()...)
	slices.SortStableFunc(list, func(a, b feedLine) int { return cmp.Compare(b.seq, a.seq) })
	return list
}

// notices returns the workflow messages to show. The list is empty if the filter selects a project
// or another kind of line.
func (s *timelineScreen) notices() (list []feedLine) {
	key := s.filter.Kind.Key
	if key != "" && key != model.FeedMessages || s.filter.Project != "" {
		return nil
	}
	for _, n := range s.app.office.Notices() {
		if s.filter.Agent == "" || n.AgentID == s.filter.Agent {
			list = append(list, feedLine{id: n.ID, ts: n.TS, seq: n.Seq, notice: &n, replay: n.Replay})
		}
	}
	return list
}

// sync moves the selection to the current position of its line, because new lines may have been
// inserted above it. A selection at the top stays on the newest line.
func (s *timelineScreen) sync(rows []feedLine) {
	if s.chosen == "" {
		s.list.at = 0
		return
	}
	if at := slices.IndexFunc(rows, func(r feedLine) bool { return r.id == s.chosen }); at >= 0 {
		s.list.at = at
	}
	s.list.at = max(0, min(s.list.at, len(rows)-1))
}

func (s *timelineScreen) scroll(by int) { s.move(by) }

func (s *timelineScreen) move(by int) tea.Cmd {
	rows := s.rows()
	s.sync(rows)
	s.list.move(by, len(rows))
	s.pin(rows)
	return s.loadOlder(rows)
}

// pin keeps the selection on its line. The newest line is not pinned, so that the selection
// follows new events.
func (s *timelineScreen) pin(rows []feedLine) {
	s.chosen = ""
	if s.list.at > 0 && s.list.at < len(rows) {
		s.chosen = rows[s.list.at].id
	}
}

func (s *timelineScreen) key(k string) (tea.Cmd, bool) {
	switch k {
	case "[":
		return s.jump(1), true
	case "]":
		return s.jump(-1), true
	case "v", "V":
		s.menu()
		return nil, true
	case "enter":
		rows := s.rows()
		s.sync(rows)
		if s.list.at < len(rows) {
			return s.open(rows[s.list.at]), true
		}
		return nil, true
	}
	if by := step(k, max(1, s.page-1)); by != 0 {
		return s.move(by), true
	}
	return nil, false
}

// jump selects the nearest event that needed a person: an older one if by is 1, a newer one if by
// is -1. If there is none, it shows a toast.
func (s *timelineScreen) jump(by int) tea.Cmd {
	rows := s.rows()
	s.sync(rows)
	for i := s.list.at + by; i >= 0 && i < len(rows); i += by {
		if e := rows[i].event; e != nil && model.NeededYou(e) {
			s.list.at = i
			s.pin(rows)
			return nil
		}
	}
	if by < 0 {
		s.app.toast("No later entry needed you.", tonePlain)
		return nil
	}
	s.list.at = max(0, len(rows)-1)
	s.pin(rows)
	s.app.toast("No earlier entry in this list needed you.", tonePlain)
	return s.loadOlder(rows)
}

// loadOlder loads older events when the selection is near the end of the list.
func (s *timelineScreen) loadOlder(rows []feedLine) tea.Cmd {
	a := s.app
	feed := a.office.Feed()
	if s.older.busy || s.older.done || s.list.at < len(rows)-2 || len(feed) == 0 {
		return nil
	}
	if s.older.before == 0 {
		s.older.before = feed[0].Seq
	}
	s.older.busy = true
	before := s.older.before
	return later(func() func() tea.Cmd {
		list, next, done := a.conn.Older(a.ctx, before)
		return func() tea.Cmd {
			s.older.busy, s.older.done, s.older.before = false, done, max(1, next)
			a.office.Apply(list...)
			return nil
		}
	})
}

func (s *timelineScreen) open(r feedLine) tea.Cmd {
	if r.notice != nil {
		s.app.dialog = &pageDialog{app: s.app, title: noticeTitle(r.notice), lines: func(w int) []string { return wrap(r.notice.Text, w) }}
		return nil
	}
	if r.event == nil {
		s.app.dialog = &pageDialog{app: s.app, title: "Workflow event", lines: func(w int) []string {
			return append(append(wrap(uiWords(r.ui), w), ""), s.drawDetail(r, w).lines...)
		}}
		return nil
	}
	ref := model.RefOf(r.event)
	if d := s.app.office.Rows().Decision(ref.ID); ref.Kind == "decision" && (d == nil || d.Status != contracts.DecisionOpen) {
		ref = model.Ref{Kind: "agent", ID: r.event.AgentID} // no longer open: show the agent that asked
	}
	return s.app.show(ref)
}

// menu opens the filter menu.
func (s *timelineScreen) menu() {
	rows := s.app.office.Rows()
	set := func(change func(*model.FeedFilter)) func() tea.Cmd {
		return func() tea.Cmd { change(&s.filter); s.list, s.chosen = list{}, ""; return nil }
	}
	items := []choice{{label: contracts.SayFeedKind, head: true}}
	for _, k := range model.FeedKinds {
		items = append(items, choice{label: k.Words, hint: mark(k.Key == s.filter.Kind.Key), run: set(func(f *model.FeedFilter) { f.Kind = k })})
	}
	items = append(items, choice{label: contracts.SayThingAgent, head: true}, choice{label: contracts.SayEveryone, hint: mark(s.filter.Agent == ""), run: set(func(f *model.FeedFilter) { f.Agent = "" })})
	for _, p := range s.app.allAgents() {
		items = append(items, choice{label: p.Name, hint: mark(p.AgentID == s.filter.Agent), run: set(func(f *model.FeedFilter) { f.Agent = p.AgentID })})
	}
	items = append(items, choice{label: contracts.SayThingProject, head: true}, choice{label: contracts.SayAllProjects, hint: mark(s.filter.Project == ""), run: set(func(f *model.FeedFilter) { f.Project = "" })})
	for _, p := range rows.Projects {
		items = append(items, choice{label: p.Title, hint: mark(p.ProjectID == s.filter.Project), run: set(func(f *model.FeedFilter) { f.Project = p.ProjectID })})
	}
	s.app.openMenu("Show on the timeline", "", items)
}
