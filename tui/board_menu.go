package tui

import (
	"cmp"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/tui/link"
)

// menu opens the menu of a task's actions.
func (s *boardScreen) menu(t *contracts.Task) {
	a := s.app
	rows := a.office.Rows()
	reason := a.disabledReason()
	var items []choice
	if result := rows.ResultOf(t.TaskID); result != nil {
		items = append(items, choice{label: contracts.SayOpenResult, hint: "v" + itoa(result.Version), run: func() tea.Cmd { return a.openArtifact(result.ArtifactID) }})
	}
	if t.Verdict != "" {
		items = append(items, choice{label: contracts.SayReceipt, hint: contracts.VerdictWords[t.Verdict], run: func() tea.Cmd { a.openReceipt(t.TaskID); return nil }})
	}
	if landable(t) {
		items = append(items, choice{label: fmt.Sprintf(contracts.SayLandIn, model.Line(cmp.Or(t.Worktree.Target, contracts.SayTargetCheckout))) + "…", disabledReason: reason, run: func() tea.Cmd { a.openLanding(t); return nil }})
	}
	if !t.Status.Final() && t.Status != contracts.TaskReview {
		items = append(items, choice{label: contracts.SayAssignTo, disabledReason: reason, run: func() tea.Cmd {
			s.assign(t)
			return nil
		}})
	}
	if t.Assignee != "" {
		items = append(items, choice{label: "Show " + rows.Name(t.Assignee), run: func() tea.Cmd { return a.show(model.Ref{Kind: "agent", ID: t.Assignee}) }})
	}
	if t.Status.Final() {
		items = append(items, choice{label: contracts.SayRunAgain, disabledReason: reason, run: func() tea.Cmd {
			return a.act(contracts.RerunTask{SourceTaskID: t.TaskID}, contracts.SayCopyPlanned, nil)
		}})
	} else {
		items = append(items, choice{label: contracts.SayCancelMenu, disabledReason: reason, run: func() tea.Cmd {
			s.cancel(t)
			return nil
		}})
	}
	a.openMenu(contracts.SayThingTask, joinNonEmpty(" · ", t.Title, model.TaskWords(t.Status), t.Description), items)
}

// assign opens the list of agents that could take a task; suitable and free agents come first.
func (s *boardScreen) assign(t *contracts.Task) {
	a := s.app
	var items []choice
	for _, c := range a.office.Rows().Candidates(t) {
		words := joinNonEmpty(" · ", model.RoleWords(c.Agent.Role), c.Fit)
		items = append(items, choice{label: c.Agent.Name, hint: words, disabledReason: c.Busy, run: func() tea.Cmd { return s.assignTo(t, &c.Agent) }})
	}
	if t.Status == contracts.TaskPlanned {
		items = append(items, choice{label: contracts.SayLetOfficeDecide, run: func() tea.Cmd {
			return a.act(contracts.AutoAssign{ProjectID: t.ProjectID}, contracts.SayTasksAssigned, nil)
		}})
	}
	a.openMenu(contracts.SayAssignTo, t.Title, items)
}

func (s *boardScreen) assignTo(t *contracts.Task, to *contracts.Agent) tea.Cmd {
	if t.Status == contracts.TaskPlanned && t.Assignee == "" {
		return s.app.act(contracts.AssignTask{TaskID: t.TaskID, AgentID: to.AgentID, ExpectedTaskStatus: t.Status}, fmt.Sprintf(contracts.SayAssigned, to.Name), nil)
	}
	return s.app.act(contracts.ReassignTask{TaskID: t.TaskID, ToAgentID: to.AgentID, ExpectedTaskStatus: t.Status}, fmt.Sprintf(contracts.SayReassigned, to.Name), nil)
}

// cancel asks for confirmation before cancelling a task.
func (s *boardScreen) cancel(t *contracts.Task) {
	a := s.app
	about := fmt.Sprintf(contracts.SayCancelEffect, model.Line(t.Title))
	end := func(reason string, then func(link.Reply) tea.Cmd) tea.Cmd {
		return a.act(contracts.CancelTask{TaskID: t.TaskID, Confirm: true, Reason: reason, ExpectedTaskStatus: t.Status}, contracts.SayTaskCancelled, then)
	}
	a.openMenu(contracts.SayCancelTask, about, []choice{
		{label: contracts.SayKeepTask, run: func() tea.Cmd { return nil }},
		{label: contracts.SayCancelNow, run: func() tea.Cmd { return end("", nil) }},
		{label: "Cancel with a reason…", run: func() tea.Cmd {
			return a.compose(&composer{name: "cancel " + t.TaskID, label: contracts.SayCancelReason, placeholder: "why cancel this task?", limit: contracts.LimitNote, send: end})
		}},
	})
}
