package tui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/bullpen-office/bullpen/tui/model"
)

// armFor is how long a card must have been seen before a key answers it: an
// answer within a blink was meant for another. Until then the card shows no key.
const armFor = 450 * time.Millisecond

// needsScreen is everything that waits for the person, oldest first; one is open,
// the others are one line each.
type needsScreen struct {
	app     *app
	ref     string // of the open one; empty takes the first
	shown   string // the card that was seen last, and since when
	since   time.Time
	option  int
	top     int
	refusal string
	whole   string // the permission that was on the screen to its end
	height  int
	filter  finder
}

func (s *needsScreen) finder() *finder { return &s.filter }

func (s *needsScreen) found() string {
	return foundOf(len(s.needs()), len(s.app.office.Rows().Needs()))
}

// needs are those that pass the filter.
func (s *needsScreen) needs() []model.Need {
	rows := s.app.office.Rows()
	return filtered(&s.filter, rows.Needs(), func(n *model.Need) string {
		return string(n.Kind) + " " + rows.Name(n.AgentID) + " " + n.Title
	})
}

func (a *app) needsScreen() *needsScreen { return a.tabs[tabNeeds].screen.(*needsScreen) }

// goNeed shows one need.
func (a *app) goNeed(ref string) {
	s := a.needsScreen()
	s.filter = finder{}
	if s.ref != ref {
		s.ref, s.option, s.top, s.refusal = ref, 0, 0, ""
	}
	a.goTab(tabNeeds)
}

// nextNeed goes to the next thing that waits, round and round.
func (a *app) nextNeed() tea.Cmd {
	needs := a.office.Rows().Needs()
	s := a.needsScreen()
	if len(needs) == 0 {
		a.goTab(tabNeeds)
		return nil
	}
	at := slices.IndexFunc(needs, func(n model.Need) bool { return n.Ref == s.ref })
	if a.at != tabNeeds && at >= 0 {
		at-- // coming back: first the one that is open
	}
	n := needs[(at+1)%len(needs)]
	if n.AgentID != "" {
		a.selected = n.AgentID
	}
	a.goNeed(n.Ref)
	return nil
}

// current is the open need; nil when nothing waits.
func (s *needsScreen) current() *model.Need {
	needs := s.needs()
	if len(needs) == 0 {
		return nil
	}
	at := max(0, slices.IndexFunc(needs, func(n model.Need) bool { return n.Ref == s.ref }))
	if needs[at].Ref != s.ref {
		s.ref, s.option, s.top, s.refusal = needs[at].Ref, 0, 0, ""
	}
	return &needs[at]
}

func (s *needsScreen) hints() []hint {
	n := s.current()
	if n == nil || !s.takes(n) {
		return nil
	}
	d := s.app.office.Rows().Decision(n.Ref)
	switch {
	case n.Kind == model.NeedReview:
		return []hint{{"Enter", "open"}, {"Y", "approve"}, {"N", "changes"}}
	case n.Kind == model.NeedPermission && d != nil && s.permitReason(d) != "":
		return nil
	case n.Kind == model.NeedPermission:
		return []hint{{"Y", "allow once"}, {"N", "deny"}, {"↑↓ Enter", "choose"}, {"PgDn", "scroll"}}
	}
	list := []hint{{"↑↓ Enter", "answer"}}
	if d != nil && d.AllowFreeText {
		list = append(list, hint{"W", "own words"})
	}
	return append(list, hint{"+", "note"})
}

func (s *needsScreen) scroll(by int) { s.top = max(0, s.top+by) }

// arm notices that another card has come into sight, and looks again when it takes
// keys.
func (s *needsScreen) arm() tea.Cmd {
	if s.app.screen() != screen(s) {
		return nil
	}
	n := s.current()
	if n == nil || n.Ref == s.shown {
		return nil
	}
	s.shown, s.since = n.Ref, s.app.local()
	return s.app.after(armFor, func(time.Time) tea.Msg { return armedMsg{} })
}

// armedMsg only has the screen drawn again.
type armedMsg struct{}

func (s *needsScreen) armed() bool { return s.app.local().Sub(s.since) >= armFor }

// takes reports whether a key answers the open card now.
func (s *needsScreen) takes(n *model.Need) bool { return s.armed() && !s.app.sent[n.Ref] }

// choose carries out an option of the open card, once it takes keys.
func (s *needsScreen) choose(n *model.Need, o choice) tea.Cmd {
	switch {
	case s.takes(n):
		return o.run()
	case !s.armed():
		s.app.toast("This card has just come. Read it, then press again.", tonePlain)
	}
	return nil
}

func (s *needsScreen) key(k string) (tea.Cmd, bool) {
	n := s.current()
	if n == nil {
		return nil, false
	}
	options := s.options(n)
	switch k {
	case "up", "k", "down", "j":
		s.option = max(0, min(s.option+step(k, 1), len(options)-1))
		return nil, true
	case "pgup", "pgdown":
		s.scroll(step(k, 8))
		return nil, true
	case "d", "D":
		if n.Kind == model.NeedPermission {
			if d := s.app.office.Rows().Decision(n.Ref); d != nil {
				s.app.openPermission(d, func() { s.whole = d.DecisionID })
			}
		}
		return nil, true
	case "enter":
		if s.option < len(options) {
			return s.choose(n, options[s.option]), true
		}
		return nil, true
	case "y", "Y", "n", "N", "w", "W":
		at := slices.IndexFunc(options, func(o choice) bool { return o.hint == strings.ToUpper(k) })
		if at >= 0 {
			return s.choose(n, options[at]), true
		}
		return nil, true
	case "+":
		if d := s.app.office.Rows().Decision(n.Ref); d != nil && n.Kind == model.NeedDecision {
			return s.app.compose(s.newNote(d)), true
		}
	}
	return nil, false
}
