package server

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/staff"
	"github.com/bullpen-office/bullpen/tools"
)

// bearer sends a token with every request.
type bearer struct {
	*http.Transport
	token string
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if b.token != "" {
		r.Header.Set("Authorization", "Bearer "+b.token)
	}
	return b.Transport.RoundTrip(r)
}

// mcpClient is a client of the official SDK.
type mcpClient struct {
	*mcp.ClientSession
	t *testing.T
}

// mcp connects to the office's MCP endpoint over HTTP.
func (r *rig) mcp(token string) mcpClient {
	r.t.Helper()
	line := &http.Transport{}
	r.t.Cleanup(line.CloseIdleConnections)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "any agent", Version: "1"}, nil).Connect(r.t.Context(), &mcp.StreamableClientTransport{
		Endpoint: "http://" + r.addr + "/mcp", HTTPClient: &http.Client{Transport: bearer{line, token}}, MaxRetries: -1,
	}, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = session.Close() })
	return mcpClient{session, r.t}
}

// agent connects as an agent.
func (r *rig) agent(id string) mcpClient {
	r.t.Helper()
	token, revoke := r.gate.Issue(id)
	r.t.Cleanup(revoke)
	return r.mcp(token)
}

// try calls a tool and returns its result in out; a refusal is returned as an error with the text
// of the refusal.
func (c mcpClient) try(tool string, args, out any) error {
	result, err := c.CallTool(c.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return fmt.Errorf("%s: %w", tool, err)
	}
	if result.IsError {
		return fmt.Errorf("%s: %s", tool, result.Content[0].(*mcp.TextContent).Text)
	}
	b, err := json.Marshal(result.StructuredContent)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, out)
}

func (c mcpClient) call(tool string, args, out any) {
	c.t.Helper()
	if err := c.try(tool, args, out); err != nil {
		c.t.Fatal(err)
	}
}

func (c mcpClient) refused(tool string, args any, why string) {
	c.t.Helper()
	var out map[string]any
	if err := c.try(tool, args, &out); err == nil || !strings.Contains(err.Error(), why) {
		c.t.Errorf("%s %v: %v %v, want a refusal with %q", tool, args, err, out, why)
	}
}

// start calls a tool in the background and returns a function that waits for its result.
func start[Out any](c mcpClient, tool string, args any) (result func() Out) {
	var out Out
	ended := make(chan error, 1)
	go func() { ended <- c.try(tool, args, &out) }()
	return func() Out {
		c.t.Helper()
		if err := <-ended; err != nil {
			c.t.Fatal(err)
		}
		return out
	}
}

// An agent asks a person and receives the answer from the same call. An answer that comes too late
// can be read later, but only by the agent that asked.
func TestMCPAsk(t *testing.T) {
	r := startRig(t, withoutCrew())
	bee := r.agent("agent_bee")
	v := r.dial("")
	answered := start[tools.Answer](bee, "ask_person", tools.Question{Text: "Which \x07one?", Options: []string{"Red", "Green"}, WaitSeconds: new(600)})
	asked := v.untilEvent(func(e contracts.Event) bool { return e.Decision != nil })
	if d := asked.Decision; d.Prompt != "Which one?" || d.AskedBy != "agent_bee" || d.Kind != contracts.DecisionAsk {
		t.Errorf("%+v", d)
	}
	v.command(contracts.CmdResolveDecision, contracts.ResolveDecision{DecisionID: asked.DecisionID, Choice: "Green", Note: "like grass"})
	if a := answered(); a.Status != tools.Answered || a.Answer != "Green" || a.Note != "like grass" {
		t.Errorf("%+v", a)
	}

	var open, late tools.Answer
	bee.call("ask_person", tools.Question{Text: "Why?", WaitSeconds: new(0)}, &open)
	if open.Status != tools.Waiting || !strings.Contains(open.Next, "read_answer") {
		t.Errorf("%+v", open)
	}
	r.agent("agent_wasp").refused("read_answer", tools.AnswerRequest{QuestionID: open.QuestionID}, "you have not asked a question")
	v.command(contracts.CmdResolveDecision, contracts.ResolveDecision{DecisionID: open.QuestionID, Choice: "Because"})
	bee.call("read_answer", tools.AnswerRequest{QuestionID: open.QuestionID, WaitSeconds: new(600)}, &late)
	if late.Status != tools.Answered || late.Answer != "Because" {
		t.Errorf("%+v", late)
	}
}

// Only a token bound to an agent is accepted.
func TestMCPCredentials(t *testing.T) {
	cfg := Config{Crew: CrewNone, DataDir: t.TempDir()}
	r := startRig(t, cfg)
	store, err := gate.OpenTokens(cfg.DataDir)
	if err != nil {
		t.Fatal(err)
	}
	token := func(role contracts.AccessRole) string {
		_, secret, err := store.Create(gate.Token{Role: role})
		if err != nil {
			t.Fatal(err)
		}
		return secret
	}
	for name, c := range map[string]struct {
		token  string
		status int
	}{
		"wrong": {"bullpen_wrong", http.StatusUnauthorized}, "owner": {cfg.ownerToken(t), http.StatusForbidden},
		"operator": {token(contracts.AccessOperator), http.StatusForbidden}, "viewer": {token(contracts.AccessViewer), http.StatusForbidden},
		"not bound": {token(contracts.AccessAgent), http.StatusUnauthorized},
	} {
		status, body := r.send(t, "POST", "/mcp", c.token, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		if status != c.status || !strings.Contains(body, "bullpen token create") {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
	if status := r.ask(t, "POST", "/mcp", "", ""); status != http.StatusForbidden {
		t.Errorf("no token: %d", status)
	}
}

// Input that exceeds the limits is refused and has no effect.
func TestMCPLimits(t *testing.T) {
	r := startRig(t, withoutCrew())
	bee := r.agent("agent_bee")
	bee.call("report_progress", tools.Progress{Text: "Here"}, new(tools.Done)) // joins the office
	before := r.ledger.Head()
	long := strings.Repeat("x", contracts.LimitNote+1)
	bee.refused("ask_person", tools.Question{Text: long}, "maxLength")
	bee.refused("ask_person", tools.Question{Text: ""}, "minLength")
	bee.refused("ask_person", tools.Question{Text: "a", Options: strings.Split("a,b,c,d,e,f,g", ",")}, "maxItems")
	bee.refused("ask_person", tools.Question{Text: "a", WaitSeconds: new(int(contracts.ToolWait.Seconds()) + 1)}, "maximum")
	bee.refused("ask_person", map[string]any{"question": "a", "agent": "agent_wasp"}, "agent")
	bee.refused("ask_person", tools.Question{Text: "\u200b\x07", WaitSeconds: new(0)}, "no prompt")
	bee.refused("report_progress", tools.Progress{Text: "\x07"}, "no visible characters")
	bee.refused("read_board", tools.BoardRequest{ProjectID: "proj_none"}, "no project")
	bee.refused("take_task", tools.TakeRequest{TaskID: "task_t1"}, "is a guest")
	bee.refused("deliver", tools.Delivery{TaskID: "task_t1", Artifacts: []tools.Artifact{{Title: "a", Content: "b"}}}, "no task")
	bee.refused("send_message", tools.Message{Text: "a", Answers: 7}, "not waiting for an answer")
	for rec := range r.since(before) {
		switch body := rec.(type) {
		case *contracts.Chat:
			t.Errorf("recorded: %+v", body)
		case *contracts.Event:
			if body.Name != contracts.EventAgentStatus { // the agent is in the office
				t.Errorf("recorded: %+v", body)
			}
		}
	}
}

// Calls with the same request id take effect once; a different question with the same id is asked
// separately.
func TestMCPOnce(t *testing.T) {
	r := startRig(t, withoutCrew())
	bee := r.agent("agent_bee")
	var first, again, other, changed tools.Answer
	bee.call("ask_person", tools.Question{Text: "Go?", WaitSeconds: new(0), RequestID: "r1"}, &first)
	bee.call("ask_person", tools.Question{Text: "Go?", WaitSeconds: new(0), RequestID: "r1"}, &again)
	bee.call("ask_person", tools.Question{Text: "Go?", WaitSeconds: new(0)}, &other)
	bee.call("send_message", tools.Message{Text: "Stop?", RequestID: "r1"}, new(tools.Done))
	bee.call("ask_person", tools.Question{Text: "Stop?", WaitSeconds: new(0), RequestID: "r1"}, &changed)
	if again.QuestionID != first.QuestionID || other.QuestionID == first.QuestionID || changed.Question != "Stop?" {
		t.Errorf("%+v %+v %+v %+v", first, again, other, changed)
	}
}

// A caller that disconnects stops waiting, and so does every caller when the office stops.
func TestMCPWaitEnds(t *testing.T) {
	r := startRig(t, withoutCrew())
	bee := r.agent("agent_bee")
	wait := func(ctx context.Context) chan error {
		ended := make(chan error, 1)
		go func() {
			_, err := bee.CallTool(ctx, &mcp.CallToolParams{Name: "ask_person", Arguments: tools.Question{Text: "Go?", WaitSeconds: new(600)}})
			ended <- err
		}()
		r.untilTrue("a caller waits", func() bool { return r.view.Waiting() == 1 })
		return ended
	}
	ctx, disconnect := context.WithCancel(t.Context())
	ended := wait(ctx)
	disconnect()
	<-ended
	r.untilTrue("nobody waits", func() bool { return r.view.Waiting() == 0 })
	ended = wait(t.Context())
	r.stop()
	<-ended
}

// An agent can read and answer people's messages, and write to people itself.
func TestMCPChat(t *testing.T) {
	r := startRig(t, withoutCrew())
	bee, v := r.agent("agent_bee"), r.dial("")
	var done tools.Done
	bee.call("send_message", tools.Message{Text: "Hello"}, &done)
	heard := start[tools.Messages](bee, "read_messages", tools.MessagesRequest{WaitSeconds: new(600)})
	v.command(contracts.CmdChat, contracts.Say{To: "agent_bee", Text: "How is it going?"})
	m := heard()
	if len(m.Messages) != 1 || m.Messages[0].Text != "How is it going?" {
		t.Fatalf("%+v", m)
	}
	for range 2 { // the second call repeats the first
		bee.call("send_message", tools.Message{Text: "Fine", Answers: m.Messages[0].MessageID, RequestID: "r1"}, &done)
	}
	bee.refused("send_message", tools.Message{Text: "Badly", Answers: m.Messages[0].MessageID, RequestID: "r1"}, "not waiting for an answer")
	answers := 0
	for rec := range r.since(0) {
		if c, ok := rec.(*contracts.Chat); ok && c.From == "agent_bee" {
			answers++
			if c.Text != "Fine" || c.AnswersSeq != m.Messages[0].MessageID {
				t.Errorf("%+v", c)
			}
		}
	}
	if answers != 1 {
		t.Errorf("%d answers", answers)
	}
}

// withMae configures an office whose crew has an agent that works through MCP.
func withMae() Config {
	return Config{Staff: staff.Staff{Agents: []staff.Agent{{ID: "agent_mae", Name: "Mae", Role: contracts.RoleEngineer, Runner: "mcp"}}}}
}

// planned submits a request and returns the tasks that were created from it.
func (v *viewer) planned(text string) []contracts.Task {
	v.t.Helper()
	v.command(contracts.CmdSubmitRequest, contracts.SubmitRequest{Text: text})
	tasks := v.untilEvent(func(e contracts.Event) bool { return e.Name == contracts.EventTasksCreated }).Tasks
	v.untilEvent(func(e contracts.Event) bool { return e.Name == contracts.EventKickoffFinished })
	return tasks
}

// A crew member that works through MCP takes a task, reports progress, delivers, and delivers again
// after a person has asked for changes.
func TestMCPTask(t *testing.T) {
	r := startRig(t, withMae())
	v, mae := r.dial(""), r.agent("agent_mae")
	tasks := v.planned("Write a launch note")
	var board tools.Board
	mae.call("read_board", tools.BoardRequest{}, &board)
	if you := board.You; !you.CanTake || you.Name != "Mae" || len(board.Projects) != 1 || len(board.Projects[0].Tasks) != len(tasks) || !board.Projects[0].Tasks[0].Free {
		t.Fatalf("%+v", board)
	}
	id := tasks[0].TaskID
	mae.refused("report_progress", tools.Progress{Text: "Too early", TaskID: id}, "is not yours")
	var work tools.Work
	mae.call("take_task", tools.TakeRequest{TaskID: id}, &work)
	if !work.Started || work.Attempt != 1 || work.Title != tasks[0].Title || work.Request != "Write a launch note" {
		t.Fatalf("%+v", work)
	}
	mae.call("take_task", tools.TakeRequest{TaskID: id}, &work) // the task is already assigned to Mae
	mae.refused("take_task", tools.TakeRequest{TaskID: tasks[1].TaskID}, "busy")
	mae.call("report_progress", tools.Progress{Text: "Half \x07way", Percent: 50, TaskID: id}, new(tools.Done))
	if e := v.untilEvent(func(e contracts.Event) bool { return e.Name == contracts.EventTaskProgress }); e.Percent != 50 || e.PreviewText != "Half way" {
		t.Errorf("%+v", e)
	}
	var made, again tools.Delivered
	mae.call("deliver", tools.Delivery{TaskID: id, Artifacts: []tools.Artifact{{Title: "Note", Content: "# Launch"}}, RequestID: "r1"}, &made)
	e := v.untilEvent(func(e contracts.Event) bool { return e.Name == contracts.EventReviewRequested })
	if len(made.Artifacts) != 1 || made.Artifacts[0] != e.ArtifactID {
		t.Fatalf("%+v %+v", made, e)
	}
	mae.call("deliver", tools.Delivery{TaskID: id, Artifacts: []tools.Artifact{{Title: "Note", Content: "# Launch"}}, RequestID: "r1"}, &again)
	if again.Artifacts[0] != made.Artifacts[0] {
		t.Errorf("%+v", again)
	}
	mae.refused("deliver", tools.Delivery{TaskID: id, Artifacts: []tools.Artifact{{Title: "Note", Content: "More"}}}, "has ended")
	mae.refused("deliver", tools.Delivery{TaskID: id, Artifacts: []tools.Artifact{{Title: "Note", Content: "More"}}, RequestID: "r1"}, "has ended")

	v.command(contracts.CmdRequestChanges, contracts.RequestChanges{ArtifactID: e.ArtifactID, Instructions: "Shorter"})
	v.untilEvent(func(e contracts.Event) bool { return e.Name == contracts.EventReviewChangesRequested })
	mae.call("take_task", tools.TakeRequest{TaskID: id}, &work)
	if work.Attempt != 2 || work.Instructions != "Shorter" || len(work.Previous) != 1 || work.Previous[0].Content != "# Launch" {
		t.Errorf("%+v", work)
	}
	mae.refused("deliver", tools.Delivery{TaskID: id, Artifacts: []tools.Artifact{{Title: "Note", Content: "# Launch"}}, RequestID: "r1"}, "use a new request_id")
	mae.call("deliver", tools.Delivery{TaskID: id, Artifacts: []tools.Artifact{{Title: "Note", Content: "Launch"}}, RequestID: "r1"}, &made)
	e = v.untilEvent(func(e contracts.Event) bool { return e.Name == contracts.EventReviewRequested })
	v.command(contracts.CmdApproveArtifact, contracts.ApproveArtifact{ArtifactID: e.ArtifactID})
	v.untilEvent(func(e contracts.Event) bool { return e.Name == contracts.EventTaskDone && e.TaskID == id })
	mae.refused("take_task", tools.TakeRequest{TaskID: id}, "is done")
}

// An agent whose tasks the office runs is refused with the reason, and so is a call for another
// agent's task.
func TestMCPTaskOfOthers(t *testing.T) {
	r := startRig(t, withMae())
	v, mae := r.dial(""), r.agent("agent_mae")
	id := v.planned("Write a launch note")[0].TaskID
	r.agent("agent_dov").refused("take_task", tools.TakeRequest{TaskID: id}, "tasks are for the crew")
	crew := r.view.Crew()[1]
	r.agent(crew).refused("take_task", tools.TakeRequest{TaskID: id}, "the office runs the tasks of")
	r.agent(crew).refused("read_messages", tools.MessagesRequest{}, "the office delivers messages")
	v.command(contracts.CmdAssignTask, contracts.AssignTask{TaskID: id, AgentID: crew})
	v.untilEvent(func(e contracts.Event) bool { return e.Name == contracts.EventTaskAssigned })
	mae.refused("take_task", tools.TakeRequest{TaskID: id}, "is assigned to")
	mae.refused("deliver", tools.Delivery{TaskID: id, Artifacts: []tools.Artifact{{Title: "a", Content: "b"}}}, "is not yours")
}

// A call that waits for a task to start is refused once the agent can no longer take the task.
func TestMCPTaskIsLost(t *testing.T) {
	r := startRig(t, withMae())
	v, mae := r.dial(""), r.agent("agent_mae")
	task := v.planned("Write a launch note")[0]
	mae.call("take_task", tools.TakeRequest{TaskID: task.TaskID}, new(tools.Work))
	v.command(contracts.CmdPauseProject, contracts.PauseProject{ProjectID: task.ProjectID})
	v.untilEvent(func(e contracts.Event) bool { return e.Name == contracts.EventProjectPaused })
	ended := make(chan error, 1)
	go func() { ended <- mae.try("take_task", tools.TakeRequest{TaskID: task.TaskID}, new(tools.Work)) }()
	v.command(contracts.CmdCancelTask, contracts.CancelTask{TaskID: task.TaskID, Confirm: true})
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "is cancelled") {
		t.Errorf("%v, want a refusal", err)
	}
}

// When a person reassigns a task, the first agent loses it, whatever that agent was doing with it,
// and is told which agent has the task.
func TestMCPTaskIsReassigned(t *testing.T) {
	r := startRig(t, withMae())
	v, mae := r.dial(""), r.agent("agent_mae")
	task := v.planned("Write a launch note")[0]
	ended := make(chan error, 1)
	go func() { ended <- mae.try("take_task", tools.TakeRequest{TaskID: task.TaskID}, new(tools.Work)) }()
	v.untilEvent(func(e contracts.Event) bool { return e.Name == contracts.EventTaskAssigned && e.TaskID == task.TaskID })
	other := r.view.ProfileOrID(r.view.Crew()[1])
	v.command(contracts.CmdReassignTask, contracts.ReassignTask{TaskID: task.TaskID, ToAgentID: other.AgentID})
	if err := <-ended; err != nil && !strings.Contains(err.Error(), "is assigned to "+other.Name) { // nil if Mae reached her desk before the task was reassigned
		t.Error(err)
	}
	r.untilTrue("the task is the other agent's", func() bool { t, _ := r.view.Task(task.TaskID); return t.Assignee == other.AgentID })
	mae.refused("take_task", tools.TakeRequest{TaskID: task.TaskID}, "is assigned to "+other.Name)
	mae.refused("report_progress", tools.Progress{Text: "Half way", Percent: 50, TaskID: task.TaskID}, "is not yours")
	mae.refused("deliver", tools.Delivery{TaskID: task.TaskID, Artifacts: []tools.Artifact{{Title: "Note", Content: "# Launch"}}}, "is not yours")
}

// A question outlives a restart of the office: a waiting agent receives its answer from the next
// server process, which has a different address.
func TestMCPRestartDuringAWait(t *testing.T) {
	cfg := Config{Crew: CrewNone, DataDir: t.TempDir()}
	r := startRig(t, cfg)
	store, err := gate.OpenTokens(cfg.DataDir)
	if err != nil {
		t.Fatal(err)
	}
	_, secret, err := store.Create(gate.Token{Role: contracts.AccessAgent, AgentID: "agent_bee"})
	if err != nil {
		t.Fatal(err)
	}
	address := make(chan string, 1)
	address <- r.addr
	find := func() (tools.Endpoint, error) {
		at := <-address
		address <- at
		return tools.Endpoint{URL: "http://" + at + "/mcp"}, nil
	}
	ours, theirs := mcp.NewInMemoryTransports()
	server := tools.New(tools.Config{Office: tools.NewRemote(tools.RemoteConfig{Find: find, Token: secret, Retry: 1}), Progress: time.Second})
	served, err := server.Connect(t.Context(), ours, nil)
	if err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "any agent", Version: "1"}, nil).Connect(t.Context(), theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close(); _ = served.Wait() })
	answered := start[tools.Answer](mcpClient{session, t}, "ask_person", tools.Question{Text: "Go?", WaitSeconds: new(3600)})
	r.untilTrue("the agent waits", func() bool { return r.view.Waiting() == 1 })
	r.stop()
	r = startRig(t, cfg)
	<-address
	address <- r.addr
	v := r.dial(cfg.ownerToken(t))
	open := r.view.State().Decisions
	if len(open) != 1 || open[0].Status != contracts.DecisionOpen {
		t.Fatalf("%+v", open)
	}
	v.command(contracts.CmdResolveDecision, contracts.ResolveDecision{DecisionID: open[0].DecisionID, Choice: "Yes"})
	if a := answered(); a.Answer != "Yes" || a.QuestionID != open[0].DecisionID {
		t.Errorf("%+v", a)
	}
}

// since iterates over the bodies of the records after a seq.
func (r *rig) since(seq uint64) func(yield func(contracts.Body) bool) {
	r.t.Helper()
	recs, err := r.ledger.Read(r.t.Context(), seq, int(r.ledger.Head()-seq))
	if err != nil {
		r.t.Fatal(err)
	}
	return func(yield func(contracts.Body) bool) {
		for _, rec := range recs {
			body, err := rec.Decode()
			if err != nil {
				r.t.Fatal(err)
			}
			if !yield(body) {
				return
			}
		}
	}
}
