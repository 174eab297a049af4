package server

import (
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/all"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/drivetest"
	"github.com/bullpen-office/bullpen/staff"
	"github.com/bullpen-office/bullpen/world"
)

// modelCrew configures an office whose crew uses a scripted model.
func modelCrew(t *testing.T, m *drivetest.Completions, change func(*staff.Staff)) Config {
	t.Helper()
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	none := 0
	s := staff.Staff{Kinds: agents.RunnerSpecs(all.Adapters), Default: "fast", Runners: map[string]staff.Runner{
		"fast": {Kind: "openai", Model: "model-a", BaseURL: server.URL + "/v1", Retries: &none, Prices: map[string]staff.Price{"model-a": {In: 10, Out: 100}}},
	}}
	if change != nil {
		change(&s)
	}
	if problems := s.Validate(staff.ValidationInput{BuiltIn: agents.People(all.Adapters)}); len(problems) > 0 {
		t.Fatal(problems)
	}
	return Config{Staff: s, Now: atNoon()}
}

// journey submits a request and answers everything until the project is done or, if retry is empty,
// a task is blocked. It returns the reason for each blocked task.
func (v *viewer) journey(retry string) (reasons []string) {
	v.t.Helper()
	changed := false
	v.command(contracts.CmdSubmitRequest, map[string]any{"text": "Create a landing page plan + copy + design brief for a note app"})
	v.untilEvent(func(e contracts.Event) bool {
		switch e.Name {
		case contracts.EventKickoffFinished:
			v.command(contracts.CmdAutoAssign, map[string]any{"project_id": e.ProjectID})
		case contracts.EventDecisionRequested:
			choice := e.Decision.Options[0]
			if e.Decision.Kind == contracts.DecisionRetry {
				if reasons = append(reasons, e.Decision.Prompt); retry == "" {
					return true
				}
				choice = retry
			}
			v.command(contracts.CmdResolveDecision, map[string]any{"decision_id": e.DecisionID, "choice": choice})
		case contracts.EventReviewRequested:
			if !changed {
				changed = true
				v.command(contracts.CmdRequestChanges, map[string]any{"artifact_id": e.ArtifactID, "instructions": "Make it shorter."})
				break
			}
			v.command(contracts.CmdApproveArtifact, map[string]any{"artifact_id": e.ArtifactID})
		case contracts.EventProjectCompleted:
			return true
		}
		return false
	})
	return reasons
}

// A crew that uses a model takes a request through plan, tasks, a question, artifacts, a change
// request and review; the cost of every turn is recorded, and nothing is marked as a rehearsal.
func TestCrewOnAModel(t *testing.T) {
	m := &drivetest.Completions{}
	r := startRig(t, modelCrew(t, m, nil))
	if reasons := r.dial("").journey(""); len(reasons) > 0 {
		t.Fatalf("blocked: %q", reasons)
	}
	snap := r.view.State()
	versions, told := map[int]int{}, 0
	for _, a := range snap.Artifacts {
		versions[a.Version]++
		if a.Rehearsal {
			t.Errorf("%s is marked as a rehearsal", a.Title)
		}
	}
	if versions[1] != 3 || versions[2] != 1 {
		t.Errorf("versions %v", versions)
	}
	for _, a := range snap.Agents {
		if a.Runner != "fast" || a.Model != "model-a" {
			t.Errorf("%s works on %q, %q", a.Name, a.Runner, a.Model)
		}
	}
	calls := m.Calls()
	var want contracts.UsageTotal
	for range calls {
		cost := 1000*10e-6 + 200*100e-6
		want.Add(contracts.Usage{TokensIn: 1000, TokensOut: 200, CostUSD: &cost})
	}
	u, _ := r.usage("", "", int64(len(calls)))
	if u.Lifetime.TokensIn != want.TokensIn || *u.Lifetime.CostUSD < want.CostUSD*0.999 || u.Lifetime.Unpriced != 0 {
		t.Errorf("%d calls (a plan, three tasks, a question, a change) cost %+v, want %+v", len(calls), u.Lifetime, want)
	}
	for _, c := range calls {
		if strings.Contains(c.Prompt, "which was sent back") && strings.Contains(c.Prompt, "Make it shorter.") {
			told++
		}
	}
	if told != 1 {
		t.Errorf("the change request reached the model %d times", told)
	}
}

// A budget that is used up stops the next turn before it begins; the reason names the budget and
// explains how to continue. Work that is already paid for is kept.
func TestBudgetOfATaskStopsTheNextTurn(t *testing.T) {
	m := &drivetest.Completions{}
	r := startRig(t, modelCrew(t, m, func(s *staff.Staff) {
		fast := s.Runners["fast"]
		fast.Mode = "text" // the tool descriptions alone would exceed the budget
		s.Runners["fast"] = fast
		s.Budgets.Task.Tokens = 1000
	}))
	reasons := r.dial("").journey("")
	if len(reasons) != 1 || !strings.Contains(reasons[0], "task budget exhausted: used 1200 of 1000 tokens; raise budgets.task in bullpen.yaml") {
		t.Fatalf("reasons %q", reasons)
	}
}

// A daily budget in money limits the whole crew.
func TestDailyBudget(t *testing.T) {
	m := &drivetest.Completions{}
	r := startRig(t, modelCrew(t, m, func(s *staff.Staff) { s.Budgets.Day.USD = 0.02 })) // less than the plan costs
	reasons := r.dial("").journey("")
	if len(reasons) == 0 || !strings.Contains(reasons[0], "daily budget of the crew exhausted: used $0.03 of $0.02; raise budgets.day") {
		t.Fatalf("reasons %q", reasons)
	}
	if n := len(m.Calls()); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
}

// A turn that exceeds its budget is stopped in the middle of an answer.
func TestBudgetStopsAModelInMidTurn(t *testing.T) {
	m := &drivetest.Completions{Script: func(c drivetest.Call) drivetest.Answer {
		if strings.Contains(c.Prompt, "Break the request into") {
			return drivetest.OfficeScript(c)
		}
		return drivetest.Answer{Text: `{"content":"` + strings.Repeat("word ", 4000), Stall: true}
	}}
	r := startRig(t, modelCrew(t, m, func(s *staff.Staff) { s.Budgets.Task.Tokens = 3000 }))
	reasons := r.dial("").journey("")
	if len(reasons) != 1 || !strings.Contains(reasons[0], "task budget exhausted: used") {
		t.Fatalf("reasons %q", reasons)
	}
	var used int64
	r.view.Look(func(w *world.World) {
		for _, task := range w.Tasks() {
			if task.Usage != nil {
				used = max(used, task.Usage.TokensIn+task.Usage.TokensOut)
			}
		}
	})
	if used < 3000 || used > 5000 {
		t.Errorf("the stopped turn counts %d tokens", used)
	}
}

// A model that never returns a valid answer blocks the task with the reason; planning
// falls back to the request itself. A retry works once the model does.
func TestModelThatAnswersWithProse(t *testing.T) {
	var well atomic.Bool
	m := &drivetest.Completions{}
	m.Script = func(c drivetest.Call) drivetest.Answer {
		if well.Load() {
			return drivetest.OfficeScript(c)
		}
		well.Store(c.N == 4) // two for the plan, two for the task
		return drivetest.Answer{Text: "I would rather chat."}
	}
	r := startRig(t, modelCrew(t, m, nil))
	reasons := r.dial("").journey("Try again")
	if len(reasons) != 1 || !strings.Contains(reasons[0], "returned an invalid answer twice: the answer contains text but no JSON object") {
		t.Errorf("reasons %q", reasons)
	}
}

// A turn interrupted by a restart is resumed: nothing stays "running".
func TestRestartInMidTurn(t *testing.T) {
	began := make(chan struct{}, 8)
	var fast atomic.Bool
	m := &drivetest.Completions{}
	m.Script = func(c drivetest.Call) drivetest.Answer {
		if fast.Load() || strings.Contains(c.Prompt, "Break the request into") {
			return drivetest.OfficeScript(c)
		}
		began <- struct{}{}
		return drivetest.Answer{Text: `{"artifacts":[{"content":"half of`, Stall: true}
	}
	cfg := modelCrew(t, m, nil)
	cfg.DataDir = t.TempDir()
	token := func() string { return cfg.ownerToken(t) }
	r := startRig(t, cfg)
	v := r.dial(token())
	v.command(contracts.CmdSubmitRequest, map[string]any{"text": "A landing page"})
	v.untilEvent(func(e contracts.Event) bool { return e.Name == contracts.EventKickoffFinished })
	var project string
	for _, p := range r.view.State().Projects {
		project = p.ProjectID
	}
	v.command(contracts.CmdAutoAssign, map[string]any{"project_id": project})
	<-began
	r.stop()
	fast.Store(true)
	again := startRig(t, cfg)
	again.dial(token())
	for end := time.Now().Add(testTimeout); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		snap := again.view.State()
		if len(snap.Artifacts) > 0 {
			break
		}
		for _, d := range snap.Decisions {
			if d.Kind == contracts.DecisionRetry {
				t.Fatalf("the turn that the restart interrupted failed: %s", d.Prompt)
			}
		}
	}
	if len(again.view.State().Artifacts) == 0 {
		t.Error("the turn was not resumed")
	}
	again.view.Look(func(w *world.World) {
		for _, task := range w.Tasks() {
			if task.Usage != nil && task.Usage.TokensIn > 0 {
				return
			}
		}
		t.Error("the usage of the interrupted turns was not counted")
	})
}

// Keys are read from the environment; the office does not start if a configured key is missing.
func TestMissingKeyStopsTheStart(t *testing.T) {
	cfg := modelCrew(t, &drivetest.Completions{}, func(s *staff.Staff) {
		r := s.Runners["fast"]
		r.APIKeyEnv = "FAST_KEY"
		s.Runners["fast"] = r
	})
	cfg.Getenv = func(string) string { return "" }
	_, err := New(t.Context(), cfg)
	if err == nil || !strings.Contains(err.Error(), "runners.fast: the environment variable FAST_KEY is empty or not set") {
		t.Errorf("New = %v", err)
	}
}

// Agents in one office can use different runners, and new agents can join.
func TestStaffMixesRunners(t *testing.T) {
	cfg := modelCrew(t, &drivetest.Completions{}, func(s *staff.Staff) {
		s.Default = ""
		s.Agents = []staff.Agent{{ID: "agent_bd", Runner: "fast"}, {ID: "agent_writer_2", Name: "Ines", Role: contracts.RoleWriter, Home: "poi_lounge"}}
	})
	r := startRig(t, cfg)
	got := map[string]string{}
	for _, a := range r.view.State().Agents {
		got[a.Name] = a.Runner
	}
	if len(got) != 9 || got["Ada"] != "fast" || got["Ines"] != "rehearsal" || got["Bram"] != "rehearsal" {
		t.Errorf("people %v", got)
	}
}
