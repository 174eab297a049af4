package tui

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/tui/link"
)

const (
	composerRows = 5
	pasteMost    = 4 // maximum size of a paste, as a multiple of the limit, so that people can shorten the text by hand
)

// composer is the input field at the bottom. Closing it keeps unsent text as a draft.
type composer struct {
	app         *app
	name        string // key of the stored draft
	label       string
	placeholder string
	limit       int
	more        func()                   // called by Tab; may be nil
	extras      func() string            // describes what else is sent; may be nil
	transform   func(text string) string // converts the field's text to the text to send; nil sends it unchanged
	flip        func()                   // called by Ctrl S; may be nil
	flipHint    func() string            // hint for Ctrl S: what the key would do now
	send        func(text string, then func(link.Reply) tea.Cmd) tea.Cmd
	done        func()
	refusal     string
	busy        bool
	field       textarea.Model
}

// compose opens the input field with c's draft. If another composer is open, compose closes it
// first.
func (a *app) compose(c *composer) tea.Cmd {
	if a.composer != nil {
		a.composer.leave()
	}
	c.app = a
	c.field = textarea.New()
	c.field.ShowLineNumbers = false
	c.field.Prompt = ""
	c.field.Placeholder = c.placeholder
	c.field.CharLimit = 0
	c.field.DynamicHeight = true // if we set the height afterwards, rows that the field had scrolled away would stay hidden
	c.field.MaxHeight = composerRows
	c.field.SetStyles(a.fieldStyles())
	c.field.SetWidth(max(1, a.w-c.indent()-1))
	c.field.SetValue(a.drafts[c.name])
	c.field.MoveToEnd()
	a.composer = c
	return c.field.Focus()
}

// fieldStyles returns the styles of the input field. The cursor does not blink, so that a frame
// changes only when something happens.
func (a *app) fieldStyles() textarea.Styles {
	s := textarea.DefaultStyles(a.look.dark)
	still := textarea.StyleState{Placeholder: a.look.soft, Text: a.look.plain, Base: a.look.plain, CursorLine: a.look.plain, EndOfBuffer: a.look.plain, Prompt: a.look.plain}
	s.Focused, s.Blurred = still, still
	s.Cursor.Blink = false
	return s
}

func (c *composer) indent() int { return lipgloss.Width(c.label) + 4 }

func (c *composer) hints() []hint {
	list := []hint{{"Enter", "send"}, {"Alt+Enter", "new line"}, {"Esc", "close (text is kept)"}}
	if c.more != nil {
		list = slices.Insert(list, 1, hint{"Tab", "constraints"})
	}
	if c.flip != nil {
		list = slices.Insert(list, 1, hint{"^S", c.flipHint()})
	}
	return list
}

func (c *composer) key(msg tea.KeyPressMsg) tea.Cmd {
	switch msg.String() {
	case "esc":
		c.leave()
		return nil
	case "enter":
		return c.submit()
	case "alt+enter", "ctrl+j", "shift+enter":
		c.field.InsertString("\n")
		return nil
	case "ctrl+s":
		if c.flip != nil {
			c.flip()
		}
		return nil
	case "tab":
		if c.more != nil {
			c.more()
		}
		return nil
	}
	return c.update(msg)
}

// paste inserts text unless it is far too long, because a whole file would make the field unusably
// slow.
func (c *composer) paste(msg tea.PasteMsg) tea.Cmd {
	if n := utf8.RuneCountInString(msg.Content); n > pasteMost*c.limit {
		c.refusal = fmt.Sprintf("Not pasted: %d characters; the limit is %d.", n, c.limit)
		return nil
	}
	return c.update(tea.PasteMsg{Content: model.Plain(msg.Content)})
}

func (c *composer) update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	c.field, cmd = c.field.Update(msg)
	c.refusal = ""
	return cmd
}

// leave closes the field and keeps its text as a draft.
func (c *composer) leave() {
	c.app.drafts[c.name] = c.field.Value()
	c.app.composer = nil
}

func (c *composer) submit() tea.Cmd {
	said := c.text()
	count := utf8.RuneCountInString(said)
	switch {
	case said == "" || c.busy:
		return nil
	case count > c.limit:
		c.refusal = fmt.Sprintf("Too long: %d characters; the limit is %d.", count, c.limit)
		return nil
	}
	c.busy = true
	return c.send(said, func(reply link.Reply) tea.Cmd {
		c.busy = false
		if !reply.OK {
			c.refusal = reply.Message
			return nil
		}
		delete(c.app.drafts, c.name)
		if c.app.composer == c {
			c.app.composer = nil
		}
		if c.done != nil {
			c.done()
		}
		return nil
	})
}

// drawComposer draws the input field, or the line that opens it.
func (a *app) drawComposer(w int) block {
	var b block
	c := a.composer
	if c == nil {
		b.button(a.drawInvitation(w), func() tea.Cmd {
			if chat, open := a.screen().(*chatScreen); open {
				return a.compose(a.newMessage(chat.thread))
			}
			return a.compose(a.newRequest())
		})
		return b
	}
	if c.refusal != "" {
		b.add(painted(a.look.bad, wrapped(" ✗ "+c.refusal, w-1, 2))...)
	}
	c.field.SetWidth(max(1, w-c.indent()-1))
	c.field, _ = c.field.Update(nil) // keeps the cursor visible after the width changed
	for i, line := range strings.Split(c.field.View(), "\n") {
		head := strings.Repeat(" ", c.indent())
		if i == 0 {
			head = a.look.title.Render(" "+c.label) + a.look.soft.Render(" › ")
		}
		b.add(pad(head+line, w))
	}
	if note, style := c.note(); note != "" {
		last := strings.TrimRight(ansi.Strip(b.lines[len(b.lines)-1]), " ")
		room := w - lipgloss.Width(note) - 1
		if lipgloss.Width(last) >= room { // never cover typed text
			b.add("")
		}
		end := &b.lines[len(b.lines)-1]
		*end = pad(ansi.Truncate(*end, room, ""), room) + style.Render(note+" ")
	}
	return b
}

// text returns the trimmed text that would be sent.
func (c *composer) text() string {
	text := strings.TrimSpace(c.field.Value())
	if c.transform != nil {
		return c.transform(text)
	}
	return text
}

func (c *composer) note() (words string, style lipgloss.Style) {
	look := &c.app.look
	count := utf8.RuneCountInString(c.text())
	switch {
	case c.busy:
		return "Sending…", look.soft
	case count > c.limit:
		return fmt.Sprintf("%d / %d", count, c.limit), look.bad
	case count*10 > c.limit*8:
		return fmt.Sprintf("%d / %d", count, c.limit), look.soft
	case c.extras != nil:
		return c.extras(), look.soft
	}
	return "", look.soft
}

func (a *app) drawInvitation(w int) string {
	if a.disabledReason() != "" {
		return pad(a.look.soft.Render(" "+a.requestKey()+" › "+contracts.SayCommandsPaused), w)
	}
	text := contracts.SayAskForAnything
	if chat, open := a.screen().(*chatScreen); open {
		return pad(a.look.key.Render(" I")+a.look.soft.Render(" › "+sayTo(chat.thread, a.office.ThreadName(chat.thread))), w)
	}
	if draft := a.drafts["request"]; strings.TrimSpace(draft) != "" {
		text = model.Line(draft)
	}
	return pad(a.look.key.Render(" "+a.requestKey())+a.look.soft.Render(" › "+text), w)
}

// sayTo returns the prompt for a message in a thread.
func sayTo(thread, name string) string {
	if thread == contracts.ThreadBD {
		return "Message the office…"
	}
	return "Message " + model.Line(name) + "…"
}
