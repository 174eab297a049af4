package rehearsal

import (
	"fmt"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
)

// topic is what a question is about; the answer changes that part of the brief.
type topic string

const (
	topicAudience topic = "audience"
	topicTone     topic = "tone"
	topicAction   topic = "action"
	topicWeight   topic = "weight"
	topicFirst    topic = "first"
	topicMood     topic = "mood"
	topicColours  topic = "colours"
	topicLanguage topic = "language"
	topicForm     topic = "form"
	topicCare     topic = "care"
)

// question is a decision that only a person can take.
type question struct {
	topic topic
	ask   crew.Ask
}

// questionOf gives the question that this job has to ask now. To keep the room
// calm one task of a project asks, once: the first of the plan whose kind has a
// question. The plan follows from the request alone, so the job can tell by its
// own title. A task that is not from our plan asks when it has priority 1.
func questionOf(b brief, job crew.TaskJob) (question, bool) {
	if len(job.Answers) > 0 || len(job.Previous) > 0 || job.Instructions != "" || job.Task.SplitFrom != "" {
		return question{}, false
	}
	asks := job.Task.Priority == 1
	for _, d := range plan(job.Project).Tasks {
		if d.Title == job.Task.Title {
			asks = d.Title == asker(job.Project)
			break
		}
	}
	if !asks {
		return question{}, false
	}
	return b.question(job.Task.Kind)
}

// asker is the title of the planned task that asks.
func asker(p contracts.Project) string {
	b := newBrief(p)
	for _, d := range plan(p).Tasks {
		if _, ok := b.question(d.Kind); ok {
			return d.Title
		}
	}
	return ""
}

// question is what a kind of work needs to know; what the request already says
// is not asked again.
func (b brief) question(k contracts.TaskKind) (question, bool) {
	about := definite(b.subject)
	switch k {
	case contracts.KindResearch:
		if b.audience == "" {
			return b.askAudience(), true
		}
		return choose(topicWeight, fmt.Sprintf("What should weigh most when we compare options for %s?", about), true,
			"Price", "Ease of use", "Features", "Trust and support"), true
	case contracts.KindPlan:
		if b.audience == "" {
			return b.askAudience(), true
		}
		return choose(topicFirst, fmt.Sprintf("What matters most for the first milestone of %s?", about), false,
			"Speed", "Quality", "Low cost"), true
	case contracts.KindCopy:
		if b.tone == "" {
			return choose(topicTone, fmt.Sprintf("Which tone should the text about %s have?", about), true,
				"Friendly", "Professional", "Playful", "Bold"), true
		}
		return choose(topicAction, fmt.Sprintf("What should a reader do after reading about %s?", about), true,
			"Sign up", "Buy", "Get in touch", "Learn more"), true
	case contracts.KindDesign:
		if b.tone == "" {
			return choose(topicMood, fmt.Sprintf("Which mood should the design of %s have?", about), true,
				"Calm", "Bold", "Playful", "Elegant"), true
		}
		return choose(topicColours, fmt.Sprintf("Which colours should lead in the design of %s?", about), false,
			"Warm", "Cool", "Neutral", "Dark"), true
	case contracts.KindCode:
		return b.askCode(about), true
	}
	return question{}, false
}

func (b brief) askCode(about string) question {
	switch {
	case b.language == "":
		return choose(topicLanguage, fmt.Sprintf("Which language should we use for %s?", about), false, "Go", "TypeScript", "Python")
	case b.form == "":
		return choose(topicForm, fmt.Sprintf("In which form do you want %s first?", about), false, formTool, formService, formLibrary)
	}
	return choose(topicCare, fmt.Sprintf("Where should we take most care with %s?", about), true,
		"Correctness and tests", "Speed of delivery", "Simple operation")
}

// askAudience offers people who fit what the request is about.
func (b brief) askAudience() question {
	options := []string{"New customers", "Existing customers", "General public"}
	for _, g := range []struct{ hints, options string }{
		{"api app software website saas code service tool dashboard landing platform sdk", "Tech users|Business buyers|General consumers"},
		{"course lesson workshop school curriculum training tutorial guide", "Beginners|Advanced learners|Teachers"},
		{"party wedding birthday trip event festival conference", "Family and friends|Colleagues|The public"},
		{"bakery coffee restaurant shop store menu food", "Neighbours and regulars|Visitors passing by|Online customers"},
	} {
		if mentions(b.text, words(g.hints)) {
			options = strings.Split(g.options, "|")
			break
		}
	}
	return choose(topicAudience, fmt.Sprintf("Who is the target audience of %s?", definite(b.subject)), true, options...)
}

func mentions(text string, set map[string]bool) bool {
	for _, w := range newPhrase(text) {
		if _, ok := singular(set, key(w)); ok {
			return true
		}
	}
	return false
}

func choose(t topic, prompt string, free bool, options ...string) question {
	return question{t, crew.Ask{Prompt: prompt, Options: options, AllowFreeText: free}}
}

// learn puts the answers into the brief, so that they shape the deliverable.
func (b *brief) learn(job crew.TaskJob) {
	q, ok := b.question(job.Task.Kind)
	for _, d := range job.Answers {
		d.Choice, d.Note = oneLine(d.Choice), oneLine(d.Note)
		b.decisions = append(b.decisions, d)
		if !ok || d.Prompt != q.ask.Prompt {
			continue
		}
		switch q.topic {
		case topicAudience:
			b.audience = d.Choice
		case topicTone, topicMood:
			b.tone = d.Choice
		case topicLanguage:
			b.language = d.Choice
		case topicForm:
			b.form = d.Choice
		default:
			b.emphasis = d.Choice
		}
	}
}

// overhear takes the audience from a colleague's file when somebody else has
// asked for it already.
func (b *brief) overhear(siblings []source) {
	if b.audience != "" {
		return
	}
	lead := "- " + b.askAudience().ask.Prompt + " **"
	for _, s := range siblings {
		if _, rest, ok := strings.Cut(s.text, lead); ok {
			b.audience, _, _ = strings.Cut(rest, "**")
			return
		}
	}
}

func answerText(d contracts.Decision) string {
	if d.Note == "" {
		return "“" + d.Choice + "”"
	}
	return fmt.Sprintf("“%s” (%s)", d.Choice, d.Note)
}
