package tui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/bullpen-office/bullpen/model"
)

// armFor is how long a card must be visible before it accepts a key press, because an earlier press
// may have been meant for the previous card. Until then, the card shows no key hints.
const armFor = 450 * time.Millisecond

// needsScreen shows everything that is waiting for a person, most urgent first; one card is open,
// and the others take one line each.
type needsScreen struct {
	app        *app
	ref        string // ref of a need on the open card; if empty, the first card is open
	shown      string // name of the card seen last; since is the time when the card appeared
	since      time.Time
	top        int
	fullyShown string          // id of the last permission request that was displayed in full
	apart      map[string]bool // groups whose needs are answered one by one

	picked map[string][]string // selected options of multiple-choice questions

	height int
	filter finder
}

func newNeedsScreen(a *app) *needsScreen {
	return &needsScreen{app: a, apart: map[string]bool{}, picked: map[string][]string{}}
}

func (s *needsScreen) finder() *finder { return &s.filter }

func (s *needsScreen) found() string { return foundOf(len(s.cards()), len(s.everyCard())) }

func (a *app) needsScreen() *needsScreen { return a.tabs[tabNeeds].screen.(*needsScreen) }

// goNeed opens the inbox at a need's card.
func (a *app) goNeed(ref string) {
	a.needsScreen().filter = finder{}
	a.needsScreen().selectRef(ref)
	a.goTab(tabNeeds)
}

func (s *needsScreen) selectRef(ref string) {
	if s.ref != ref {
		s.ref, s.top = ref, 0
	}
}

// cards returns the cards that match the filter.
func (s *needsScreen) cards() [][]model.Need {
	rows, in := s.app.office.Rows(), s.app.studios()
	return filtered(&s.filter, s.everyCard(), func(card *[]model.Need) string {
		words := string((*card)[0].Kind) + " " + (*card)[0].Title
		for _, n := range *card {
			words += " " + rows.NeedAgent(n)
		}
		if len(in) > 0 {
			words += " " + in[s.studioOf(in, *card)].Label
		}
		return words
	})
}

// everyCard returns the unanswered needs as cards. Needs that can be answered together share a
// card, unless the user wants to answer them one by one.
func (s *needsScreen) everyCard() (list [][]model.Need) {
	for _, group := range s.app.office.Rows().NeedGroups() {
		group = slices.DeleteFunc(group, func(n model.Need) bool { return s.app.sent[n.Ref] })
		switch {
		case len(group) == 0:
		case s.apart[group[0].Same]:
			for _, n := range group {
				list = append(list, []model.Need{n})
			}
		default:
			list = append(list, group)
		}
	}
	return s.byStudio(list)
}

func holds(ref string) func([]model.Need) bool {
	return func(card []model.Need) bool {
		return slices.ContainsFunc(card, func(n model.Need) bool { return n.Ref == ref })
	}
}

// nextNeed opens the next card; the first card follows the last.
func (a *app) nextNeed() tea.Cmd {
	s := a.needsScreen()
	cards := s.cards()
	if len(cards) == 0 {
		a.goTab(tabNeeds)
		return nil
	}
	at := slices.IndexFunc(cards, holds(s.ref))
	if a.at != tabNeeds && at >= 0 {
		at-- // coming from another screen: show the open card first
	}
	n := cards[(at+1)%len(cards)][0]
	if n.AgentID != "" {
		a.selected = n.AgentID
	}
	a.goNeed(n.Ref)
	return nil
}

// current returns the open card, or nil if there are no cards.
func (s *needsScreen) current() []model.Need {
	cards := s.cards()
	if len(cards) == 0 {
		return nil
	}
	card := cards[max(0, slices.IndexFunc(cards, holds(s.ref)))]
	if !holds(s.ref)(card) {
		s.selectRef(card[0].Ref)
	}
	return card
}

func (s *needsScreen) hints() []hint {
	card := s.current()
	if card == nil || !s.armed() {
		return nil
	}
	var list []hint
	if card[0].Kind == model.NeedDecision {
		list = append(list, hint{"1–9", "answer"}, hint{"+", "note"})
	}
	for _, o := range s.options(card) {
		if o.hint != "" && !s.disabled(card) && (card[0].Kind != model.NeedDecision || !o.answer) {
			list = append(list, hint{o.hint, shortened(o.label)})
		}
	}
	if card[0].Kind == model.NeedPermission {
		list = append(list, hint{"Enter", "show all"})
	}
	return append(list, hint{"↑↓", "other cards"})
}

// shortened returns an option's label, cut to fit into the hints.
func shortened(label string) string {
	label, _, _ = strings.Cut(label, ":")
	return clip(strings.ToLower(strings.TrimSuffix(label, "…")), 18)
}

func (s *needsScreen) scroll(by int) { s.top = max(0, s.top+by) }

// arm records the time at which another card becomes visible, and schedules a redraw for the moment
// when that card starts to accept keys.
func (s *needsScreen) arm() tea.Cmd {
	if s.app.screen() != screen(s) {
		return nil
	}
	card := s.current()
	if card == nil || s.name(card) == s.shown {
		return nil
	}
	s.shown, s.since = s.name(card), s.app.local()
	return s.app.after(armFor, func(time.Time) tea.Msg { return armedMsg{} })
}

// name returns a card's id, which changes when the card's needs change, because an answer applies
// only to needs that the user has seen.
func (s *needsScreen) name(card []model.Need) string {
	refs := make([]string, len(card))
	for i, n := range card {
		refs[i] = n.Ref
	}
	slices.Sort(refs)
	return strings.Join(refs, " ")
}

// armedMsg triggers a redraw when the open card starts to accept keys.
type armedMsg struct{}

func (s *needsScreen) armed() bool { return s.app.local().Sub(s.since) >= armFor }

// choose runs the action of an option on the open card, or shows a toast if the card does not
// accept answers yet.
func (s *needsScreen) choose(o choice) tea.Cmd {
	if !s.armed() {
		s.app.toast("This card just appeared. Read it, then press again.", tonePlain)
		return nil
	}
	return o.run()
}

func (s *needsScreen) key(k string) (tea.Cmd, bool) {
	card := s.current()
	if card == nil {
		return nil, false
	}
	n := card[0]
	switch k {
	case "up", "k", "down", "j":
		s.move(step(k, 1))
		return nil, true
	case "pgup", "pgdown":
		s.scroll(step(k, 8))
		return nil, true
	case "enter", "d", "D":
		return s.openCard(card, k), true
	case "+":
		if d := s.app.office.Rows().Decision(n.Ref); d != nil && n.Kind == model.NeedDecision && len(card) == 1 {
			return s.app.compose(s.newNote(d)), true
		}
		return nil, true
	}
	for i, o := range s.options(card) {
		number := n.Kind == model.NeedDecision && o.answer && numberKey(i) == k
		if number || o.hint == strings.ToUpper(k) {
			return s.choose(o), true
		}
	}
	return nil, strings.Contains("yYnNwW123456789", k)
}

// move selects another card.
func (s *needsScreen) move(by int) {
	cards := s.cards()
	at := slices.IndexFunc(cards, holds(s.ref))
	s.selectRef(cards[max(0, min(at+by, len(cards)-1))][0].Ref)
}

// openCard opens the subject of a card: the whole permission request, the deliverable, the board,
// or the agent that asks. It never answers the card.
func (s *needsScreen) openCard(card []model.Need, k string) tea.Cmd {
	n := card[0]
	if d := s.app.office.Rows().Decision(n.Ref); d != nil && n.Kind == model.NeedPermission {
		s.app.openPermission(d, func() { s.fullyShown = d.DecisionID })
		return nil
	}
	if k != "enter" {
		return nil
	}
	for _, o := range s.options(card) {
		if o.hint == "Enter" {
			return o.run()
		}
	}
	if n.AgentID == "" {
		return nil
	}
	return s.app.show(model.Ref{Kind: "agent", ID: n.AgentID})
}
