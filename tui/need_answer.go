package tui

import (
	"regexp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/tui/link"
	"github.com/bullpen-office/bullpen/tui/model"
)

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
		if choice != contracts.OptionDeny && d.Permission != nil && s.whole != d.DecisionID {
			s.app.toast("Not all of it was on the screen: D shows it, read to the end, then allow it.", tonePlain)
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
