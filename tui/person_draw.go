package tui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/tui/link"
)

func (s *personScreen) draw(w, h int) block {
	a := s.app
	p := a.office.Rows().Agent(s.id)
	if p == nil {
		return block{lines: []string{"", a.look.soft.Render(" " + contracts.SayAgentGone)}}
	}
	var b block
	s.drawWho(&b, p, w)
	s.drawWhy(&b, p, w)
	s.drawSaid(&b, p, w)
	s.drawChecked(&b, p, w)
	s.drawFamily(&b, p, w)
	s.drawWork(&b, p, w)
	if u := p.Usage; u != nil {
		cached := ""
		if n := u.CacheRead + u.CacheWrite; n > 0 {
			cached = " · " + model.Tokens(n) + " cached"
		}
		b.add("", a.head(contracts.SayUsedSoFar), fmt.Sprintf("  %s · %s in · %s out%s", model.CostWords(*u), model.Tokens(u.TokensIn), model.Tokens(u.TokensOut), cached))
		b.add(painted(a.look.soft, indent(wrapped(model.UnpricedWords(*u), w-4, 2)))...)
	}
	s.top = max(0, min(s.top, len(b.lines)-h))
	return b.from(s.top)
}

func (a *app) head(words string) string { return a.look.title.Render(" " + words) }

// indent returns the lines indented by two cells.
func indent(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = "  " + line
	}
	return out
}

func (s *personScreen) drawWho(b *block, p *contracts.Agent, w int) {
	a := s.app
	sign, style := a.look.doing(p)
	b.add(split(a.look.title.Render(" "+model.Line(p.Name))+"  "+style.Render(sign+" "+model.Doing(p)), a.followWords(p), w))
	runner := ""
	if p.Source == "" {
		runner = a.office.Rows().RunnerWords(p.Runner)
	}
	about := model.Line(joinNonEmpty(" · ", a.office.Rows().OriginWords(p), runner, p.Model))
	b.add(a.look.soft.Render(clip(" "+about, w)))
	b.add(indent(wrapped(statusLineOf(p), w-4, 3))...)
	for _, n := range a.office.Rows().Needs() {
		if n.AgentID == p.AgentID {
			b.button(a.look.need.Render("  Enter › "+model.NeedWords(n.Kind)), s.openNeed)
			break
		}
	}
}

// saidRows is the number of lines of an answer on an agent's page; the activity screen shows the
// rest.
const saidRows = 8

// drawSaid draws the beginning of the agent's last answer, if it has given one.
func (s *personScreen) drawSaid(b *block, p *contracts.Agent, w int) {
	said := p.Said
	for _, n := range s.app.office.ActivityOf(p.AgentID) {
		if n.Said != "" {
			said = n.Said
		}
	}
	if said == "" {
		return
	}
	b.add("", s.app.head(contracts.SayLastReply))
	b.add(indent(wrapped(said, w-4, saidRows))...)
}

// drawChecked shows whether the agent's edits were checked, if it has edited anything.
func (s *personScreen) drawChecked(b *block, p *contracts.Agent, w int) {
	c := p.Checked
	if c == nil {
		return
	}
	b.add("", s.app.head("Edits"))
	b.add(indent(wrapped(model.CheckedWords(c, s.app.local()), w-4, 4))...)
}

func (a *app) followWords(p *contracts.Agent) string {
	if a.follow == p.AgentID {
		return a.look.info.Render("Following ")
	}
	return ""
}

// drawWhy explains an agent's status: the reason, what decided it, the evidence, and how long each
// piece of evidence stays valid.
func (s *personScreen) drawWhy(b *block, p *contracts.Agent, w int) {
	a := s.app
	explained := explanation{Why: a.office.WhyOf(p), Authority: p.Authority, Since: p.Since, Evidence: a.office.EvidenceOf(p)}
	state := "E explains"
	if q := s.asked; q != nil {
		switch {
		case q.busy:
			state = contracts.SayAsking
		case q.explained != nil:
			explained, state = *q.explained, "E asks again"
		}
	}
	if explained.Why == "" && len(explained.Evidence) == 0 && p.Source == "" {
		return
	}
	b.add("", a.head(contracts.SayWhyHead)+a.look.soft.Render("  "+state))
	if why := model.Reason(explained.Why, model.StatusWords(p), explained.Authority); why != "" && why != statusLineOf(p) {
		b.add(indent(wrapped(why, w-4, 3))...)
	}
	now := a.office.Now()
	if explained.Authority != "" {
		decided, lasted := fmt.Sprintf(contracts.SayDecidedBy, model.SourceWords(explained.Authority)), ""
		if explained.Since > 0 {
			lasted = model.For(now - explained.Since)
		}
		b.add(a.look.soft.Render(clip("  "+joinNonEmpty(" · ", decided, lasted), w)))
	}
	for _, e := range explained.Evidence[:min(len(explained.Evidence), evidenceRows)] {
		right := model.Ago(now - e.At)
		if e.Until > 0 {
			right += ", " + decayWords(e.Until-now)
		}
		b.add(split("  "+a.look.info.Render(pad(model.SourceWords(e.Source), sourceWidth))+" "+model.Line(e.Says), a.look.soft.Render(right+" "), w))
	}
	if s.asked != nil && s.asked.explained != nil {
		s.drawExplanation(b, s.asked.explained, w)
	}
	if s.asked != nil && s.asked.err != "" {
		b.add(a.look.bad.Render(clip("  "+model.Line(s.asked.err), w)))
	}
}

func decayWords(ms int64) string {
	if ms <= 0 {
		return contracts.SayExpired
	}
	return fmt.Sprintf(contracts.SayStillValid, model.Left((ms+999)/1000))
}

func (s *personScreen) drawExplanation(b *block, explained *explanation, w int) {
	a := s.app
	switch left := explained.DecaysAt - a.office.Now(); {
	case explained.DecaysAt == 0:
		b.add(a.look.soft.Render("  " + contracts.SayNoDecay))
	case left > 0:
		b.add(a.look.soft.Render("  " + fmt.Sprintf(contracts.SayDecay, model.Left((left+999)/1000))))
	default:
		b.add(a.look.soft.Render("  " + fmt.Sprintf(contracts.SayDecay, contracts.SayNow)))
	}
	if explained.PID != 0 {
		b.add(a.look.soft.Render("  " + fmt.Sprintf(contracts.SayWatchedProcess, explained.PID)))
	}
	if o := explained.Outpost; o != nil {
		b.add(a.look.soft.Render(clip("  "+fmt.Sprintf(contracts.SayRunsOnOutpost, model.Line(o.Name), model.OutpostLinkWords(o.State)), w)))
		b.add(a.look.soft.Render(clip("  "+model.OutpostWords(o, a.office.Now()), w)))
	}
	for _, r := range explained.Recent[:min(len(explained.Recent), recentShown)] {
		b.add(split("  "+model.Line(r.Label), a.look.soft.Render(model.Ago(a.office.Now()-r.At)+" "), w))
	}
}

// drawFamily draws an agent's parent and sub-agents.
func (s *personScreen) drawFamily(b *block, p *contracts.Agent, w int) {
	a := s.app
	var subs []contracts.Agent
	for _, q := range a.allAgents() {
		if q.ParentID == p.AgentID && q.AgentID != p.AgentID {
			subs = append(subs, q)
		}
	}
	relative := func(q *contracts.Agent) {
		sign, style := a.look.doing(q)
		b.button(clip("  "+model.Line(q.Name)+"  "+style.Render(sign+" "+model.Doing(q)), w), func() tea.Cmd { return a.show(model.Ref{Kind: "agent", ID: q.AgentID}) })
	}
	if parent := a.office.Rows().Agent(p.ParentID); parent != nil {
		b.add("", a.head(contracts.SayStartedBy))
		relative(parent)
	}
	if len(subs) > 0 {
		b.add("", a.head(fmt.Sprintf(contracts.SaySubAgents, len(subs))))
		for _, q := range subs[:min(len(subs), familyShown)] {
			relative(&q)
		}
	}
}

// drawWork draws the task, the current output, and the recent activity.
func (s *personScreen) drawWork(b *block, p *contracts.Agent, w int) {
	a := s.app
	if t := a.office.Rows().Task(p.TaskID); t != nil {
		b.add("", a.head(contracts.SayThingTask))
		b.button(split("  "+model.Line(t.Title), fmt.Sprintf("%d%% ", model.Percent(t)), w), func() tea.Cmd { return a.show(model.Ref{Kind: "task", ID: t.TaskID}) })
		b.add("  " + a.look.bar(model.Percent(t), w-4))
	}
	if st := a.office.StreamOf(s.id); st != nil && st.Text != "" {
		words := contracts.SayWriting
		switch {
		case st.Done:
			words = contracts.SayLastOutput
		case st.Kind == "thought":
			words = contracts.SayThinking
		}
		b.add("", a.head(words)+a.rehearsalTag(st.Rehearsal))
		lines := wrap(st.Text[max(0, len(st.Text)-streamShown):], w-4)
		b.add(painted(a.look.soft, indent(newest(lines, streamRows)))...)
	}
	if nodes := a.office.ActivityOf(s.id); len(nodes) > 0 {
		b.add("", a.head(contracts.SayViewActivity)+a.look.soft.Render("  A shows all, W the newest call"))
		rows := flatten(slices.Backward(nodes), nil)
		for _, r := range rows[:min(len(rows), personNodes)] {
			line := a.nodeLine(r.node, r.depth, w, false, false)
			if !r.node.More() {
				b.add(line)
				continue
			}
			b.button(line, func() tea.Cmd { return a.activityScreen().openNode(r.node) })
		}
	}
	if session := s.session(p); session != "" {
		b.add("", a.look.soft.Render(clip(" Session "+model.Line(session), w)))
	}
}

func (a *app) rehearsalTag(on bool) string {
	if !on {
		return ""
	}
	return a.look.soft.Render("  " + contracts.SayRehearsal)
}

// newMessage returns the composer for messages to a thread.
func (a *app) newMessage(thread string) *composer {
	return &composer{
		name: "chat " + thread, label: "To " + model.Line(contracts.Clip(a.office.ThreadName(thread), 20)), placeholder: "write a message…", limit: contracts.LimitChatText,
		send: func(text string, then func(link.Reply) tea.Cmd) tea.Cmd {
			return a.act(contracts.Say{ThreadID: thread, Text: text}, "", then)
		},
		done: func() { a.chatScreen().thread = thread; a.goTab(tabChat) },
	}
}
