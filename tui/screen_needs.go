package tui

import (
	"regexp"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/tui/link"
	"github.com/bullpen-office/bullpen/tui/model"
)

// armFor is how long a card must have been seen before a key answers it: an
// answer within a blink was meant for another.
const armFor = 450 * time.Millisecond

// needsScreen is everything that waits for the person, oldest first; one is open,
// the others are one line each.
type needsScreen struct {
	app     *app
	ref     string // of the open one; empty takes the first
	shown   string // the card that is drawn, and since when
	since   time.Time
	option  int
	top     int
	refusal string
	busy    bool
}

func (a *app) needsScreen() *needsScreen { return a.tabs[tabNeeds].screen.(*needsScreen) }

// goNeed shows one need.
func (a *app) goNeed(ref string) {
	s := a.needsScreen()
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
	needs := s.app.office.Rows().Needs()
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
	if n == nil {
		return nil
	}
	switch n.Kind {
	case model.NeedReview:
		return []hint{{"Enter", "open"}, {"Y", "approve"}, {"N", "changes"}}
	case model.NeedPermission:
		return []hint{{"Y", "allow once"}, {"N", "deny"}, {"↑↓ Enter", "choose"}}
	}
	list := []hint{{"↑↓ Enter", "answer"}}
	if d := s.app.office.Rows().Decision(n.Ref); d != nil && d.AllowFreeText {
		list = append(list, hint{"W", "own words"})
	}
	return append(list, hint{"+", "note"})
}

func (s *needsScreen) scroll(by int) { s.top = max(0, s.top+by) }

// armed reports whether the card has been seen long enough to be meant.
func (s *needsScreen) armed() bool { return s.app.local().Sub(s.since) >= armFor }

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
	case "enter":
		if s.option < len(options) && s.armed() {
			return options[s.option].run(), true
		}
		return nil, true
	case "y", "Y":
		return s.yesNo(n, true), true
	case "n", "N":
		return s.yesNo(n, false), true
	case "w", "W":
		if d := s.app.office.Rows().Decision(n.Ref); d != nil && d.AllowFreeText {
			return s.app.compose(s.ownWords(d)), true
		}
	case "+":
		if d := s.app.office.Rows().Decision(n.Ref); d != nil && n.Kind == model.NeedDecision {
			return s.app.compose(s.newNote(d)), true
		}
	}
	return nil, false
}

var (
	yesWords = regexp.MustCompile(`(?i)^(yes|approve|allow|accept|go ahead|ok|okay|try again|sure)\b`)
	noWords  = regexp.MustCompile(`(?i)^(no|deny|reject|decline|not now|don.t)\b`)
)

// yesNo answers the open need with one key. A review knows both; a question only
// where an option says so; a tool is allowed once or denied, never for good.
func (s *needsScreen) yesNo(n *model.Need, yes bool) tea.Cmd {
	a := s.app
	if !s.armed() {
		return nil
	}
	if n.Kind == model.NeedReview {
		art := a.office.Rows().Artifact(n.Ref)
		switch {
		case art == nil:
			return nil
		case yes:
			return a.approve(art, s.replied)
		}
		return a.compose(a.newChanges(art))
	}
	d := a.office.Rows().Decision(n.Ref)
	if d == nil {
		return nil
	}
	for _, o := range d.Options {
		if n.Kind == model.NeedPermission {
			if yes && o == contracts.OptionAllow || !yes && o == contracts.OptionDeny {
				return s.answer(d, o)
			}
		} else if yes && yesWords.MatchString(o) || !yes && noWords.MatchString(o) {
			return s.answer(d, o)
		}
	}
	return nil
}

// options are what can be chosen on the open card.
func (s *needsScreen) options(n *model.Need) []choice {
	a := s.app
	rows := a.office.Rows()
	var list []choice
	if n.Kind == model.NeedReview {
		art := rows.Artifact(n.Ref)
		if art == nil {
			return nil
		}
		return []choice{
			{label: "Open and read it", hint: "Enter", run: func() tea.Cmd { return a.openArtifact(art.ArtifactID) }},
			{label: "Approve", hint: "Y", run: func() tea.Cmd { return a.approve(art, s.replied) }},
			{label: "Request changes…", hint: "N", run: func() tea.Cmd { return a.compose(a.newChanges(art)) }},
			{label: "Split into tasks…", run: func() tea.Cmd { return a.compose(a.newSplit(art)) }},
		}
	}
	d := rows.Decision(n.Ref)
	if d == nil {
		return nil
	}
	for _, o := range d.Options {
		key := ""
		if n.Kind == model.NeedPermission {
			key = map[string]string{contracts.OptionAllow: "Y", contracts.OptionDeny: "N"}[o]
		}
		list = append(list, choice{label: o, hint: key, run: func() tea.Cmd { return s.answer(d, o) }})
	}
	if d.AllowFreeText {
		list = append(list, choice{label: "In your own words…", hint: "W", run: func() tea.Cmd { return a.compose(s.ownWords(d)) }})
	}
	return list
}

// answer resolves a decision as it is seen here.
func (s *needsScreen) answer(d *contracts.Decision, choice string) tea.Cmd {
	done := "Answered. Back to work they go."
	switch {
	case d.Kind == contracts.DecisionPermission:
		if why := s.permitReason(d); why != "" {
			s.app.toast(why, toneBad)
			return nil
		}
		done = map[string]string{contracts.OptionDeny: "Denied.", contracts.OptionAlways: "Allowed from now on."}[choice]
		if done == "" {
			done = "Allowed once."
		}
	case d.Kind == contracts.DecisionAsk:
		done = "Answered."
	}
	s.busy = true
	return s.app.act(s.resolve(d, choice), done, s.replied)
}

func (s *needsScreen) resolve(d *contracts.Decision, choice string) contracts.ResolveDecision {
	return contracts.ResolveDecision{
		DecisionID: d.DecisionID, Choice: choice, Note: strings.TrimSpace(s.app.drafts["note "+d.DecisionID]), ExpectedDecisionStatus: contracts.DecisionOpen,
	}
}

func (s *needsScreen) replied(reply link.Reply) tea.Cmd {
	s.busy, s.refusal = false, ""
	if !reply.OK {
		s.refusal = reply.Message
	}
	return nil
}

// permitReason is why we cannot answer a permission; empty when we can.
func (s *needsScreen) permitReason(d *contracts.Decision) string {
	switch {
	case d.ExpiresAt != 0 && d.ExpiresAt <= s.app.office.Now():
		return "Nobody waits for this answer any more."
	case s.app.frozen() != "":
		return s.app.frozen()
	case !s.app.office.Permit:
		return "Letting an agent run a tool takes the operator credential."
	}
	return ""
}

// ownWords is a field for an answer that is none of the options.
func (s *needsScreen) ownWords(d *contracts.Decision) *composer {
	return &composer{
		name: "answer " + d.DecisionID, label: "Your answer", asks: "in your own words…", limit: contracts.LimitChoice,
		send: func(text string, then func(link.Reply) tea.Cmd) tea.Cmd {
			return s.app.act(s.resolve(d, text), "Answered. Back to work they go.", then)
		},
	}
}

// newNote is a field for something that goes along with the answer.
func (s *needsScreen) newNote(d *contracts.Decision) *composer {
	name := "note " + d.DecisionID
	return &composer{
		name: name, label: "Note", asks: "anything they should know (sent with your answer)", limit: contracts.LimitNote,
		send: func(text string, then func(link.Reply) tea.Cmd) tea.Cmd {
			cmd := then(link.Reply{OK: true})
			s.app.drafts[name] = text
			return cmd
		},
	}
}
