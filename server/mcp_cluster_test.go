package server

import (
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger/jetstream/natstest"
	"github.com/bullpen-office/bullpen/tools"
)

// The tools work on a node that is not the writer, and a call continues on any other node: each
// call sees the effects of earlier calls, whichever node they were sent to.
func TestMCPOnSeveralNodes(t *testing.T) {
	c := natstest.Start(t, 1)
	a, person := startNodeWith(t, c, "a", withMae())
	b, _ := startNodeWith(t, c, "b", withMae())
	one, two := a.agent("agent_mae"), b.agent("agent_mae")

	answered := start[tools.Answer](two, "ask_person", tools.Question{Text: "Go?", WaitSeconds: new(3600)})
	b.untilTrue("the agent waits", func() bool { return b.view.Waiting() == 1 })
	open := b.view.State().Decisions
	person.command(contracts.CmdResolveDecision, contracts.ResolveDecision{DecisionID: open[0].DecisionID, Choice: "Yes"})
	if got := answered(); got.Status != tools.Answered || got.Answer != "Yes" {
		t.Errorf("%+v", got)
	}
	var read tools.Answer
	one.call("read_answer", tools.AnswerRequest{QuestionID: open[0].DecisionID}, &read)
	if read.Answer != "Yes" {
		t.Errorf("on the other node: %+v", read)
	}

	id := person.planned("Write a launch note")[0].TaskID
	b.untilTrue("the plan is on the board", func() bool { _, ok := b.view.Task(id); return ok })
	var work tools.Work
	two.call("take_task", tools.TakeRequest{TaskID: id}, &work)
	if !work.Started || work.Request != "Write a launch note" {
		t.Fatalf("%+v", work)
	}
	two.call("report_progress", tools.Progress{Text: "Half way", Percent: 50, TaskID: id}, new(tools.Done))
	var made tools.Delivered
	two.call("deliver", tools.Delivery{TaskID: id, Artifacts: []tools.Artifact{{Title: "Note", Content: "# Launch"}}, RequestID: "r1"}, &made)
	e := person.untilEvent(func(e contracts.Event) bool { return e.Name == contracts.EventReviewRequested })
	if len(made.Artifacts) != 1 || made.Artifacts[0] != e.ArtifactID {
		t.Errorf("%+v, want %s", made, e.ArtifactID)
	}
	var again tools.Delivered
	one.call("deliver", tools.Delivery{TaskID: id, Artifacts: []tools.Artifact{{Title: "Note", Content: "# Launch"}}, RequestID: "r1"}, &again)
	if len(again.Artifacts) != 1 || again.Artifacts[0] != e.ArtifactID {
		t.Errorf("repeated on the other node: %+v, want %s", again, e.ArtifactID)
	}
}
