package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
)

// chatScreen is the chat with the office and with each agent.
type chatScreen struct {
	app    *app
	thread string
	up     int // lines scrolled back from the end
	option int
	filter finder
}

func (s *chatScreen) finder() *finder { return &s.filter }

func (s *chatScreen) found() string { return foundOf(len(s.matching()), len(s.rows())) }

// matching returns the thread's messages that match the filter.
func (s *chatScreen) matching() []model.ChatRow {
	return filtered(&s.filter, s.rows(), func(r *model.ChatRow) string { return s.whoSaid(r) + " " + r.Text })
}

func (a *app) chatScreen() *chatScreen { return a.tabs[tabChat].screen.(*chatScreen) }

// unread counts the unread messages of a thread, or of all threads if thread is "". Messages from
// before the connection count as read.
func (a *app) unread(thread string) (n int) {
	for _, c := range a.office.Chats() {
		if (thread == "" || c.ThreadID == thread) && c.From != contracts.UserID && !c.Replay && c.Seq > a.seen[c.ThreadID] {
			n++
		}
	}
	return n
}

func (s *chatScreen) hints() []hint {
	list := []hint{{"I", "write"}}
	if len(s.suggestions()) > 0 {
		list = []hint{{"←→ Enter", "do it"}, {"I", "write"}}
	} else {
		list[0].key = "Enter"
	}
	if len(s.threads()) > 1 {
		list = append(list, hint{"[ ]", "thread"})
	}
	return append(list, hint{"/", "filter"})
}

func (s *chatScreen) threads() []string {
	list := s.app.office.Threads()
	if !slices.Contains(list, s.thread) {
		list = append(list, s.thread)
	}
	return list
}

// rows returns the messages of the thread.
func (s *chatScreen) rows() (list []model.ChatRow) {
	for _, c := range s.app.office.Chats() {
		if c.ThreadID == s.thread {
			list = append(list, c)
		}
	}
	return list
}

// suggestions returns the allowed suggestions of the newest message that has any; older messages'
// suggestions may be outdated.
func (s *chatScreen) suggestions() []choice {
	rows := s.rows()
	for i := len(rows) - 1; i >= 0; i-- {
		if len(rows[i].SuggestedActions) == 0 {
			continue
		}
		var list []choice
		for _, act := range rows[i].SuggestedActions {
			if run := s.stepOf(act); run != nil {
				list = append(list, choice{label: act.Label, run: run})
			}
		}
		return list
	}
	return nil
}

// stepOf returns a function that carries out a suggested action, or nil if the action is not
// allowed. Suggestions come from agents, so only commands that are safe to trigger with a single
// key are allowed: nothing that ends work or needs text from the user.
func (s *chatScreen) stepOf(act contracts.SuggestedAction) func() tea.Cmd {
	a := s.app
	command := func(data contracts.CommandData, id string) func() tea.Cmd {
		if id == "" {
			return nil
		}
		return func() tea.Cmd { return a.act(data, contracts.SayChatDone, nil) }
	}
	switch act.Action {
	case "open_task_board":
		return func() tea.Cmd { return a.show(model.Ref{Kind: "project", ID: act.ProjectID}) }
	case "open_artifact":
		if act.ArtifactID != "" {
			return func() tea.Cmd { return a.openArtifact(act.ArtifactID) }
		}
	case "clarify":
		if act.DecisionID != "" {
			return func() tea.Cmd { a.goNeed(act.DecisionID); return nil }
		}
		return func() tea.Cmd { return a.compose(a.newMessage(s.thread)) }
	case string(contracts.CmdAutoAssign):
		return command(contracts.AutoAssign{ProjectID: act.ProjectID}, act.ProjectID)
	case string(contracts.CmdStartKickoff):
		return command(contracts.StartKickoff{ProjectID: act.ProjectID}, act.ProjectID)
	case string(contracts.CmdPauseProject):
		return command(contracts.PauseProject{ProjectID: act.ProjectID}, act.ProjectID)
	case string(contracts.CmdResumeProject):
		return command(contracts.ResumeProject{ProjectID: act.ProjectID}, act.ProjectID)
	case string(contracts.CmdApproveArtifact):
		return command(contracts.ApproveArtifact{ArtifactID: act.ArtifactID}, act.ArtifactID)
	}
	return nil
}

func (s *chatScreen) scroll(by int) { s.up = max(0, s.up-by) }

func (s *chatScreen) key(k string) (tea.Cmd, bool) {
	options := s.suggestions()
	switch k {
	case "left", "right":
		if len(options) == 0 {
			return nil, false
		}
		s.option = (s.option + map[string]int{"left": -1, "right": 1}[k] + len(options)) % len(options)
		return nil, true
	case "enter":
		if s.option < len(options) {
			return options[s.option].run(), true
		}
		return s.app.compose(s.app.newMessage(s.thread)), true
	case "i", "I":
		return s.app.compose(s.app.newMessage(s.thread)), true
	case "[", "]":
		list := s.threads()
		at := slices.Index(list, s.thread) + map[string]int{"[": -1, "]": 1}[k]
		s.thread, s.up, s.option = list[(at+len(list))%len(list)], 0, 0
		return nil, true
	}
	if by := step(k, 10); by != 0 {
		s.scroll(by)
		return nil, true
	}
	return nil, false
}

// markRead marks the visible thread as read.
func (s *chatScreen) markRead() {
	for _, r := range s.rows() {
		s.app.seen[s.thread] = max(s.app.seen[s.thread], r.Seq)
	}
}

func (s *chatScreen) draw(w, h int) block {
	a := s.app
	var head, b block
	head.add(s.drawThreads(w))
	rows := s.matching()
	if len(rows) == 0 && s.filter.text != "" {
		b.add("", a.look.soft.Render(" No message matches the filter."))
	} else if len(rows) == 0 {
		b.add("", a.look.soft.Render(" "+contracts.SayNoMessages))
	}
	foot := s.drawSuggestions(w)
	room := h - 1 - len(foot.lines)
	var said []block // newest first, only the visible messages
	total := 0
	for _, r := range slices.Backward(rows) {
		if total >= room+s.up {
			break
		}
		one := s.drawSaid(&r, w)
		said, total = append(said, one), total+len(one.lines)
	}
	for _, one := range slices.Backward(said) {
		b.put(one)
	}
	s.up = max(0, min(s.up, total-room))
	head.put(b.from(total-room-s.up).fit(w, room))
	head.put(foot)
	return head
}

func (s *chatScreen) drawThreads(w int) string {
	a := s.app
	line := " "
	for _, t := range s.threads() {
		name := model.Line(a.office.ThreadName(t))
		if n := a.unread(t); n > 0 {
			name += " " + itoa(n)
		}
		style := a.look.tab
		if t == s.thread {
			style = a.look.tabOn
		}
		line += style.Render(name) + "   "
	}
	return clip(line, w)
}

// whoSaid returns the name of a message's sender, or "You".
func (s *chatScreen) whoSaid(r *model.ChatRow) string {
	if r.From == contracts.UserID || r.From == s.app.office.Me {
		return contracts.SayYou
	}
	return s.app.office.Rows().Name(r.From)
}

func (s *chatScreen) drawSaid(r *model.ChatRow, w int) (b block) {
	a := s.app
	who, style := s.whoSaid(r), a.look.strong
	if who == contracts.SayYou {
		style = a.look.info.Bold(true)
	}
	b.add(split(" "+style.Render(model.Line(who))+a.rehearsalTag(r.Rehearsal), a.look.soft.Render(model.Ago(a.office.Now()-r.TS)+" "), w))
	b.add(indent(wrap(r.Text, min(w-4, readWidth)))...)
	b.add("")
	return b
}

// drawSuggestions draws the suggested actions as buttons below the chat.
func (s *chatScreen) drawSuggestions(w int) block {
	a := s.app
	var b block
	options := s.suggestions()
	if len(options) == 0 {
		return b
	}
	s.option = max(0, min(s.option, len(options)-1))
	line, x := " ", 1
	for i, o := range options {
		label := " " + model.Line(contracts.Clip(o.label, 40)) + " "
		part := a.look.mark.Render(label)
		if i == s.option {
			part = a.look.picked.Render("›" + label[1:])
		}
		width := lipgloss.Width(label)
		b.zones = append(b.zones, zone{x, 0, width, 1, o.run})
		line += part + "  "
		x += width + 2
	}
	b.add(clip(line, w))
	return b
}
