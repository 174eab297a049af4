package director

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// fit rates how well a role suits a kind of work; 0 means not at all.
var fit = map[contracts.TaskKind]map[contracts.Role]int{
	contracts.KindResearch: {contracts.RoleResearcher: 3, contracts.RoleStrategist: 1},
	contracts.KindPlan:     {contracts.RoleStrategist: 3, contracts.RoleResearcher: 1},
	contracts.KindCopy:     {contracts.RoleWriter: 3},
	contracts.KindDesign:   {contracts.RoleDesigner: 3},
	contracts.KindCode:     {contracts.RoleEngineer: 3},
	contracts.KindReview:   {contracts.RoleReviewer: 3, contracts.RoleStrategist: 1},
}

// desks maps each kind of work to the desk where it is done.
var desks = map[contracts.TaskKind]contracts.POIType{
	contracts.KindResearch: contracts.POIResearchDesk,
	contracts.KindPlan:     contracts.POIResearchDesk,
	contracts.KindReview:   contracts.POIResearchDesk,
	contracts.KindCopy:     contracts.POIWritingDesk,
	contracts.KindDesign:   contracts.POIDesignDesk,
	contracts.KindCode:     contracts.POIDevDesk,
}

func (a *act) assignTask(c contracts.AssignTask) (contracts.Result, *contracts.Refusal) {
	t, refusal := a.task(c.TaskID)
	if refusal != nil {
		return contracts.Result{}, refusal
	}
	ag, refusal := a.agent(c.AgentID)
	if refusal != nil {
		return contracts.Result{}, refusal
	}
	if refusal := cmp.Or(a.pausedRefusal(t.ProjectID), expect("payload.data.expected_task_status", c.ExpectedTaskStatus, t.Status), a.takeRefusal(ag)); refusal != nil {
		return contracts.Result{}, refusal
	}
	if t.Status != contracts.TaskPlanned || t.Assignee != "" {
		return contracts.Result{}, contracts.Refuse(contracts.CodeConflict, "task %q is %s%s; reassign it instead", t.Title, taskStatus(t), assigneeSuffix(t.Assignee))
	}
	a.assign(t, ag, false)
	return contracts.Result{Assignments: []contracts.Assignment{{TaskID: t.TaskID, AgentID: ag.AgentID}}}, nil
}

func assigneeSuffix(assignee string) string {
	if assignee == "" {
		return ""
	}
	return ", assigned to " + assignee
}

// takeRefusal returns a refusal unless an agent can take a task now.
func (a *act) takeRefusal(ag *world.Agent) *contracts.Refusal {
	switch {
	case ag.Guest():
		return contracts.Refuse(contracts.CodeNotAllowed, "%s is a guest and can only be watched here; choose a crew member", ag.Name)
	case ag.Role == contracts.RoleBD:
		return contracts.Refuse(contracts.CodeNotAllowed, "%s leads the office and does not take tasks; choose another agent", ag.Name)
	case ag.Goal.State == contracts.StateOffline:
		return contracts.Refuse(contracts.CodeConflict, "%s is offline; choose another agent", ag.Name)
	case a.w.InMeeting(ag.AgentID):
		return contracts.Refuse(contracts.CodeConflict, "%s is in a meeting; wait until it ends or choose another agent", ag.Name)
	case ag.TaskID != "":
		return contracts.Refuse(contracts.CodeConflict, "%s is busy with %q; wait or choose another agent", ag.Name, a.w.Task(ag.TaskID).Title)
	}
	return nil
}

func (a *act) autoAssign(c contracts.AutoAssign) (contracts.Result, *contracts.Refusal) {
	p, refusal := a.project(c.ProjectID)
	if refusal != nil {
		return contracts.Result{}, refusal
	}
	if refusal := a.pausedRefusal(p.ProjectID); refusal != nil {
		return contracts.Result{}, refusal
	}
	waiting, held := a.unassigned(p.ProjectID)
	if len(waiting) == 0 && held > 0 {
		return contracts.Result{}, contracts.Refuse(contracts.CodeConflict, "%s %q has already started; its reviews start when there is work to review", p.ProjectID, p.Title)
	}
	if len(waiting) == 0 {
		return contracts.Result{}, contracts.Refuse(contracts.CodeConflict, "project %q has no unassigned tasks", p.Title)
	}
	res := contracts.Result{ProjectID: p.ProjectID}
	for _, t := range waiting {
		if ag := a.bestFree(t.Kind); ag != nil {
			a.assign(t, ag, true)
			res.Assignments = append(res.Assignments, contracts.Assignment{TaskID: t.TaskID, AgentID: ag.AgentID})
		}
	}
	if len(res.Assignments) == 0 {
		return contracts.Result{}, a.busyRefusal(waiting)
	}
	return res, nil
}

// busyRefusal returns the refusal for tasks that no free agent suits. It names the agents that suit
// them and says what each is doing.
func (a *act) busyRefusal(tasks []*world.Task) *contracts.Refusal {
	var busy []string
	for _, ag := range a.w.Agents() {
		suits := slices.ContainsFunc(tasks, func(t *world.Task) bool { return fit[t.Kind][ag.Role] > 0 })
		if suits && !ag.Guest() && !a.w.Free(ag) && ag.Goal.State != contracts.StateOffline {
			doing := strings.ToLower(contracts.AgentStateWords[ag.Goal.State])
			if t := a.w.Task(ag.TaskID); t != nil && t.Status == contracts.TaskBlocked {
				doing = "waiting for your answer"
			}
			busy = append(busy, fmt.Sprintf("%s (%s)", ag.Name, doing))
		}
	}
	if len(busy) == 0 {
		return contracts.Refuse(contracts.CodeConflict, "no suitable agent is in the office for %s: assign another agent", count(len(tasks), "task"))
	}
	return contracts.Refuse(contracts.CodeConflict, "no suitable agent is free for %s: wait for %s, or assign another agent", count(len(tasks), "task"), strings.Join(busy, ", "))
}

// unassigned returns a project's planned tasks without an assignee, most urgent first. It leaves out
// reviews until all other tasks are in review or finished; held is the number of reviews left out.
func (a *act) unassigned(projectID string) (out []*world.Task, held int) {
	early := false
	for t := range a.w.ProjectTasks(projectID) {
		if t.Status == contracts.TaskPlanned && t.Assignee == "" {
			out = append(out, t)
		}
		early = early || t.Kind != contracts.KindReview && !t.Status.Final() && t.Status != contracts.TaskReview
	}
	if early {
		all := len(out)
		out = slices.DeleteFunc(out, func(t *world.Task) bool { return t.Kind == contracts.KindReview })
		held = all - len(out)
	}
	slices.SortStableFunc(out, func(x, y *world.Task) int { return cmp.Compare(x.Priority, y.Priority) })
	return out, held
}

// bestFree returns the free agent whose role fits a kind of work best. If no role in the crew fits,
// it returns any free agent; if all agents that fit are busy, it returns nil.
func (a *act) bestFree(kind contracts.TaskKind) *world.Agent {
	var best, anyFree *world.Agent
	top, known := 0, false
	for _, ag := range a.w.Agents() {
		if ag.Role == contracts.RoleBD || ag.Guest() {
			continue
		}
		score := fit[kind][ag.Role]
		known = known || score > 0
		if !a.w.Free(ag) {
			continue
		}
		anyFree = cmp.Or(anyFree, ag)
		if score > top {
			best, top = ag, score
		}
	}
	if best == nil && !known {
		return anyFree
	}
	return best
}

// assign gives a task to an agent and sends the agent to a desk.
func (a *act) assign(t *world.Task, ag *world.Agent, auto bool) {
	e := &contracts.Event{Name: contracts.EventTaskAssigned, ProjectID: t.ProjectID, TaskID: t.TaskID, AgentID: ag.AgentID, Auto: auto,
		Meta: &contracts.Meta{Title: ag.Name + " was assigned a task", Summary: t.Title}}
	if t.Assignee != "" && t.Assignee != ag.AgentID {
		e.FromAgentID = t.Assignee
	}
	a.emit(e)
	a.goToDesk(t, ag, fmt.Sprintf("Assigned to “%s”.", t.Title))
}

// goToDesk sends the assignee to the best free desk for the work or, if all desks are taken, to a
// spot close to the best one.
func (a *act) goToDesk(t *world.Task, ag *world.Agent, why string) {
	a.walk(ag, a.seatOrStand(ag, a.desks(t.Kind)...), intent{kind: contracts.GoalGoToPOI, state: contracts.StateWalking, taskID: t.TaskID, why: why})
}

// desks returns the places where a kind of work can be done, best first.
func (a *act) desks(kind contracts.TaskKind) []*contracts.POI {
	sc := a.w.Scene()
	places := sc.POIsOfType(desks[kind])
	for _, other := range []contracts.POIType{contracts.POIResearchDesk, contracts.POIDevDesk, contracts.POIDesignDesk, contracts.POIWritingDesk, contracts.POITaskBoard} {
		places = append(places, sc.POIsOfType(other)...)
	}
	return places
}

func (a *act) reassignTask(c contracts.ReassignTask) (contracts.Result, *contracts.Refusal) {
	t, refusal := a.task(c.TaskID)
	if refusal != nil {
		return contracts.Result{}, refusal
	}
	to, refusal := a.agent(c.ToAgentID)
	if refusal != nil {
		return contracts.Result{}, refusal
	}
	if refusal := cmp.Or(a.pausedRefusal(t.ProjectID), expect("payload.data.expected_task_status", c.ExpectedTaskStatus, t.Status)); refusal != nil {
		return contracts.Result{}, refusal
	}
	switch {
	case t.Status.Final() || t.Status == contracts.TaskReview:
		return contracts.Result{}, contracts.Refuse(contracts.CodeConflict, "task %q is %s and cannot be reassigned", t.Title, taskStatus(t))
	case len(a.w.TaskArtifacts(t.TaskID, contracts.ArtifactCreated)) > 0:
		return contracts.Result{}, contracts.Refuse(contracts.CodeConflict, "the result of %q is on its way to the shelf; review it there", t.Title)
	case t.Assignee == to.AgentID:
		return contracts.Result{}, contracts.Refuse(contracts.CodeConflict, "%s already has task %q", to.Name, t.Title)
	}
	if refusal := a.takeRefusal(to); refusal != nil {
		return contracts.Result{}, refusal
	}
	reason := "Moved to " + to.Name + "."
	a.dropDecision(t, reason)
	a.endRun(t, contracts.RunCancelled, reason)
	a.assign(t, to, false)
	return contracts.Result{Assignments: []contracts.Assignment{{TaskID: t.TaskID, AgentID: to.AgentID}}}, nil
}
