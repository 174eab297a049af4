package door

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/tools"
	"github.com/bullpen-office/bullpen/world"
)

// desk carries out tool calls as the agent whose token came with the request.
type desk struct{ Config }

var errNoCaller = errors.New("the call did not come through the office's endpoint")

// caller returns the calling agent. An agent that is not in the office joins as a guest.
func (d *desk) caller(ctx context.Context, doing string) (contracts.Principal, contracts.AgentProfile, error) {
	c, ok := ctx.Value(callKey{}).(call)
	if !ok {
		return contracts.Principal{}, contracts.AgentProfile{}, errNoCaller
	}
	id := c.principal.AgentID
	me, inside := d.View.Profile(id)
	if !inside {
		err := d.Roster.Join(ctx, contracts.AgentProfile{
			AgentID: id, Name: intake.AgentName(id), Role: contracts.RoleGuest, Source: contracts.SourceMCP, Session: contracts.SourceMCP + ":" + id,
		}, intake.Proof{Seen: true})
		if err != nil {
			return c.principal, me, err
		}
		me = d.View.ProfileOrID(id)
	}
	if me.Source == contracts.SourceMCP {
		d.Roster.AddEvidence(ctx, id, status.Evidence{Source: contracts.FromEvent, Claim: status.Present, Says: doing, At: d.Now().UnixMilli()})
	}
	return c.principal, me, nil
}

// tell records a fact. Repeated calls with the same agent, tool, request id and content take effect
// only once.
func (d *desk) tell(ctx context.Context, f contracts.Fact, agentID, tool, requestID string, content ...string) (duplicate bool, err error) {
	key := contracts.DerivedUUID(append([]string{"mcp", agentID, tool, requestID}, content...)...)
	reply := d.Office.TellAs(ctx, contracts.Teller{Key: key}, f)[0]
	if reply.Refusal != nil {
		return false, reply.Refusal
	}
	return reply.Duplicate, nil
}

// Board returns the office's projects and tasks.
func (d *desk) Board(ctx context.Context, q tools.BoardRequest) (tools.Board, error) {
	_, me, err := d.caller(ctx, "read the board")
	if err != nil {
		return tools.Board{}, err
	}
	state := d.View.State()
	out := tools.Board{You: tools.Self{AgentID: me.AgentID, Name: me.Name, CanTake: true}, Projects: []tools.Project{}}
	if why := d.cannotTake(me); why != nil {
		out.You.CanTake, out.You.Why = false, why.Message
	}
	names := map[string]string{}
	for _, a := range state.Agents {
		names[a.AgentID] = a.Name
		if a.AgentID == me.AgentID {
			out.You.TaskID = a.TaskID
		}
	}
	open := slices.DeleteFunc(slices.Clone(state.Tasks), func(t contracts.Task) bool { return q.ProjectID != "" && t.ProjectID != q.ProjectID })
	slices.SortStableFunc(open, func(a, b contracts.Task) int { return rank(a, me.AgentID) - rank(b, me.AgentID) })
	out.More = max(len(open)-contracts.LimitBoardTasks, 0)
	open = open[:len(open)-out.More]
	for _, p := range state.Projects {
		if q.ProjectID != "" && p.ProjectID != q.ProjectID {
			continue
		}
		row := tools.Project{ProjectID: p.ProjectID, Title: p.Title, Status: string(p.Status), Tasks: []tools.Task{}}
		for _, t := range open {
			if t.ProjectID == p.ProjectID {
				row.Tasks = append(row.Tasks, taskRow(t, me.AgentID, names))
			}
		}
		out.Projects = append(out.Projects, row)
	}
	if q.ProjectID != "" && len(out.Projects) == 0 {
		return tools.Board{}, contracts.Refuse(contracts.CodeNotFound, "no project %q on the board", contracts.Clip(contracts.CleanLine(q.ProjectID), contracts.LimitID))
	}
	for _, dec := range state.Decisions {
		if dec.AskedBy == me.AgentID && dec.Asks() {
			out.Questions = append(out.Questions, answerRow(dec))
		}
	}
	d.View.Look(func(w *world.World) { out.Messages = len(w.PendingChats(me.AgentID)) })
	return out, nil
}

// rank returns a task's place in the order of the board: the agent's own open tasks come first,
// then unassigned tasks, then other open tasks, and finished tasks last.
func rank(t contracts.Task, agentID string) int {
	switch {
	case t.Status.Final():
		return 3
	case t.Assignee == agentID:
		return 0
	case t.Assignee == "":
		return 1
	}
	return 2
}

func taskRow(t contracts.Task, agentID string, names map[string]string) tools.Task {
	return tools.Task{
		TaskID: t.TaskID, Title: t.Title, Kind: string(t.Kind), Status: string(t.Status), Percent: t.Percent, Yours: t.Assignee == agentID,
		Assignee: cmp.Or(names[t.Assignee], t.Assignee), Free: t.Assignee == "" && t.Status == contracts.TaskPlanned,
	}
}
