package director

import (
	"cmp"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// agentSeen admits a guest, or updates its profile.
func (a *act) agentSeen(f contracts.AgentSeen) *contracts.Refusal {
	p := f.Profile
	if !p.Guest() || !contracts.HasPrefix(p.AgentID, contracts.PrefixAgent) {
		return contracts.RefuseField("agent_id", "a guest needs a source and an id that starts with agent_")
	}
	p.Name = contracts.Clip(contracts.CleanLine(p.Name), contracts.LimitName)
	p.Place = contracts.Clip(contracts.CleanLine(p.Place), contracts.LimitPreview)
	p.Repo = contracts.Clip(contracts.CleanLine(p.Repo), contracts.LimitPreview)
	p.Model = contracts.Clip(contracts.CleanLine(p.Model), contracts.LimitName)
	p.Role, p.Home = contracts.RoleGuest, ""
	if contracts.Blank(p.Name) {
		p.Name = p.AgentID
	}
	have := a.w.Agent(p.AgentID)
	if p.RoomID, p.SeatID = "", ""; have != nil { // only the office assigns rooms and desks
		p.RoomID, p.SeatID = have.RoomID, have.SeatID
		p.Repo = cmp.Or(have.Repo, p.Repo)
	}
	switch {
	case have != nil && !have.Guest():
		return contracts.Refuse(contracts.CodeConflict, "%s is a crew member; a guest needs its own id", p.AgentID)
	case have != nil && have.Source != p.Source && have.Source != contracts.SourceUI && have.Source != contracts.SourceMCP: // a guest known only from workflow events or MCP tool calls may change its source
		return contracts.Refuse(contracts.CodeConflict, "%s is already in the office, from %s; a guest from another source needs its own id", p.AgentID, have.Source)
	case have != nil && have.Outpost != p.Outpost:
		return contracts.Refuse(contracts.CodeConflict, "%s is already in the office, %s; it can join from elsewhere once it has left", p.AgentID, cameFrom(have.Outpost))
	case have != nil && a.cfg.Sources.Same(have.AgentProfile, p):
		return nil
	case have == nil && len(a.w.Guests()) >= contracts.LimitGuests:
		return contracts.Refuse(contracts.CodeConflict, "the office is full (%d guests); %s can join when one leaves", contracts.LimitGuests, p.Name)
	}
	a.emit(&contracts.Event{Name: contracts.EventAgentJoined, Agents: []contracts.AgentProfile{p},
		Meta: &contracts.Meta{Title: joinedTitle(have, p), Summary: p.Place}})
	if have == nil {
		a.enter(a.w.Agent(p.AgentID))
	}
	return nil
}

// joinedTitle returns the title for a guest that has arrived or that is now watched by another
// node. have is nil if the guest was not in the office.
func joinedTitle(have *world.Agent, p contracts.AgentProfile) string {
	if have != nil && have.Node != p.Node && p.Node != "" {
		return p.Name + " is watched by node " + p.Node
	}
	return p.Name + " is here"
}

// cameFrom describes where a guest comes from: the office's own watchers or an outpost.
func cameFrom(outpost string) string {
	if outpost == "" {
		return "watched by the office itself"
	}
	return "from outpost " + outpost
}

// enter places a guest at the door and sends it to its idle place. On a campus, a sub-agent is
// placed at its host's seat instead. Later moves follow from the agent's status.
func (a *act) enter(ag *world.Agent) {
	if host := a.host(ag); host != nil {
		a.moveToPlacement(ag)
		at := a.perch(ag, host)
		a.goal(ag, at, intent{kind: contracts.GoalIdle, state: contracts.StateIdle, why: "Just came in."}, []contracts.Vec3{at.pos})
		return
	}
	at := a.standNear(ag, a.w.Scene().Manifest().Spawns.Player)
	a.goal(ag, at, intent{kind: contracts.GoalIdle, state: contracts.StateIdle, why: "Just came in."}, []contracts.Vec3{at.pos})
	a.sendHome(ag)
}

func (a *act) guest(id string) (*world.Agent, *contracts.Refusal) {
	ag, refusal := a.agent(id)
	if refusal != nil {
		return nil, refusal
	}
	if !ag.Guest() {
		return nil, contracts.Refuse(contracts.CodeConflict, "%s is a crew member, so its status depends on its work and cannot be set", ag.Name)
	}
	return ag, nil
}

func (a *act) agentGone(f contracts.AgentGone) *contracts.Refusal {
	ag, refusal := a.watchedGuest(f.AgentID)
	if refusal != nil {
		return refusal
	}
	a.removeGuest(ag, f.Reason)
	return nil
}

// removeGuest removes a guest, withdraws its questions and answers the messages sent to it.
func (a *act) removeGuest(ag *world.Agent, reason string) {
	reason = contracts.Clip(contracts.CleanLine(reason), contracts.LimitNote)
	for _, d := range slices.Clone(a.w.Decisions()) {
		if d.ProjectID == "" && d.AskedBy == ag.AgentID && d.Asks() {
			a.withdraw(d, ag.Name+" has left.")
		}
	}
	for _, c := range a.w.PendingChats(ag.AgentID) { // no one will answer these messages now
		a.emit(&contracts.Chat{ThreadID: c.Chat.ThreadID, From: ag.AgentID, To: contracts.UserID, Text: ag.Name + " has left the office without answering.", AnswersSeq: c.Seq})
	}
	a.emit(&contracts.Event{Name: contracts.EventAgentLeft, AgentID: ag.AgentID, Reason: reason,
		Meta: &contracts.Meta{Title: ag.Name + " has left", Summary: reason}})
}

func (a *act) statusSeen(f contracts.StatusSeen) *contracts.Refusal {
	s := f.Status
	ag, refusal := a.watchedGuest(s.AgentID)
	if refusal != nil {
		return refusal
	}
	switch s.Activity {
	case contracts.ActivityWorking, contracts.ActivityWaiting, contracts.ActivityIdle, contracts.ActivityOffline:
	default:
		return contracts.RefuseField("activity", "unknown activity %q (known: working, waiting, idle, offline)", s.Activity)
	}
	s.Line = contracts.Clip(contracts.CleanLine(s.Line), contracts.LimitPreview)
	s.Why = contracts.Clip(contracts.CleanLine(s.Why), contracts.LimitNote)
	s.Said = contracts.Clip(contracts.CleanLine(s.Said), contracts.LimitSnapshotText)
	s.Evidence = slices.Clone(s.Evidence[:min(len(s.Evidence), contracts.LimitEvidence)])
	for i := range s.Evidence {
		s.Evidence[i].Says = contracts.Clip(contracts.CleanLine(s.Evidence[i].Says), contracts.LimitPreview)
	}
	if contracts.Blank(s.Why) {
		return contracts.RefuseField("why", "missing why: a status needs a reason")
	}
	if s.Since = a.now.MS; ag.Status != nil && ag.Status.Activity == s.Activity {
		s.Since = ag.Status.Since
	}
	e := &contracts.Event{Name: contracts.EventAgentStatus, AgentID: ag.AgentID, Status: &s}
	if s.Said != "" && (ag.Status == nil || ag.Status.Said != s.Said) { // the agent has answered
		e.Meta = &contracts.Meta{Title: ag.Name + " said", Summary: s.Said}
	}
	a.emit(e)
	return nil
}

// shownActivity returns the activity to show for an agent without a task, based on its status, its
// questions and, for crew members, its unanswered messages.
func (a *act) shownActivity(ag *world.Agent) contracts.Activity {
	switch {
	case ag.Status != nil && ag.Status.Activity == contracts.ActivityOffline:
		return contracts.ActivityOffline
	case a.w.OpenAsk(ag.AgentID) != nil:
		return contracts.ActivityWaiting
	case ag.Status == nil && !ag.Guest() && len(a.w.PendingChats(ag.AgentID)) > 0:
		return contracts.ActivityWorking
	case ag.Status == nil:
		return contracts.ActivityIdle
	}
	return ag.Status.Activity
}

// stepGuests moves the first guest that is not where it should be: at a desk while working, on a
// stage or with a person while asking, otherwise at home. It reports whether there was one.
func (a *act) stepGuests() bool {
	for _, ag := range a.w.Agents() {
		if ag.Guest() && a.moveGuest(ag) {
			return true
		}
	}
	return false
}

func (a *act) moveGuest(ag *world.Agent) bool {
	g := &ag.Goal
	switch activity := a.shownActivity(ag); {
	case activity == contracts.ActivityOffline:
		if g.State == contracts.StateOffline {
			return false
		}
		a.goOffline(ag)
	case activity == contracts.ActivityWaiting:
		seated := a.waitsSeated(ag)
		if awaits(g) && !a.misplaced(ag) && !a.lostPerch(ag) && !a.mayGoOnStage(ag) && !(seated && a.onStage(ag)) {
			return false
		}
		a.moveToPlacement(ag)
		if seated {
			a.walk(ag, a.waitingSeat(ag), intent{kind: contracts.GoalGoToPOI, state: contracts.StateSeeking, why: a.waitReason(ag)})
			return true
		}
		a.seekPerson(ag, "", a.waitReason(ag))
	case activity == contracts.ActivityWorking:
		bound := g.State == contracts.StateWorking || g.State == contracts.StateWalking && g.Goal.Kind == contracts.GoalGoToPOI
		if bound && !a.leftBehind(ag) && !a.misplaced(ag) && !a.offPerch(ag) {
			return false
		}
		a.moveToPlacement(ag)
		a.walk(ag, a.workplace(ag), intent{kind: contracts.GoalGoToPOI, state: contracts.StateWalking, why: ag.Status.Why})
	default:
		bound := g.State == contracts.StateIdle || g.Goal.Kind == contracts.GoalGoHome && g.State != contracts.StateOffline
		if bound && !a.offPerch(ag) {
			return false
		}
		if a.host(ag) != nil {
			a.moveToPlacement(ag)
		}
		a.sendHome(ag)
	}
	return true
}

func (a *act) waitReason(ag *world.Agent) string {
	if d := a.w.OpenAsk(ag.AgentID); d != nil {
		return "Needs you: " + d.Prompt
	}
	return ag.Status.Why
}

// seeks reports whether an agent is on its way to a person.
func seeks(g *contracts.AgentGoal) bool {
	return g.State == contracts.StateToPlayer || g.State == contracts.StateSeeking
}

// workplace returns the place where a guest works. Without studios, that is a free desk or, for a
// sub-agent, a spot next to its parent; see studioWorkplace for a campus.
func (a *act) workplace(ag *world.Agent) place {
	if a.cfg.Studios {
		return a.studioWorkplace(ag)
	}
	if parent := a.w.Agent(ag.ParentID); parent != nil {
		return a.standNear(ag, parent.Destination())
	}
	return a.seatOrStand(ag, a.desks("")...)
}

// nearParent is the maximum distance in metres between a working sub-agent and its parent. It
// applies only without studios.
const nearParent = 2.5

// leftBehind reports whether a sub-agent's parent has moved away and a free place is clearly nearer
// to the parent. It returns false if the office has studios.
func (a *act) leftBehind(ag *world.Agent) bool {
	parent := a.w.Agent(ag.ParentID)
	if parent == nil || a.cfg.Studios {
		return false
	}
	gap := distance(ag.Destination(), parent.Destination())
	return gap > nearParent && distance(a.workplace(ag).pos, parent.Destination())+1 < gap
}

// goOffline stops a guest whose session has ended. On a campus, the guest gives up its seat,
// because offline guests are not drawn.
func (a *act) goOffline(ag *world.Agent) {
	in := intent{kind: contracts.GoalIdle, state: contracts.StateOffline, why: ag.Status.Why}
	if !a.cfg.Studios {
		a.halt(ag, in)
		return
	}
	pos, facing := a.w.Pos(ag, a.now.MS)
	a.goal(ag, place{pos: pos, facing: facing}, in, []contracts.Vec3{pos})
}

// halt stops an agent where it is now, even in the middle of a walk.
func (a *act) halt(ag *world.Agent, in intent) {
	if !ag.Goal.Goal.Kind.Moves() {
		a.stay(ag, in)
		return
	}
	pos, facing := a.w.Pos(ag, a.now.MS)
	a.goal(ag, place{pos: pos, facing: facing}, in, []contracts.Vec3{pos})
}

// arriveGuest starts the activity that a guest has come for. If the guest's status has changed in
// the meantime, stepGuests sends it elsewhere.
func (a *act) arriveGuest(ag *world.Agent) {
	in := intent{kind: contracts.GoalIdle, state: contracts.StateIdle, why: ag.Goal.Why}
	switch ag.Goal.State {
	case contracts.StateToPlayer, contracts.StateSeeking:
		in.kind, in.state = contracts.GoalWaitForUser, contracts.StateWaiting
	case contracts.StateWalking:
		if ag.Goal.Goal.Kind == contracts.GoalGoToPOI {
			in.kind, in.state = contracts.GoalWork, contracts.StateWorking
		}
	}
	if ag.Status != nil {
		in.why = ag.Status.Why
	}
	a.stay(ag, in)
}
