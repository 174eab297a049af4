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

// order is the command that answers one need.
type order struct {
	ref  string
	data contracts.CommandData
}

// verdict is an answer that can still be undone. It answers one need, or several that ask the same
// question.
type verdict struct {
	orders []order
	words  string // the answer as shown, such as "Allow once"
	done   string // the toast to show once the office has accepted the answer
	until  int64  // when the first of the needs expires, in server time; 0 means never
	due    time.Time
	permit bool   // answers a permission request, so it is never sent on quit
	undone func() // restores typed text; may be nil
}

// verdictMsg triggers a check for answers that are due.
type verdictMsg struct{}

// submit accepts an answer. Normally, the answer is sent when it can no longer be undone. If the
// question would expire by then, the answer is sent immediately.
func (a *app) submit(v *verdict) tea.Cmd {
	if why := a.frozen(); why != "" {
		a.toast(why, toneBad)
		return nil
	}
	for _, o := range v.orders {
		a.sent[o.ref] = true
		delete(a.refused, o.ref)
	}
	if v.until != 0 && v.until-a.office.Now() <= contracts.AnswerUndo.Milliseconds() {
		return a.deliver(v)
	}
	v.due = a.local().Add(contracts.AnswerUndo)
	a.given = append(a.given, v)
	return a.after(contracts.AnswerUndo, func(time.Time) tea.Msg { return verdictMsg{} })
}

// sendDue sends the answers that can no longer be undone.
func (a *app) sendDue() tea.Cmd {
	var cmds []tea.Cmd
	a.given = slices.DeleteFunc(a.given, func(v *verdict) bool {
		due := !a.local().Before(v.due)
		if due {
			cmds = append(cmds, a.deliver(v))
		}
		return due
	})
	return tea.Batch(cmds...)
}

// deliver sends one command per need. A refusal is shown with the agent's name, and the need's card
// returns.
func (a *app) deliver(v *verdict) tea.Cmd {
	var cmds []tea.Cmd
	left, taken := len(v.orders), 0
	for _, o := range v.orders {
		cmds = append(cmds, a.act(o.data, "", func(reply link.Reply) tea.Cmd {
			if left--; reply.OK {
				taken++
			} else {
				a.refuse(o.ref, reply.Message)
			}
			if left == 0 && taken > 0 {
				a.toast(v.done, toneGood)
			}
			return nil
		}))
	}
	return tea.Batch(cmds...)
}

func (a *app) refuse(ref, message string) {
	delete(a.sent, ref)
	if message == "" { // nothing was sent, and the reason was shown already
		return
	}
	a.refused[ref] = message
	if who := a.asker(ref); who != "" {
		message = who + ": " + message
	}
	a.toast(message, toneBad)
}

// asker returns the name of the agent that has the need, or "" if the need is gone or has no agent.
func (a *app) asker(ref string) string {
	rows := a.office.Rows()
	for _, n := range rows.Needs() {
		if n.Ref == ref && n.AgentID != "" {
			return rows.NeedAgent(n)
		}
	}
	return ""
}

// undo withdraws the newest answer that has not been sent yet.
func (a *app) undo() tea.Cmd {
	last := len(a.given) - 1
	v := a.given[last]
	a.given = a.given[:last]
	for _, o := range v.orders {
		delete(a.sent, o.ref)
	}
	if v.undone != nil {
		v.undone()
	}
	a.toast(contracts.SayUndone, tonePlain)
	if a.screen() == screen(a.needsScreen()) {
		a.goNeed(v.orders[0].ref)
	}
	return nil
}

// withdraw drops the answers to needs that are not in open, and shows a toast that says so.
func (a *app) withdraw(open map[string]string) {
	a.given = slices.DeleteFunc(a.given, func(v *verdict) bool {
		before := len(v.orders)
		v.orders = slices.DeleteFunc(v.orders, func(o order) bool { return open[o.ref] == "" })
		if len(v.orders) < before {
			a.toast(fmt.Sprintf(contracts.SayNotSentGone, v.words), toneBad)
		}
		return len(v.orders) == 0
	})
}

// quit sends the answers that can still be undone, then exits. It does not send answers to permission
// requests, because these are never sent while they can be undone; unsent lists them.
func (a *app) quit() tea.Cmd {
	var cmds []tea.Cmd
	a.given = slices.DeleteFunc(a.given, func(v *verdict) bool {
		if v.permit {
			return false
		}
		for _, o := range v.orders {
			cmds = append(cmds, a.act(o.data, "", nil))
		}
		return true
	})
	if len(cmds) == 0 {
		return tea.Quit
	}
	return tea.Sequence(append(cmds, tea.Quit)...)
}

// unsent lists the answers that were not sent before the person quit.
func (a *app) unsent() (lines []string) {
	for _, v := range a.given {
		for _, o := range v.orders {
			words := "“" + model.Line(v.words) + "”"
			if who := a.asker(o.ref); who != "" {
				words += " to " + model.Line(who)
			}
			lines = append(lines, fmt.Sprintf(contracts.SayNotSentOpen, words))
		}
	}
	return lines
}

// sentWords returns the label of an answered need: "Answered" while the answer can be undone,
// then "Sending…".
func (a *app) sentWords(ref string) string {
	for _, v := range a.given {
		if slices.ContainsFunc(v.orders, func(o order) bool { return o.ref == ref }) {
			return "Answered"
		}
	}
	return "Sending…"
}

// drawUndo shows the answers that can still be undone, and for how long.
func (a *app) drawUndo(w int) (b block) {
	for i, v := range slices.Backward(a.given) {
		left := (v.due.Sub(a.local()) + time.Second - 1) / time.Second
		line := a.look.good.Render(" ✓ ") + "Answered: " + model.Line(v.words)
		if n := len(v.orders); n > 1 {
			line = fmt.Sprintf(contracts.SayAnsweredTimes, line, n)
		}
		key := a.look.soft.Render(itoa(int(left)) + " s ")
		if i == len(a.given)-1 {
			key = a.look.key.Render("U") + a.look.soft.Render(" undo "+itoa(int(left))+" s ")
		}
		b.button(split(clip(line, w-14), key, w), a.undo)
	}
	return b
}
