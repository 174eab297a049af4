package tui

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/tui/link"
)

var (
	yesWords = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(yes|approve|allow|accept|go ahead|ok|okay|try again|sure)\b`)
	})
	noWords = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^(no|deny|reject|decline|not now|don.t)\b`) })
)

// permitKeys maps the options of a permission request to their keys. Caps Lock does not affect the
// key for "always".
var permitKeys = map[string]string{contracts.OptionAllow: "Y", contracts.OptionDeny: "N", contracts.OptionAlways: "!"}

// answerKey returns the key shown for an option. In a question, this is Y for the first option that
// means yes, N for the first that means no, and a number for the others. The number of an option
// always works.
func answerKey(kind model.NeedKind, options []string, at int) string {
	if kind == model.NeedPermission {
		return permitKeys[options[at]]
	}
	switch at {
	case slices.IndexFunc(options, yesWords().MatchString):
		return "Y"
	case slices.IndexFunc(options, noWords().MatchString):
		return "N"
	}
	return numberKey(at)
}

func numberKey(at int) string {
	if at > 8 {
		return ""
	}
	return itoa(at + 1)
}

// options returns the choices of the open card, each with its own key. Nothing is preselected, and
// Enter never answers.
func (s *needsScreen) options(card []model.Need) []choice {
	a := s.app
	rows := a.office.Rows()
	n := card[0]
	switch n.Kind {
	case model.NeedReview:
		return s.reviewOptions(rows.Artifact(n.Ref))
	case model.NeedPlan:
		return []choice{
			{label: "Start (assign the tasks)", hint: "Y", run: func() tea.Cmd {
				start := contracts.AutoAssign{ProjectID: n.Ref}
				return a.answerNow(n.Ref, start, contracts.SayTasksAssigned, s.refusalHandler(n.Ref))
			}},
			{label: contracts.SayOpenPlan, hint: "Enter", run: func() tea.Cmd { return a.show(model.Ref{Kind: "project", ID: n.Ref}) }},
		}
	case model.NeedElsewhere:
		return []choice{{label: "Open", hint: "Enter", run: func() tea.Cmd { return a.show(model.Ref{Kind: "agent", ID: n.Ref}) }}}
	}
	d := rows.Decision(n.Ref)
	if d == nil {
		return nil
	}
	list := make([]choice, 0, len(d.Options)+3)
	for i, o := range d.Options {
		if d.Multiple {
			list = append(list, s.pickOption(d, i))
			continue
		}
		list = append(list, choice{label: s.described(d, i), hint: answerKey(n.Kind, d.Options, i), answer: true, run: func() tea.Cmd { return s.answer(card, o) }})
	}
	if picked := s.picked[n.Ref]; d.Multiple && len(picked) > 0 {
		list = append(list, choice{label: "Answer: " + strings.Join(picked, ", "), hint: "Y", run: func() tea.Cmd { return s.answer(card, picked...) }})
	}
	if d.AllowFreeText {
		list = append(list, choice{label: "In your own words…", hint: "W", run: func() tea.Cmd { return a.compose(s.newOwnAnswer(card)) }})
	}
	if len(card) > 1 {
		list = append(list, choice{label: "Answer them one by one", hint: "O", run: func() tea.Cmd { s.apart[n.Same] = true; return nil }})
	}
	return list
}

// described returns an option with its description, if it has one.
func (s *needsScreen) described(d *contracts.Decision, i int) string {
	if i < len(d.Descriptions) && d.Descriptions[i] != "" {
		return d.Options[i] + " – " + d.Descriptions[i]
	}
	return d.Options[i]
}

// pickOption returns the choice for option i of a multiple-choice question. The option's number key
// selects or deselects the option.
func (s *needsScreen) pickOption(d *contracts.Decision, i int) choice {
	o, id := d.Options[i], d.DecisionID
	at := slices.Index(s.picked[id], o)
	sign := map[bool]string{true: "✓ ", false: "  "}[at >= 0]
	return choice{label: sign + s.described(d, i), hint: numberKey(i), answer: true, run: func() tea.Cmd {
		if at >= 0 {
			s.picked[id] = slices.Delete(slices.Clone(s.picked[id]), at, at+1)
		} else {
			s.picked[id] = append(slices.Clone(s.picked[id]), o)
		}
		return nil
	}}
}

func (s *needsScreen) reviewOptions(art *contracts.Artifact) []choice {
	if art == nil {
		return nil
	}
	a := s.app
	return []choice{
		{label: "Open and read it", hint: "Enter", run: func() tea.Cmd { return a.openArtifact(art.ArtifactID) }},
		{label: contracts.SayApprove, hint: "Y", run: func() tea.Cmd { return a.approve(art) }},
		{label: "Request changes…", hint: "N", run: func() tea.Cmd { return a.compose(a.newChanges(art)) }},
		{label: "Split into tasks…", hint: "S", run: func() tea.Cmd { return a.compose(a.newSplit(art)) }},
	}
}

// answer submits the same answer to all decisions of a card: one choice, or several if the
// question allows them.
func (s *needsScreen) answer(card []model.Need, choices ...string) tea.Cmd {
	choice := choices[0]
	p := &pendingAnswer{words: strings.Join(choices, ", "), done: contracts.SayAnswered}
	if card[0].Kind == model.NeedPermission {
		p.permit, p.done = true, permittedWords(choice)
		if !s.mayPermit(card, choice) {
			return nil
		}
	}
	for _, n := range card {
		d := s.app.office.Rows().Decision(n.Ref)
		if d == nil {
			continue
		}
		switch {
		case d.Session != nil:
			p.done = contracts.SayDismissed
		case d.TaskID != "" && !p.permit:
			p.done = contracts.SayAnsweredGoesOn
		}
		if why := s.permitReason(d); d.Permission != nil && why != "" {
			s.app.toast(why, toneBad)
			return nil
		}
		data := s.resolve(d, choice)
		if d.Multiple {
			data.Choices = choices
		}
		p.commands = append(p.commands, needCommand{d.DecisionID, data})
		if n.Until != 0 && (p.until == 0 || n.Until < p.until) {
			p.until = n.Until
		}
	}
	return s.app.submit(p)
}

func permittedWords(choice string) string {
	switch choice {
	case contracts.OptionDeny:
		return contracts.SayDenied
	case contracts.OptionAlways:
		return contracts.SayAllowedAlways
	}
	return contracts.SayAllowedOnce
}

// mayPermit reports whether a permission request can be answered now, and shows the reason if not.
// All needs on a card ask for the same permission, so people need to read only the first request.
func (s *needsScreen) mayPermit(card []model.Need, choice string) bool {
	for i, n := range card {
		d := s.app.office.Rows().Decision(n.Ref)
		if d == nil {
			return false
		}
		if why := s.permitReason(d); why != "" {
			s.app.toast(why, toneBad)
			return false
		}
		if i == 0 && choice != contracts.OptionDeny && d.Permission != nil && s.fullyShown != d.DecisionID {
			s.app.toast("You have not seen the whole request: press Enter, read to the end, then allow it.", tonePlain)
			return false
		}
	}
	return true
}

func (s *needsScreen) resolve(d *contracts.Decision, choice string) contracts.ResolveDecision {
	return contracts.ResolveDecision{
		DecisionID: d.DecisionID, Choice: choice, Note: strings.TrimSpace(s.app.drafts["note "+d.DecisionID]), ExpectedDecisionStatus: contracts.DecisionOpen,
	}
}

// refusalHandler returns a reply handler that shows a refusal on the card.
func (s *needsScreen) refusalHandler(ref string) func(link.Reply) tea.Cmd {
	return func(reply link.Reply) tea.Cmd {
		if !reply.OK && reply.Message != "" {
			s.app.refused[ref] = reply.Message
		}
		return nil
	}
}

// permitReason returns the reason that this client cannot answer a permission request or a tool's
// question, or "" if it can.
func (s *needsScreen) permitReason(d *contracts.Decision) string {
	switch {
	case d.ExpiresAt != 0 && d.ExpiresAt <= s.app.office.Now():
		return contracts.SayNoLongerWaiting
	case s.app.disabledReason() != "":
		return s.app.disabledReason()
	case !s.app.office.Permit && d.Kind != contracts.DecisionPermission:
		return fmt.Sprintf(contracts.SayOperatorOnly, contracts.SayAnsweringAgent)
	case !s.app.office.Permit:
		return fmt.Sprintf(contracts.SayOperatorOnly, contracts.SayLettingRun)
	}
	return ""
}

// newOwnAnswer returns the composer for a free-text answer. Undo restores the text as a draft.
func (s *needsScreen) newOwnAnswer(card []model.Need) *composer {
	name := "answer " + card[0].Ref
	return &composer{
		name: name, label: contracts.SayOwnAnswer, placeholder: "type your answer…", limit: contracts.LimitChoice,
		send: func(text string, then func(link.Reply) tea.Cmd) tea.Cmd {
			before := len(s.app.undoable)
			cmd := s.answer(card, append(slices.Clone(s.picked[card[0].Ref]), text)...)
			sent := len(s.app.undoable) > before || s.app.sent[card[0].Ref]
			closed := then(link.Reply{OK: sent})
			if len(s.app.undoable) > before {
				s.app.undoable[before].undone = func() { s.app.drafts[name] = text }
			}
			return tea.Batch(cmd, closed)
		},
	}
}

// newNote returns the composer for a note that is sent with the answer.
func (s *needsScreen) newNote(d *contracts.Decision) *composer {
	name := "note " + d.DecisionID
	return &composer{
		name: name, label: "Note", placeholder: contracts.SayNoteHint, limit: contracts.LimitNote,
		send: func(text string, then func(link.Reply) tea.Cmd) tea.Cmd {
			cmd := then(link.Reply{OK: true})
			s.app.drafts[name] = text
			return cmd
		},
	}
}
