package translate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ToolQuestion is the tool that Claude Code uses to ask a person a question.
const ToolQuestion = "AskUserQuestion"

// form is the input of ToolQuestion. Claude Code expects the same input back, with the answers
// keyed by question text.
type form struct {
	Questions []struct {
		Question string `json:"question"`
		Header   string `json:"header"`
		Multiple bool   `json:"multiSelect"`
		Options  []struct {
			Label       string `json:"label"`
			Description string `json:"description"`
		} `json:"options"`
	} `json:"questions"`
}

// formOf parses the questions of a call. ok is false if tool is not ToolQuestion or a question
// cannot be answered in the office.
func formOf(tool string, input jsontext.Value) (f form, ok bool) {
	if tool != ToolQuestion {
		return f, false
	}
	if mismatched, err := hud.Decode(input, &f); err != nil || len(mismatched) > 0 || len(f.Questions) == 0 || len(f.Questions) > contracts.LimitFormQuestions {
		return f, false
	}
	seen := map[string]bool{}
	for _, q := range f.Questions {
		if contracts.Blank(q.Question) || seen[q.Question] || len(q.Options) == 0 || len(q.Options) > contracts.LimitOptions {
			return f, false
		}
		seen[q.Question] = true
		labels := map[string]bool{}
		for _, o := range q.Options {
			label := hud.Line(o.Label, contracts.LimitChoice)
			if contracts.Blank(label) || labels[label] { // equal labels are ambiguous
				return f, false
			}
			labels[label] = true
		}
	}
	return f, true
}

// Questions returns the decisions that a call to ToolQuestion asks for, in order, or nil if the call
// has no questions that the office can ask. Each decision accepts one option (several if Multiple
// is set) or free text. call describes the tool call that the decisions are about.
func Questions(tool string, input jsontext.Value, call contracts.Permission) []contracts.AskSeen {
	f, ok := formOf(tool, input)
	if !ok {
		return nil
	}
	var list []contracts.AskSeen
	for i, q := range f.Questions {
		about := call
		about.Tool, about.Args, about.Grants = ToolQuestion, nil, ""
		about.Label = hud.Line(q.Question, contracts.LimitPreview)
		ask := contracts.AskSeen{
			Kind: contracts.DecisionAsk, Prompt: hud.Line(q.Question, contracts.LimitNote), Header: hud.Line(q.Header, contracts.LimitName),
			Multiple: q.Multiple, AllowFreeText: true, Permission: &about,
		}
		if n := len(f.Questions); n > 1 {
			ask.Header = strings.TrimPrefix(fmt.Sprintf("%s · %d of %d", ask.Header, i+1, n), " · ")
		}
		for _, o := range q.Options {
			ask.Options = append(ask.Options, hud.Line(o.Label, contracts.LimitChoice))
			ask.Descriptions = append(ask.Descriptions, hud.Line(o.Description, contracts.LimitSnapshotText))
		}
		list = append(list, ask)
	}
	return list
}

// Answers returns the input of a ToolQuestion call, completed with the answers. decisions must be
// in the order of Questions. It returns false unless all questions were answered.
func Answers(tool string, input jsontext.Value, decisions []contracts.Decision) (jsontext.Value, bool) {
	f, ok := formOf(tool, input)
	var whole map[string]jsontext.Value
	if !ok || len(decisions) != len(f.Questions) || json.Unmarshal(input, &whole, hud.Lenient) != nil {
		return nil, false
	}
	answers := make(map[string]string)
	for i, d := range decisions {
		if d.Status != contracts.DecisionResolved {
			return nil, false
		}
		picked := d.Choices
		if len(picked) == 0 {
			picked = []string{d.Choice}
		}
		var labels []string
		for _, choice := range picked {
			if at := slices.Index(d.Options, choice); at >= 0 && at < len(f.Questions[i].Options) {
				choice = f.Questions[i].Options[at].Label // the label as the model wrote it
			}
			labels = append(labels, choice)
		}
		if d.Note != "" {
			labels = append(labels, "("+d.Note+")")
		}
		answers[f.Questions[i].Question] = strings.Join(labels, ", ")
	}
	whole["answers"] = hud.Value(answers)
	return hud.Value(whole), true
}
