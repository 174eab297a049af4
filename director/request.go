package director

import (
	"fmt"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

func (a *act) submitRequest(c contracts.SubmitRequest) (contracts.Result, *contracts.Refusal) {
	if a.countOpenProjects() >= contracts.LimitOpenProjects {
		return contracts.Result{}, contracts.Refuse(contracts.CodeConflict, "too many open projects (%d); finish some first", contracts.LimitOpenProjects)
	}
	if c.Repo != "" && a.w.Repo(c.Repo) == nil {
		return contracts.Result{}, a.noRepo(c.Repo)
	}
	if refusal := a.acceptRefusal(c); refusal != nil {
		return contracts.Result{}, refusal
	}
	id := fmt.Sprintf("proj_p%d", a.w.Made().Projects+1)
	title := titleOf(strings.TrimSpace(c.Text))
	a.emit(&contracts.Event{
		Name: contracts.EventRequestSubmitted, ProjectID: id,
		Project: &contracts.Project{
			ProjectID: id, Title: title, Status: contracts.ProjectPlanning, Request: c.Text,
			Constraints: c.Constraints, Attachments: c.Attachments, AutoAssign: c.AutoAssign, Repo: c.Repo, Accept: c.Accept,
		},
		Meta: &contracts.Meta{Title: "New request", Summary: title},
	})
	a.emit(&contracts.Event{Name: contracts.EventRequestAccepted, ProjectID: id, AgentID: contracts.AgentBD, Meta: &contracts.Meta{Title: "Request accepted", Summary: title}})
	if p := a.w.Project(id); a.kickOffRefusal() == nil {
		a.kickOff(p)
		a.bdSays(p, fmt.Sprintf("Got it: “%s”. I am calling everybody to the meeting table.", title))
	} else {
		a.bdSays(p, fmt.Sprintf("Got it: “%s”. The meeting table is taken; we will start as soon as it is free.", title))
	}
	return contracts.Result{ProjectID: id}, nil
}

func (a *act) countOpenProjects() (n int) {
	for _, p := range a.w.Projects() {
		if p.CompletedAt == 0 {
			n++
		}
	}
	return n
}

func (a *act) startKickoff(c contracts.StartKickoff) (contracts.Result, *contracts.Refusal) {
	p, refusal := a.project(c.ProjectID)
	if refusal != nil {
		return contracts.Result{}, refusal
	}
	if p.Kickoff != world.KickoffWaiting {
		return contracts.Result{}, contracts.Refuse(contracts.CodeConflict, "the kickoff of %q has already started", p.Title)
	}
	if refusal := a.pausedRefusal(p.ProjectID); refusal != nil {
		return contracts.Result{}, refusal
	}
	if refusal := a.kickOffRefusal(); refusal != nil {
		return contracts.Result{}, refusal
	}
	a.kickOff(p)
	return contracts.Result{ProjectID: p.ProjectID}, nil
}

// kickOffRefusal returns a refusal while the meeting table is taken or BD is busy, otherwise nil.
func (a *act) kickOffRefusal() *contracts.Refusal {
	if on := a.w.Meeting(); on != nil {
		return contracts.Refuse(contracts.CodeConflict, "the meeting table is taken by %q; the kickoff starts when it is free", on.Title)
	}
	if bd := a.w.Agent(contracts.AgentBD); bd == nil || !a.w.Free(bd) {
		return contracts.Refuse(contracts.CodeConflict, "no one can host the kickoff now; it starts when %s is free", contracts.AgentBD)
	}
	return nil
}

// kickOff calls BD, and as many free agents as there are seats left, to the meeting table.
func (a *act) kickOff(p *world.Project) {
	table := a.poi(contracts.POIMeetingTable)
	people := []*world.Agent{a.w.Agent(contracts.AgentBD)}
	for _, ag := range a.w.Agents() {
		if ag.AgentID != contracts.AgentBD && a.w.Free(ag) && len(people) < table.Capacity {
			people = append(people, ag)
		}
	}
	ids := make([]string, len(people))
	for i, ag := range people {
		ids[i] = ag.AgentID
	}
	a.emit(&contracts.Event{
		Name: contracts.EventKickoffStarted, ProjectID: p.ProjectID, POIID: table.POIID, Participants: ids,
		Meta: &contracts.Meta{Title: "Kickoff meeting", Summary: p.Title},
	})
	for _, ag := range people {
		a.walk(ag, a.seatOrStand(ag, table), intent{kind: contracts.GoalGoToPOI, state: contracts.StateWalking, why: fmt.Sprintf("Kickoff of “%s”.", p.Title)})
	}
}

// meetingEnds returns when the current kickoff may end; ok is false while an agent is still
// walking, the plan is missing, or the project is paused.
func (a *act) meetingEnds(p *world.Project) (at int64, ok bool) {
	if p.Proposal == nil || p.Paused {
		return 0, false
	}
	for _, id := range p.Participants {
		ag := a.w.Agent(id)
		if ag.Goal.Goal.Kind != contracts.GoalMeet {
			return 0, false
		}
		at = max(at, ag.GoalTS)
	}
	return at + int64(float64(a.cfg.Meeting.Milliseconds())/a.cfg.Pace), true
}

// endMeeting puts the proposed tasks on the board and closes the meeting. If the project is set to
// assign its tasks automatically, they are assigned before anyone walks home.
func (a *act) endMeeting(p *world.Project) {
	proposal := *p.Proposal
	n := a.createTasks(p, proposal.Tasks, taskOrigin{}, &contracts.Meta{Title: "Tasks are on the board", Summary: proposal.Summary})
	a.emit(&contracts.Event{Name: contracts.EventKickoffFinished, ProjectID: p.ProjectID, POIID: a.poi(contracts.POIMeetingTable).POIID, Participants: p.Participants,
		Reason: proposal.Reason, Meta: &contracts.Meta{Title: "Kickoff finished", Summary: proposal.Summary}})
	review := contracts.SuggestedAction{Action: "open_task_board", Label: "Review tasks", ProjectID: p.ProjectID}
	clarify := contracts.SuggestedAction{Action: "clarify", Label: "Answer a question", ProjectID: p.ProjectID}
	planned := fmt.Sprintf("I broke your request into %s.", count(n, "task"))
	if proposal.Reason != "" {
		planned = fmt.Sprintf("Planning failed (%s), so the request is one task for now.", proposal.Reason)
	}
	if p.AutoAssign {
		a.bdSays(p, planned+" "+a.handOut(p, n), review, clarify)
		return
	}
	ask := "Want me to auto-assign them?"
	if proposal.Reason != "" {
		ask = "Want me to assign it?"
	}
	a.bdSays(p, planned+" "+ask, contracts.SuggestedAction{Action: "auto_assign", Label: "Auto-assign tasks", ProjectID: p.ProjectID}, review, clarify)
}

// handOut assigns as many of a project's n planned tasks as possible and returns a sentence about
// the result.
func (a *act) handOut(p *world.Project, n int) string {
	given := 0
	for a.assignNext(p) {
		given++
	}
	switch {
	case given == n:
		return "Work starts now."
	case given == 0:
		return "Work starts as soon as someone suitable is free."
	}
	return fmt.Sprintf("Work on %d of them starts now; the rest will follow.", given)
}

// limitTitle is the maximum length of a title made from a request, in characters.
const limitTitle = 72

// titleOf returns the first line or sentence of a request, shortened at a word boundary.
func titleOf(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	if i := strings.IndexAny(line, ".!?"); i > 8 {
		line = line[:i]
	}
	runes := []rune(strings.TrimSpace(line))
	if len(runes) <= limitTitle {
		return string(runes)
	}
	cut := string(runes[:limitTitle])
	if i := strings.LastIndexByte(cut, ' '); i > limitTitle/2 {
		cut = cut[:i]
	}
	return cut + "…"
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
