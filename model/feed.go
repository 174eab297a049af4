package model

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// FeedMessages is the filter key for workflow messages, which are not events.
const FeedMessages = "messages"

// FeedKinds are the timeline's filters; the first shows everything.
var FeedKinds = slices.Concat([]contracts.FeedKind{{Words: contracts.SayEverything}}, contracts.FeedKinds, []contracts.FeedKind{
	{Key: "other", Words: contracts.SayOther},
	{Key: FeedMessages, Words: contracts.SayWorkflowNotices},
	{Key: "ui", Words: contracts.SayWorkflowRaw},
	{Key: "ignored", Words: contracts.SayWorkflowIgnored},
})

// FeedFilter selects timeline rows; an empty field matches everything.
type FeedFilter struct {
	Project, Agent string
	Kind           contracts.FeedKind
}

// Filtered returns the matching timeline rows, newest last. Status changes and usage reports are
// included only if their kind is selected, because they would drown out everything else.
func (o *Office) Filtered(f FeedFilter) []FeedRow {
	rows := o.Feed()
	if f.Kind.Key == "people" || f.Kind.Key == "usage" {
		rows = slices.Concat(rows, o.Frequent())
		slices.SortStableFunc(rows, func(a, b FeedRow) int { return cmp.Compare(a.Seq, b.Seq) })
	}
	var out []FeedRow
	for _, row := range rows {
		if f.passes(row.Event) {
			out = append(out, row)
		}
	}
	return out
}

func (f FeedFilter) passes(e *contracts.Event) bool {
	project := e.ProjectID
	if project == "" && e.Project != nil {
		project = e.Project.ProjectID
	}
	if f.Project != "" && project != f.Project || f.Agent != "" && !concerns(e, f.Agent) {
		return false
	}
	if f.Kind.Key == "other" {
		return !slices.ContainsFunc(FeedKinds, func(k contracts.FeedKind) bool { return slices.Contains(k.Names, e.Name) })
	}
	return f.Kind.Names == nil || slices.Contains(f.Kind.Names, e.Name)
}

func concerns(e *contracts.Event, agent string) bool {
	return e.AgentID == agent || e.FromAgentID == agent || slices.Contains(e.Participants, agent) ||
		slices.ContainsFunc(e.Agents, func(a contracts.AgentProfile) bool { return a.AgentID == agent })
}

// NeededYou reports whether an event required a response from a person.
func NeededYou(e *contracts.Event) bool {
	return e.Name == contracts.EventDecisionRequested || e.Name == contracts.EventReviewRequested
}

// Answered reports whether an event is a status change with a new answer from a guest. The event's
// Meta is set only if the answer is new.
func Answered(e *contracts.Event) bool {
	return e.Status != nil && e.Status.Said != "" && e.Meta != nil
}

// Head returns an event's headline in the timeline.
func Head(e *contracts.Event) string {
	switch {
	case Answered(e):
		return contracts.SayReplied
	case e.Status != nil:
		return ActivityWords(e.Status.Activity)
	}
	if !KnownEvent(e.Name) {
		return string(e.Name)
	}
	return EventWords(e.Name)
}

// About returns an event's details in the timeline: a title, a reason or a message.
func (r *Rows) About(e *contracts.Event) string {
	var names []string
	for _, a := range e.Agents {
		names = append(names, a.Name)
	}
	parts := []string{e.PreviewText}
	if Answered(e) {
		parts = append(parts, e.Status.Said)
	}
	if e.Status != nil {
		parts = append(parts, e.Status.Why)
	}
	if e.Usage != nil {
		parts = append(parts, TurnWords(*e.Usage))
	}
	parts = append(parts, strings.Join(names, ", "))
	if e.Decision != nil {
		parts = append(parts, e.Decision.Prompt)
	}
	parts = append(parts, e.Choice)
	if t := r.Task(e.TaskID); t != nil {
		parts = append(parts, t.Title)
	}
	if a := r.Artifact(artifactOf(e)); a != nil {
		parts = append(parts, a.Title)
	}
	if e.Project != nil {
		parts = append(parts, e.Project.Title)
	}
	if e.Meta != nil {
		parts = append(parts, e.Meta.Summary, e.Meta.Title)
	}
	about := cmp.Or(append(parts, e.Reason)...)
	if e.Via != "" {
		about += " · via " + e.Via
	}
	return about
}

func artifactOf(e *contracts.Event) string {
	if e.ArtifactID == "" && e.Artifact != nil {
		return e.Artifact.ArtifactID
	}
	return e.ArtifactID
}

// Ref refers to a row that a person can select.
type Ref struct {
	Kind string // agent, task, artifact, decision or project
	ID   string
}

// RefOf returns a reference to the artifact, decision, task, agent or project that an event is
// about, or the zero Ref if there is none.
func RefOf(e *contracts.Event) Ref {
	switch {
	case artifactOf(e) != "":
		return Ref{"artifact", artifactOf(e)}
	case e.Name == contracts.EventDecisionRequested && e.Decision != nil:
		return Ref{"decision", e.Decision.DecisionID}
	case e.TaskID != "":
		return Ref{"task", e.TaskID}
	case e.DecisionID != "":
		return Ref{"decision", e.DecisionID}
	case e.AgentID != "":
		return Ref{"agent", e.AgentID}
	case e.ProjectID != "":
		return Ref{"project", e.ProjectID}
	}
	return Ref{}
}
