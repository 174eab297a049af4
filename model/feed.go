package model

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// FeedKind groups the events by what they are about.
type FeedKind struct {
	Key, Words string
	names      []contracts.EventName
}

// FeedMessages is the key of workflow messages, which are not events.
const FeedMessages = "messages"

// FeedKinds are the groups; the first is everything.
var FeedKinds = []FeedKind{
	{Words: "Everything"},
	{"requests", "Requests and plans", []contracts.EventName{
		contracts.EventRequestSubmitted, contracts.EventRequestAccepted, contracts.EventKickoffStarted, contracts.EventKickoffFinished, contracts.EventTasksCreated}},
	{"work", "Work", []contracts.EventName{
		contracts.EventTaskAssigned, contracts.EventTaskStarted, contracts.EventTaskProgress, contracts.EventTaskBlocked, contracts.EventTaskDone, contracts.EventTaskCancelled}},
	{"questions", "Questions", []contracts.EventName{contracts.EventDecisionRequested, contracts.EventDecisionResolved, contracts.EventDecisionCancelled}},
	{"deliveries", "Deliveries and reviews", []contracts.EventName{
		contracts.EventArtifactCreated, contracts.EventArtifactDelivered, contracts.EventReviewRequested, contracts.EventReviewApproved, contracts.EventReviewChangesRequested}},
	{"people", "People and guests", []contracts.EventName{contracts.EventAgentJoined, contracts.EventAgentLeft, contracts.EventAgentStatus}},
	{"usage", "Usage", []contracts.EventName{contracts.EventUsageReported}},
	{"projects", "Projects", []contracts.EventName{
		contracts.EventProjectPaused, contracts.EventProjectResumed, contracts.EventProjectCompleted, contracts.EventProjectArchived}},
	{"audit", "Logins, answers and exports", []contracts.EventName{
		contracts.EventAudited, contracts.EventDecisionResolved, contracts.EventReviewApproved, contracts.EventReviewChangesRequested}},
	{Key: "other", Words: "Other"},
	{Key: FeedMessages, Words: "Workflow messages"},
	{Key: "ui", Words: "Raw workflow events"},
	{Key: "ignored", Words: "Ignored workflow events"},
}

// FeedFilter says which lines of the timeline are shown; empty members pass all.
type FeedFilter struct {
	Project, Agent string
	Kind           FeedKind
}

// Filtered is the timeline that passes, the newest last. Changes of status and
// usage come with their own kinds only, because everything else would drown.
func (o *Office) Filtered(f FeedFilter) []FeedRow {
	rows := o.Feed()
	if f.Kind.Key == "people" || f.Kind.Key == "usage" {
		rows = slices.Concat(rows, o.Murmur())
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
		return !slices.ContainsFunc(FeedKinds, func(k FeedKind) bool { return slices.Contains(k.names, e.Name) })
	}
	return f.Kind.names == nil || slices.Contains(f.Kind.names, e.Name)
}

func concerns(e *contracts.Event, agent string) bool {
	return e.AgentID == agent || e.FromAgentID == agent || slices.Contains(e.Participants, agent) ||
		slices.ContainsFunc(e.Agents, func(a contracts.AgentProfile) bool { return a.AgentID == agent })
}

// NeededYou reports the events at which the person was asked for something.
func NeededYou(e *contracts.Event) bool {
	return e.Name == contracts.EventDecisionRequested || e.Name == contracts.EventReviewRequested
}

// Answered reports a change of status with which a guest ended its turn with an
// answer; Meta marks the answers that are new.
func Answered(e *contracts.Event) bool {
	return e.Status != nil && e.Status.Said != "" && e.Meta != nil
}

// Head is the first words of a line of the timeline.
func Head(e *contracts.Event) string {
	switch {
	case Answered(e):
		return "Said"
	case e.Status != nil:
		return ActivityWords(e.Status.Activity)
	}
	if !KnownEvent(e.Name) {
		return string(e.Name)
	}
	return EventWords(e.Name)
}

// About is what a line of the timeline tells beyond its name.
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

// Ref is something that a person can point at.
type Ref struct {
	Kind string // agent, task, artifact, decision or project
	ID   string
}

// RefOf is what an event is about; the zero value when nothing.
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
