package model

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

// NeedKind is the kind of action that a person has to take.
type NeedKind string

// The kinds of needs.
const (
	NeedDecision   NeedKind = "decision"
	NeedPermission NeedKind = "permission"
	NeedPlan       NeedKind = "plan"      // planned tasks that are waiting to be assigned
	NeedReview     NeedKind = "review"    // a deliverable
	NeedElsewhere  NeedKind = "elsewhere" // an agent is waiting in its own terminal
	NeedUnchecked  NeedKind = "unchecked" // a session ended without a passing check of its last code edit
)

// Urgency orders the inbox: lower comes first.
type Urgency int

// The urgencies, most urgent first.
const (
	UrgentLive    Urgency = iota // the need expires, or a live session is waiting for the answer
	UrgentTask                   // a task is blocked
	UrgentPlan                   // the work has not started
	UrgentReview                 // the work is done and is waiting for a review
	UrgentNothing                // a session has ended, so no work is waiting
)

// Need is something that is waiting for a person.
type Need struct {
	Ref     string // id of the decision or artifact; of the project for a plan; of the agent for NeedElsewhere
	Kind    NeedKind
	Urgency Urgency
	Title   string
	AgentID string
	Name    string // the agent's name; set if the agent may have left the office. See NeedAgent
	Since   int64
	Until   int64  // when the question expires; 0 means never
	Same    string // equal for needs that can share one answer; empty if the need is never grouped
}

// Needs returns everything that is waiting for a person, most urgent first. web/src/world/needs.ts
// follows the same rules; contracts/vectors/needs.json tests both.
func (r *Rows) Needs() []Need {
	list := slices.Concat(r.needDecisions(), r.needPlans(), r.needReviews())
	list = append(list, r.needElsewhere(list)...)
	slices.SortStableFunc(list, func(a, b Need) int {
		return cmp.Or(cmp.Compare(a.Urgency, b.Urgency), cmp.Compare(deadline(a), deadline(b)), cmp.Compare(a.Since, b.Since), cmp.Compare(a.Ref, b.Ref))
	})
	return list
}

// deadline returns a sort key that puts needs without a deadline last.
func deadline(n Need) uint64 { return uint64(n.Until) - 1 }

// NeedGroups returns Needs in groups: needs that can share one answer form a group, which takes the
// place of its most urgent member.
func (r *Rows) NeedGroups() (groups [][]Need) {
	at := map[string]int{}
	for _, n := range r.Needs() {
		if i, known := at[n.Same]; known && n.Same != "" {
			groups[i] = append(groups[i], n)
			continue
		}
		at[n.Same] = len(groups)
		groups = append(groups, []Need{n})
	}
	return groups
}

func (r *Rows) needDecisions() (list []Need) {
	for i := range r.Decisions {
		d := &r.Decisions[i]
		if d.Status != contracts.DecisionOpen {
			continue
		}
		n := Need{Ref: d.DecisionID, Kind: NeedDecision, Urgency: UrgentTask, Title: d.Prompt, AgentID: d.AskedBy, Since: d.AskedAt, Until: d.ExpiresAt, Same: sameQuestion(d)}
		if s := d.Session; s != nil {
			list = append(list, Need{Ref: d.DecisionID, Kind: NeedUnchecked, Urgency: UrgentNothing, Title: d.Prompt, AgentID: d.AskedBy, Name: s.Agent.Name, Since: d.AskedAt})
			continue
		}
		if d.Kind == contracts.DecisionPermission {
			n.Kind, n.Same = NeedPermission, samePermission(d)
		}
		if n.Kind == NeedPermission || d.TaskID == "" || d.ExpiresAt != 0 {
			n.Urgency = UrgentLive
		}
		list = append(list, n)
	}
	return list
}

// cut and redacted are the marks in text that was shortened or redacted. The missing text is
// unknown, so needs with such a mark are not grouped.
const (
	cut      = "…"
	redacted = "[redacted]"
)

// sameQuestion returns a key that is the same for equal questions in one project. Equal questions
// in two projects have different keys, because "this request" means a different request in each.
// The key is empty if the text was shortened or redacted.
func sameQuestion(d *contracts.Decision) string {
	if strings.HasSuffix(d.Prompt, cut) || strings.Contains(d.Prompt, redacted) {
		return ""
	}
	place := ""
	if d.Permission != nil {
		place = d.Permission.Place
	}
	head := []string{d.ProjectID, string(d.Kind), strconv.FormatBool(d.AllowFreeText), strconv.FormatBool(d.Multiple), place, d.Header, d.Prompt}
	return strings.Join(slices.Concat(head, d.Options, []string{"descriptions"}, d.Descriptions), "\x00")
}

// samePermission returns a key that is the same for requests with the same tool, folder, complete
// input, options and grants, or "" if the tool, folder or input is missing or incomplete.
func samePermission(d *contracts.Decision) string {
	p := d.Permission
	if p == nil || p.Tool == "" || p.Place == "" || len(p.Args) == 0 {
		return ""
	}
	args := jsontext.Value(bytes.Clone(p.Args))
	if args.Format(jsontext.ReorderRawObjects(true), jsontext.SpaceAfterColon(false), jsontext.SpaceAfterComma(false)) != nil || bytes.Contains(args, []byte(redacted)) || bytes.Contains(args, []byte(`"truncated":true`)) {
		return ""
	}
	return strings.Join(append([]string{"permission", p.Tool, p.Place, p.Grants, string(args)}, d.Options...), "\x00")
}

// needPlans returns needs for planned work that a person has to start.
func (r *Rows) needPlans() (list []Need) {
	for i := range r.Projects {
		p := &r.Projects[i]
		ready := r.Unstarted(p)
		if len(ready) == 0 {
			continue
		}
		n := Need{Ref: p.ProjectID, Kind: NeedPlan, Urgency: UrgentPlan, Title: p.Title, Since: ready[0].CreatedAt}
		if r.Agent(contracts.AgentBD) != nil {
			n.AgentID = contracts.AgentBD
		}
		list = append(list, n)
	}
	return list
}

// Unstarted returns a project's planned tasks that a person has to assign. Only executing and
// blocked projects without auto_assign have any. Reviews are left out until every other task is
// final or in review, because the director does not assign them earlier.
func (r *Rows) Unstarted(p *contracts.Project) (list []contracts.Task) {
	if p.AutoAssign || p.Status != contracts.ProjectExecuting && p.Status != contracts.ProjectBlocked {
		return nil
	}
	made := true
	for _, t := range r.TasksOf(p.ProjectID) {
		if t.Status == contracts.TaskPlanned && t.Assignee == "" {
			list = append(list, t)
		}
		made = made && (t.Kind == contracts.KindReview || t.Status.Final() || t.Status == contracts.TaskReview)
	}
	if made {
		return list
	}
	return slices.DeleteFunc(list, func(t contracts.Task) bool { return t.Kind == contracts.KindReview })
}

func (r *Rows) needReviews() (list []Need) {
	for i := range r.Artifacts {
		a := &r.Artifacts[i]
		if a.Status != contracts.ArtifactInReview {
			continue
		}
		n := Need{Ref: a.ArtifactID, Kind: NeedReview, Urgency: UrgentReview, Title: cmp.Or(a.Title, a.Type), AgentID: a.CreatedBy}
		if t := r.Task(a.TaskID); t != nil {
			n.Since = t.UpdatedAt // the review began with the task's last change
		}
		list = append(list, n)
	}
	return list
}

// needElsewhere returns a need for each raised hand that no other need explains. The agent must be
// answered in its own terminal.
func (r *Rows) needElsewhere(others []Need) (list []Need) {
	explained := map[string]bool{}
	for _, n := range others {
		if n.Kind == NeedUnchecked {
			continue
		}
		explained[n.AgentID] = true
		if a := r.Agent(n.AgentID); a != nil && a.ParentID != "" {
			explained[a.ParentID] = true // a sub-agent's question is asked in its parent's session
		}
	}
	for i := range r.Agents {
		a := &r.Agents[i]
		if raised(a) && !explained[a.AgentID] && !r.answered(a) {
			list = append(list, Need{Ref: a.AgentID, Kind: NeedElsewhere, Urgency: UrgentLive, Title: cmp.Or(a.StatusLine, a.Why), AgentID: a.AgentID, Since: a.Since})
		}
	}
	return list
}

// raised reports whether an agent has raised its hand. A guest raises its hand when its evidence
// shows that it is waiting. A crew member raises its hand when it is waiting and has no task.
// Questions about a task are decisions instead.
func raised(a *contracts.Agent) bool {
	switch {
	case a.Source != "":
		return a.Activity == contracts.ActivityWaiting
	case a.TaskID != "":
		return false
	}
	return a.State == contracts.StateSeeking || a.State == contracts.StateToPlayer ||
		a.State == contracts.StateWaiting && a.Goal.Kind == contracts.GoalWaitForUser
}

// answered reports whether the agent raised its hand for a decision that has just been answered;
// the agent will lower its hand shortly.
func (r *Rows) answered(a *contracts.Agent) bool {
	said := strings.TrimSuffix(cmp.Or(a.StatusLine, a.Why), cut)
	return slices.ContainsFunc(r.Decisions, func(d contracts.Decision) bool {
		if d.AskedBy != a.AgentID || d.Status != contracts.DecisionResolved || a.Since > d.AskedAt+contracts.RaisedHandWindow.Milliseconds() {
			return false
		}
		return d.Permission != nil && d.Permission.Label != "" && strings.HasSuffix(said, d.Permission.Label) || strings.HasPrefix(d.Prompt, said) || strings.HasSuffix(said, d.Prompt)
	})
}

// NeedAgent returns the name of the agent that a need is about.
func (r *Rows) NeedAgent(n Need) string { return cmp.Or(n.Name, r.Name(n.AgentID)) }

// NeedProject returns the title of a need's project if there are several projects. It returns ""
// for plans, because the title of a plan is the project's title.
func (r *Rows) NeedProject(n Need) string {
	id := ""
	switch n.Kind {
	case NeedReview:
		if a := r.Artifact(n.Ref); a != nil {
			id = a.ProjectID
		}
	case NeedDecision, NeedPermission:
		if d := r.Decision(n.Ref); d != nil {
			id = d.ProjectID
		}
	}
	title, live := "", 0
	for _, p := range r.Projects {
		if p.Status != contracts.ProjectCompleted && p.Status != contracts.ProjectArchived {
			live++
		}
		if p.ProjectID == id {
			title = p.Title
		}
	}
	if live < 2 {
		return ""
	}
	return title
}
