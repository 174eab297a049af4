package translate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// toolQuestion is the tool that Codex uses to ask a person questions.
const toolQuestion = "request_user_input"

// Form is a request for a person to answer questions.
type Form struct {
	Thread    string         `json:"threadId"`
	Item      string         `json:"itemId"`
	Questions []formQuestion `json:"questions"`
}

type formQuestion struct {
	ID       string       `json:"id"`
	Header   string       `json:"header"`
	Question string       `json:"question"`
	Secret   bool         `json:"isSecret"`
	Options  []formOption `json:"options"` // empty if any text is accepted
}

type formOption struct {
	Label       string `json:"label"`
	Description string `json:"description"`
}

// ReadForm reads a request for answers. It returns an error if the office cannot ask every
// question in the request. The office never asks for secrets, because it records every answer.
func ReadForm(params jsontext.Value) (Form, error) {
	var f Form
	mismatched, err := hud.Decode(params, &f)
	f.Item = guest.Name(f.Item)
	switch {
	case err != nil:
		return f, err
	case len(mismatched) > 0:
		return f, errors.New("members with an unexpected type: " + strings.Join(mismatched, ", "))
	case len(f.Questions) == 0 || len(f.Questions) > contracts.LimitFormQuestions:
		return f, fmt.Errorf("the request has %d questions, but must have 1 to %d", len(f.Questions), contracts.LimitFormQuestions)
	}
	seen := map[string]bool{}
	for _, q := range f.Questions {
		switch {
		case q.ID == "" || seen[q.ID]:
			return f, errors.New("the id of a question is missing or not unique")
		case contracts.Blank(q.Question):
			return f, errors.New("a question has no text")
		case q.Secret:
			return f, errors.New("a question asks for a secret")
		case !q.distinct():
			return f, errors.New("a question has too many options, or options that cannot be told apart")
		}
		seen[q.ID] = true
	}
	return f, nil
}

// distinct reports whether a person can tell the options apart.
func (q formQuestion) distinct() bool {
	var labels []string
	for _, o := range q.Options {
		label := o.shown()
		if contracts.Blank(label) || slices.Contains(labels, label) {
			return false
		}
		labels = append(labels, label)
	}
	return len(labels) <= contracts.LimitOptions
}

func (o formOption) shown() string { return hud.Line(o.Label, contracts.LimitChoice) }

// Asks returns the form's questions, in order, as they are shown to a person. Each accepts one
// option or free text. place is the session's directory.
func (f Form) Asks(place string) (list []contracts.AskSeen) {
	for i, q := range f.Questions {
		prompt := hud.Line(q.Question, contracts.LimitNote)
		ask := contracts.AskSeen{
			Kind: contracts.DecisionAsk, Prompt: prompt, Header: hud.Line(q.Header, contracts.LimitName), AllowFreeText: true,
			Permission: &contracts.Permission{Tool: toolQuestion, Label: hud.Line(prompt, contracts.LimitPreview), CallID: f.Item, Place: place},
		}
		if n := len(f.Questions); n > 1 {
			ask.Header = strings.TrimPrefix(fmt.Sprintf("%s · %d of %d", ask.Header, i+1, n), " · ")
		}
		for _, o := range q.Options {
			ask.Options = append(ask.Options, o.shown())
			ask.Descriptions = append(ask.Descriptions, hud.Line(o.Description, contracts.LimitSnapshotText))
		}
		list = append(list, ask)
	}
	return list
}

// FormAnswers is the answer to a Form. If it is empty, Codex tells the model that no one answered.
type FormAnswers struct {
	Answers map[string]FormAnswer `json:"answers"` // by question id
}

// FormAnswer is the answer to one question.
type FormAnswer struct {
	Answers []string `json:"answers"`
}

// Answer returns the answer to the form. decisions must be in the order of Asks. The answer is
// empty unless all questions were answered.
func (f Form) Answer(decisions []contracts.Decision) FormAnswers {
	answers := map[string]FormAnswer{}
	for i, d := range decisions {
		if len(decisions) != len(f.Questions) || d.Status != contracts.DecisionResolved {
			return FormAnswers{map[string]FormAnswer{}}
		}
		q, choice := f.Questions[i], d.Choice
		if at := slices.IndexFunc(q.Options, func(o formOption) bool { return o.shown() == choice }); at >= 0 {
			choice = q.Options[at].Label // the label as the model wrote it
		}
		answer := FormAnswer{[]string{choice}}
		if d.Note != "" {
			answer.Answers = append(answer.Answers, d.Note)
		}
		answers[q.ID] = answer
	}
	return FormAnswers{answers}
}
