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
		return []hint{{"Y", "allow once"}, {"N", "deny"}, {"↑↓ Enter", "choose"}}
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

var (
	yesWords = regexp.MustCompile(`(?i)^(yes|approve|allow|accept|go ahead|ok|okay|try again|sure)\b`)
	noWords  = regexp.MustCompile(`(?i)^(no|deny|reject|decline|not now|don.t)\b`)
)

// answerKey is the one key for an option: a tool is allowed once or denied, never
// for good; a question knows yes and no only where its options say so.
func answerKey(kind model.NeedKind, options []string, at int) string {
	for _, key := range []string{"Y", "N"} {
		if slices.IndexFunc(options, func(o string) bool { return means(kind, key, o) }) == at {
			return key
		}
	}
	return ""
}

func means(kind model.NeedKind, key, option string) bool {
	switch {
	case kind == model.NeedPermission:
		return option == map[string]string{"Y": contracts.OptionAllow, "N": contracts.OptionDeny}[key]
	case key == "Y":
		return yesWords.MatchString(option)
	}
	return noWords.MatchString(option)
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
	for i, o := range d.Options {
		list = append(list, choice{label: o, hint: answerKey(n.Kind, d.Options, i), run: func() tea.Cmd { return s.answer(d, o) }})
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
	return s.app.verdict(d.DecisionID, s.resolve(d, choice), done, s.replied)
}

func (s *needsScreen) resolve(d *contracts.Decision, choice string) contracts.ResolveDecision {
	return contracts.ResolveDecision{
		DecisionID: d.DecisionID, Choice: choice, Note: strings.TrimSpace(s.app.drafts["note "+d.DecisionID]), ExpectedDecisionStatus: contracts.DecisionOpen,
	}
}

func (s *needsScreen) replied(reply link.Reply) tea.Cmd {
	s.refusal = ""
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
			return s.app.verdict(d.DecisionID, s.resolve(d, text), "Answered. Back to work they go.", then)
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
