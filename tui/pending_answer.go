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

// needCommand is the command that answers one need.
type needCommand struct {
	ref  string
	data contracts.CommandData
}

// pendingAnswer is an answer that can still be undone. It answers one need, or several that ask the
// same question.
type pendingAnswer struct {
	commands []needCommand
	words    string // the answer as shown, such as "Allow once"
	done     string // the toast to show once the office has accepted the answer
	until    int64  // when the first of the needs expires, in server time; 0 means never
	due      time.Time
	permit   bool   // answers a permission request, so it is never sent on quit
	undone   func() // restores typed text; may be nil
}

// answersDueMsg triggers a check for answers that are due.
type answersDueMsg struct{}

// submit accepts an answer. Normally, the answer is sent when it can no longer be undone. If the
// question would expire by then, the answer is sent immediately.
func (a *app) submit(p *pendingAnswer) tea.Cmd {
	if why := a.disabledReason(); why != "" {
		a.toast(why, toneBad)
		return nil
	}
	for _, c := range p.commands {
		a.sent[c.ref] = true
		delete(a.refused, c.ref)
	}
	if p.until != 0 && p.until-a.office.Now() <= contracts.AnswerUndo.Milliseconds() {
		return a.deliver(p)
	}
	p.due = a.local().Add(contracts.AnswerUndo)
	a.undoable = append(a.undoable, p)
	return a.after(contracts.AnswerUndo, func(time.Time) tea.Msg { return answersDueMsg{} })
}

// sendDue sends the answers that can no longer be undone.
func (a *app) sendDue() tea.Cmd {
	var cmds []tea.Cmd
	a.undoable = slices.DeleteFunc(a.undoable, func(p *pendingAnswer) bool {
		due := !a.local().Before(p.due)
		if due {
			cmds = append(cmds, a.deliver(p))
		}
		return due
	})
	return tea.Batch(cmds...)
}

// deliver sends one command per need. A refusal is shown with the agent's name, and the need's card
// returns.
func (a *app) deliver(p *pendingAnswer) tea.Cmd {
	var cmds []tea.Cmd
	left, taken := len(p.commands), 0
	for _, c := range p.commands {
		cmds = append(cmds, a.act(c.data, "", func(reply link.Reply) tea.Cmd {
			if left--; reply.OK {
				taken++
			} else {
				a.refuse(c.ref, reply.Message)
			}
			if left == 0 && taken > 0 {
				a.toast(p.done, toneGood)
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
	last := len(a.undoable) - 1
	p := a.undoable[last]
	a.undoable = a.undoable[:last]
	for _, c := range p.commands {
		delete(a.sent, c.ref)
	}
	if p.undone != nil {
		p.undone()
	}
	a.toast(contracts.SayUndone, tonePlain)
	if a.screen() == screen(a.needsScreen()) {
		a.goNeed(p.commands[0].ref)
	}
	return nil
}

// withdraw drops the answers to needs that are not in open, and shows a toast that says so.
func (a *app) withdraw(open map[string]string) {
	a.undoable = slices.DeleteFunc(a.undoable, func(p *pendingAnswer) bool {
		before := len(p.commands)
		p.commands = slices.DeleteFunc(p.commands, func(c needCommand) bool { return open[c.ref] == "" })
		if len(p.commands) < before {
			a.toast(fmt.Sprintf(contracts.SayNotSentGone, p.words), toneBad)
		}
		return len(p.commands) == 0
	})
}

// quit sends the answers that can still be undone, then exits. It does not send answers to permission
// requests, because these are never sent while they can be undone; unsent lists them.
func (a *app) quit() tea.Cmd {
	var cmds []tea.Cmd
	a.undoable = slices.DeleteFunc(a.undoable, func(p *pendingAnswer) bool {
		if p.permit {
			return false
		}
		for _, c := range p.commands {
			cmds = append(cmds, a.act(c.data, "", nil))
		}
		return true
	})
	if len(cmds) == 0 {
		return tea.Quit
	}
	return tea.Sequence(append(cmds, tea.Quit)...)
}

// unsent lists the answers that were not sent before the user quit.
func (a *app) unsent() (lines []string) {
	for _, p := range a.undoable {
		for _, c := range p.commands {
			words := "“" + model.Line(p.words) + "”"
			if who := a.asker(c.ref); who != "" {
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
	for _, p := range a.undoable {
		if slices.ContainsFunc(p.commands, func(c needCommand) bool { return c.ref == ref }) {
			return "Answered"
		}
	}
	return "Sending…"
}

// drawUndo shows the answers that can still be undone, and for how long.
func (a *app) drawUndo(w int) (b block) {
	for i, p := range slices.Backward(a.undoable) {
		left := (p.due.Sub(a.local()) + time.Second - 1) / time.Second
		line := a.look.good.Render(" ✓ ") + "Answered: " + model.Line(p.words)
		if n := len(p.commands); n > 1 {
			line = fmt.Sprintf(contracts.SayAnsweredTimes, line, n)
		}
		key := a.look.soft.Render(itoa(int(left)) + " s ")
		if i == len(a.undoable)-1 {
			key = a.look.key.Render("U") + a.look.soft.Render(" undo "+itoa(int(left))+" s ")
		}
		b.button(split(clip(line, w-14), key, w), a.undo)
	}
	return b
}
