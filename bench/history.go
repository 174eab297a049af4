//go:build linux

package main

import (
	"context"
	"fmt"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/all"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
)

// history builds the records of an office with a long history: one project after another, each with
// walks, progress, chat and a result.
type history struct {
	recs []contracts.Record
	err  error
}

const (
	historyStart    = 1_700_000_000_000
	historyBatch    = 500
	historyTasks    = 6
	historyProgress = 8 // progress events per task
)

// writeHistory fills a new ledger and returns its records, read back from the ledger.
func writeHistory(ctx context.Context, path string, total int) ([]contracts.Record, error) {
	h := &history{}
	h.add(&contracts.Event{Name: contracts.EventOfficeCreated, OfficeID: "office_bench", SceneID: contracts.DefaultScene, Agents: agents.People(all.Adapters)})
	for n := 1; len(h.recs) < total && h.err == nil; n++ {
		h.project(n)
	}
	if h.err != nil {
		return nil, h.err
	}
	l, err := sqlite.Open(ctx, sqlite.Config{Path: path})
	if err != nil {
		return nil, err
	}
	defer l.Close()
	for recs := h.recs; len(recs) > 0; {
		n := min(historyBatch, len(recs))
		if err := l.Append(ctx, recs[0].Seq-1, recs[:n]); err != nil {
			return nil, err
		}
		recs = recs[n:]
	}
	return l.Read(ctx, 0, len(h.recs)) // records from the ledger have no decoded bodies
}

func (h *history) add(body contracts.Body) {
	seq := uint64(len(h.recs) + 1)
	rec, err := contracts.NewRecord(seq, historyStart+int64(seq)*100, "", body)
	if err != nil && h.err == nil {
		h.err = err
	}
	h.recs = append(h.recs, rec)
}

func (h *history) project(n int) {
	id := fmt.Sprintf("proj_p%d", n)
	h.add(&contracts.Event{Name: contracts.EventRequestSubmitted, ProjectID: id, Project: &contracts.Project{
		ProjectID: id, Title: "A page for the launch", Status: contracts.ProjectPlanning, Request: "Write a page for the launch, with three figures and a summary."}})
	h.add(&contracts.Event{Name: contracts.EventRequestAccepted, ProjectID: id, AgentID: contracts.AgentBD})
	h.add(&contracts.Event{Name: contracts.EventKickoffStarted, ProjectID: id, Participants: []string{contracts.AgentBD, "agent_eng_1", "agent_writer_1"}})
	var tasks []contracts.Task
	for t := range historyTasks {
		tasks = append(tasks, contracts.Task{TaskID: fmt.Sprintf("task_p%d_t%d", n, t), ProjectID: id, Title: "Collect what is known", Kind: contracts.KindResearch, Status: contracts.TaskPlanned})
	}
	h.add(&contracts.Event{Name: contracts.EventTasksCreated, ProjectID: id, Tasks: tasks})
	h.add(&contracts.Event{Name: contracts.EventKickoffFinished, ProjectID: id})
	for i := range tasks {
		h.task(&tasks[i], agents.People(all.Adapters)[1+i%6].AgentID)
	}
	h.add(&contracts.Event{Name: contracts.EventProjectCompleted, ProjectID: id})
	h.add(&contracts.Event{Name: contracts.EventProjectArchived, ProjectID: id})
}

func (h *history) task(t *contracts.Task, agent string) {
	event := func(name contracts.EventName) *contracts.Event {
		return &contracts.Event{Name: name, ProjectID: t.ProjectID, TaskID: t.TaskID, AgentID: agent}
	}
	h.add(event(contracts.EventTaskAssigned))
	h.walk(t, agent, contracts.GoalGoToPOI, contracts.StateWalking)
	h.walk(t, agent, contracts.GoalWork, contracts.StateWorking)
	started := event(contracts.EventTaskStarted)
	started.Attempt = 1
	h.add(started)
	run := contracts.Run{RunID: "run_" + t.TaskID, TaskID: t.TaskID, Attempt: 1, AgentID: agent, Runner: "rehearsal", Status: contracts.RunRunning}
	h.add(&run)
	for i := range historyProgress {
		progress := event(contracts.EventTaskProgress)
		progress.Percent, progress.PreviewText = 10*(i+1), "Reading the third source and noting what differs from the first two."
		h.add(progress)
	}
	h.add(&contracts.Chat{ThreadID: contracts.AgentThreadPx + agent, From: agent, To: contracts.UserID, Text: "It is on the table now. The second part has one open question.", ProjectID: t.ProjectID})
	done := run
	done.Status = contracts.RunCompleted
	h.add(&done)
	h.walk(t, agent, contracts.GoalDeliver, contracts.StateDelivering)
	h.add(event(contracts.EventTaskDone))
	h.walk(&contracts.Task{}, agent, contracts.GoalGoHome, contracts.StateWalking)
}

func (h *history) walk(t *contracts.Task, agent string, kind contracts.GoalKind, state contracts.AgentState) {
	h.add(&contracts.AgentGoal{
		AgentID: agent, Goal: contracts.Goal{Kind: kind, POIID: "poi_lounge"}, State: state, TaskID: t.TaskID,
		Path:     []contracts.Vec3{{1.5, 0, 2.25}, {3.5, 0, 2.25}, {3.5, 0, 6.75}, {7.25, 0, 6.75}},
		SpeedMPS: contracts.WalkSpeed, ArrivalRadius: contracts.ArrivalRadius, StartedAt: historyStart, Facing: contracts.Vec3{0, 0, 1},
		Why: "Has a task to work on.",
	})
}
