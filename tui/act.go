package tui

import (
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/tui/link"
)

// tone is the outcome that a toast reports: success, failure or neither.
type tone int

const (
	tonePlain tone = iota
	toneGood
	toneBad
)

// toast is a short message at the bottom that disappears after a few seconds.
type toast struct {
	text  string
	tone  tone
	until time.Time
}

// How long toasts stay visible, and how many are kept.
const (
	toastFor    = 5 * time.Second
	badToastFor = 9 * time.Second
	limitToasts = 3
)

func (a *app) toast(text string, t tone) {
	lasts := toastFor
	if t == toneBad {
		lasts = badToastFor
	}
	text = model.Line(text)
	a.toasts = slices.DeleteFunc(a.toasts, func(old toast) bool { return old.text == text })
	a.toasts = append(a.toasts, toast{text, t, a.local().Add(lasts)})
	if over := len(a.toasts) - limitToasts; over > 0 {
		a.toasts = a.toasts[over:]
	}
}

func (a *app) forgetToasts() {
	now := a.local()
	for len(a.toasts) > 0 && !now.Before(a.toasts[0].until) {
		a.toasts = a.toasts[1:]
	}
}

// doneMsg brings the result of background work back to the UI goroutine.
type doneMsg struct{ then func() tea.Cmd }

// later runs work in the background; the function that work returns then runs on the UI
// goroutine.
func later(work func() func() tea.Cmd) tea.Cmd {
	return func() tea.Msg { return doneMsg{work()} }
}

// act sends a command and, if it succeeds, shows done as a toast. It passes the reply to then; if
// then is nil, it shows a refusal as a toast. If commands cannot be sent now, act shows the reason,
// and the reply has the code CodeOffline.
func (a *app) act(data contracts.CommandData, done string, then func(link.Reply) tea.Cmd) tea.Cmd {
	// The reason is shown as a toast, because a card would keep showing it when it no longer applies.
	if why := a.disabledReason(); why != "" {
		a.toast(why, toneBad)
		if then == nil {
			return nil
		}
		return then(link.Reply{Code: link.CodeOffline})
	}
	return later(func() func() tea.Cmd {
		reply := a.conn.Do(a.ctx, data)
		return func() tea.Cmd { return a.handleReply(reply, done, then) }
	})
}

func (a *app) handleReply(reply link.Reply, done string, then func(link.Reply) tea.Cmd) tea.Cmd {
	if reply.OK && done != "" {
		a.toast(done, toneGood)
	}
	if then != nil {
		return then(reply)
	}
	if !reply.OK {
		a.toast(reply.Message, toneBad)
	}
	return nil
}

// disabledReason returns the reason that commands cannot be sent now, or "" if they can.
func (a *app) disabledReason() string {
	switch a.state.Phase {
	case link.Connecting:
		return contracts.SayStillConnecting
	case link.Stale:
		return contracts.SayLastKnownState
	case link.Offline:
		return contracts.SayUnreachable
	case link.Refused:
		if a.state.Reason != "" {
			return a.state.Reason
		}
		return fmt.Sprintf(contracts.SayNotAccepted, "terminal")
	}
	if a.office.Access != contracts.AccessOperator {
		return fmt.Sprintf(contracts.SayViewOnly, "token")
	}
	return ""
}

// approve submits the approval of a deliverable. The office refuses the approval if the
// deliverable's status has changed since the user saw it.
func (a *app) approve(art *contracts.Artifact) tea.Cmd {
	data := contracts.ApproveArtifact{ArtifactID: art.ArtifactID, ExpectedArtifactStatus: art.Status}
	return a.submit(&pendingAnswer{commands: []needCommand{{art.ArtifactID, data}}, words: contracts.SayApprove, done: contracts.SayApproved})
}

// answerNow sends an answer that cannot be undone. It marks the need as answered right away,
// because a second answer would only be refused. If the first answer is refused, the mark is
// removed.
func (a *app) answerNow(ref string, data contracts.CommandData, done string, then func(link.Reply) tea.Cmd) tea.Cmd {
	a.sent[ref] = true
	delete(a.refused, ref)
	return a.act(data, done, func(reply link.Reply) tea.Cmd {
		if !reply.OK {
			delete(a.sent, ref)
		}
		return then(reply)
	})
}

// show opens the agent, deliverable, decision, task or project that ref refers to.
func (a *app) show(ref model.Ref) tea.Cmd {
	switch ref.Kind {
	case "agent":
		a.selected = ref.ID
		a.push(&personScreen{app: a, id: ref.ID})
	case "artifact":
		return a.openArtifact(ref.ID)
	case "decision":
		a.goNeed(ref.ID)
	case "task":
		if t := a.office.Rows().Task(ref.ID); t != nil {
			a.project = t.ProjectID
			a.boardScreen().focus(ref.ID)
		}
		a.goTab(tabBoard)
	case "project":
		a.project = ref.ID
		a.goTab(tabBoard)
	}
	return nil
}

// push opens a screen on top of the others. It does nothing if s is an agent's page that is already
// on top.
func (a *app) push(s screen) {
	if p, ok := s.(*personScreen); ok {
		if old, same := a.screen().(*personScreen); same && old.id == p.id {
			return
		}
	}
	a.open = append(a.open, s)
}

// pop closes the topmost screen.
func (a *app) pop() {
	if n := len(a.open); n > 0 {
		a.open = a.open[:n-1]
	}
}

// goTab switches to a tab and closes the screens on top of it.
func (a *app) goTab(t int) {
	a.at, a.open = t, nil
}
