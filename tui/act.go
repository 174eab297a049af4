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

// tone is how a short message is meant.
type tone int

const (
	tonePlain tone = iota
	toneGood
	toneBad
)

// toast is a short message at the bottom, gone after a while.
type toast struct {
	text  string
	tone  tone
	until time.Time
}

// How long toasts stay.
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

// doneMsg brings the outcome of something that took time back to the screen.
type doneMsg struct{ then func() tea.Cmd }

// later does something slow in the background; what it returns runs on
// the screen's goroutine.
func later(work func() func() tea.Cmd) tea.Cmd {
	return func() tea.Msg { return doneMsg{work()} }
}

// act gives a command and says what became of it. then, if any, hears the reply
// instead of a toast for a refusal.
func (a *app) act(data contracts.CommandData, done string, then func(link.Reply) tea.Cmd) tea.Cmd {
	if why := a.frozen(); why != "" { // said aloud: written on a card it would outlast its reason
		a.toast(why, toneBad)
		if then == nil {
			return nil
		}
		return then(link.Reply{Code: link.CodeOffline})
	}
	return later(func() func() tea.Cmd {
		reply := a.door.Do(a.ctx, data)
		return func() tea.Cmd { return a.answered(reply, done, then) }
	})
}

func (a *app) answered(reply link.Reply, done string, then func(link.Reply) tea.Cmd) tea.Cmd {
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

// frozen is why no command can be given now, in words; empty when one can.
func (a *app) frozen() string {
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

// approve accepts a deliverable in the state that is seen here; the office refuses
// when it has moved on.
func (a *app) approve(art *contracts.Artifact) tea.Cmd {
	data := contracts.ApproveArtifact{ArtifactID: art.ArtifactID, ExpectedArtifactStatus: art.Status}
	return a.give(&verdict{orders: []order{{art.ArtifactID, data}}, words: contracts.SayApprove, done: contracts.SayApproved})
}

// verdict is act for the answer to a need that cannot be taken back. Between the
// office's yes and the event that takes the card away a second key would only be refused.
func (a *app) verdict(ref string, data contracts.CommandData, done string, then func(link.Reply) tea.Cmd) tea.Cmd {
	a.sent[ref] = true
	delete(a.refused, ref)
	return a.act(data, done, func(reply link.Reply) tea.Cmd {
		if !reply.OK {
			delete(a.sent, ref)
		}
		return then(reply)
	})
}

// show opens what a reference points at.
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

// push opens a screen over the others; the same one is not opened twice in a row.
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

// goTab shows a tab.
func (a *app) goTab(t int) {
	a.at, a.open = t, nil
}
