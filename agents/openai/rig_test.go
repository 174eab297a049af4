package openai

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/drivetest"
	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/bullpen-office/bullpen/e2e/leaktest"
	"github.com/bullpen-office/bullpen/staff"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == process.TendCommand {
		os.Exit(process.Tend(os.Args[2:]))
	}
	leaktest.Main(m)
}

// rig is a runner with a real HTTP endpoint and a scripted model.
type rig struct {
	*Runner
	model *drivetest.Completions
	sink  *recorder

	mu    sync.Mutex
	waits []time.Duration
	now   time.Time
}

func newRig(t *testing.T, script func(drivetest.Call) drivetest.Answer, change ...func(*Config)) *rig {
	t.Helper()
	r := &rig{model: &drivetest.Completions{Script: script}, sink: &recorder{}, now: time.Unix(1_700_000_000, 0)}
	server := httptest.NewServer(r.model)
	t.Cleanup(server.Close)
	r.open(t, server, server.Client(), change)
	return r
}

// inVirtualTime runs a test in virtual time.
func inVirtualTime(t *testing.T, script func(drivetest.Call) drivetest.Answer, story func(t *testing.T, r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &rig{model: &drivetest.Completions{Script: script}, sink: &recorder{}, now: time.Unix(1_700_000_000, 0)}
		wire := drivetest.NewWire()
		server := &httptest.Server{Listener: wire, Config: &http.Server{Handler: r.model}}
		server.Start()
		t.Cleanup(server.Close)
		r.open(t, server, &http.Client{Transport: &http.Transport{DialContext: wire.Dial, DisableKeepAlives: true}}, nil)
		story(t, r)
	})
}

func (r *rig) open(t *testing.T, server *httptest.Server, client *http.Client, change []func(*Config)) {
	t.Helper()
	cfg := Config{
		Runner: staff.Runner{Kind: kind, Model: "model-a", Prices: map[string]staff.Price{"model-a": {In: 1, Out: 10}}}, BaseURL: server.URL + "/v1", Key: "sk-secret-key",
		HTTP: client, Now: r.clock, Rand: func() float64 { return 0 },
		Sleep: func(ctx context.Context, d time.Duration) error {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.waits = append(r.waits, d)
			r.now = r.now.Add(d)
			return ctx.Err()
		},
	}
	for _, c := range change {
		c(&cfg)
	}
	r.Runner = New(cfg)
	t.Cleanup(func() { _ = r.Close() })
}

func (r *rig) clock() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

func (r *rig) pass(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = r.now.Add(d)
}

// inTurn returns a script that gives the answers in order, then repeats the last one.
func inTurn(answers ...drivetest.Answer) func(drivetest.Call) drivetest.Answer {
	return func(c drivetest.Call) drivetest.Answer { return answers[min(c.N, len(answers))-1] }
}

// recorder is a sink that records everything that a runner shows.
type recorder struct {
	drive.Sink
	mu       sync.Mutex
	text     map[string]string
	percent  []int
	previews []string
	tools    []string
	thinking int
	used     contracts.Usage
	reports  int
	onUsed   func(contracts.Usage)
}

func (r *recorder) Progress(percent int, preview string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.percent, r.previews = append(r.percent, percent), append(r.previews, preview)
}

func (r *recorder) Delta(kind, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.text == nil {
		r.text = map[string]string{}
	}
	r.text[kind] += text
}

func (r *recorder) ToolStart(_, tool string, _ any) func(any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tools = append(r.tools, tool)
	return func(any) {}
}

func (r *recorder) Think() func() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.thinking++
	return func() {}
}

func (r *recorder) Used(u contracts.Usage) {
	r.mu.Lock()
	r.used, r.reports = u, r.reports+1
	onUsed := r.onUsed
	r.mu.Unlock()
	if onUsed != nil {
		onUsed(u)
	}
}

// ask prompts the model and, if the answer is invalid, prompts it once more, as the crew does.
func ask[T any](ctx context.Context, r *rig, p drive.Prompt, sink *recorder, read func(drive.Answer) (T, error)) (value T, err error) {
	s, err := r.Open(ctx, drive.Spec{AgentID: p.Work.AgentID})
	if err != nil {
		return value, err
	}
	for range 2 {
		var a drive.Answer
		if a, err = s.Turn(ctx, p, sink); err == nil {
			value, err = read(a)
		}
		if !errors.Is(err, drive.ErrMalformed) {
			return value, err
		}
		p = drive.Prompt{Form: p.Form, Work: p.Work, RetryReason: err.Error()}
	}
	return value, fmt.Errorf("answered twice: %w", err)
}

var parser = crew.Parser{Object: true}

func (r *rig) Plan(ctx context.Context, job crew.PlanJob, sink *recorder) (crew.Plan, error) {
	p := drive.Prompt{Form: drive.FormPlan, Work: &contracts.Work{AgentID: job.AgentID, Project: job.Project, Plan: true}}
	return ask(ctx, r, p, sink, func(a drive.Answer) (crew.Plan, error) { return parser.Plan(a.Text) })
}

func (r *rig) Work(ctx context.Context, job crew.TaskJob, sink *recorder) (crew.Result, error) {
	p := drive.Prompt{Form: drive.FormResult, Work: &contracts.Work{AgentID: job.AgentID, Project: job.Project, Task: &job.TaskWork}, Read: job.Read}
	return ask(ctx, r, p, sink, func(a drive.Answer) (crew.Result, error) { return parser.Result(a.Text, job) })
}

func (r *rig) Chat(ctx context.Context, job crew.ChatJob, sink *recorder) (drive.Answer, error) {
	p := drive.Prompt{Form: drive.FormReply, Work: &contracts.Work{AgentID: job.AgentID, Chat: &job.ChatWork}}
	return ask(ctx, r, p, sink, func(a drive.Answer) (drive.Answer, error) { return a, nil })
}

var (
	project = contracts.Project{ProjectID: "proj_a", Title: "Landing page", Request: "Create a landing page"}
	planJob = crew.PlanJob{AgentID: "agent_bd", Project: project}
)

func taskJob() crew.TaskJob {
	return crew.TaskJob{AgentID: "agent_writer_1", Project: project, TaskWork: contracts.TaskWork{
		RunID: "run_a", Task: contracts.Task{TaskID: "task_a", Title: "Write the plan", Description: "With milestones.", Kind: contracts.KindPlan, Attempt: 1},
	}}
}

const (
	goodPlan   = `{"summary":"Two parts.","tasks":[{"title":"B","description":"b","kind":"copy","priority":2},{"title":"A","description":"a","kind":"plan","priority":1}]}`
	goodResult = `{"question":null,"artifacts":[{"type":"plan","title":"The plan","mime":"text/markdown","content":"# Plan\n\nDo \"it\" – now."}],"follow_ups":[]}`
)

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("the error %q lacks %q", err, p)
		}
	}
	if strings.Contains(err.Error(), "sk-secret") {
		t.Errorf("the error contains the key: %q", err)
	}
}
