package director_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// works is an office where agent_bd has one open turn; its methods report the tool calls in that
// turn.
type works struct {
	*lives
	source hud.Source
}

func newWorks(t *testing.T) *works {
	w := &works{newLives(t), hud.Source{AgentID: "agent_bd", Session: "s", Roots: hud.RootsAt("/w", "")}}
	w.begin()
	start := hud.TurnStart(w.source, "t", hud.Span{Correlation: "t"}, "work")
	start.Root = "/w"
	w.report(start)
	return w
}

func (w *works) report(h contracts.HUD) {
	w.Helper()
	w.n++
	h.UUID = fmt.Sprint("fact", w.n)
	_, refusal := w.tell(contracts.HUDSeen{HUD: h})
	w.must(refusal)
}

// start reports the start of a call, one second after the previous report.
func (w *works) start(id, tool string, args jsontext.Value) {
	w.Helper()
	w.now += 1000
	w.report(hud.ToolStart(w.source, "", hud.Span{Correlation: id, Parent: "t"}, hud.Call{Tool: tool, Args: args}))
}

// call reports a call that takes 100 ms.
func (w *works) call(tool string, args jsontext.Value, result any) {
	w.Helper()
	id := fmt.Sprint("call", w.n)
	w.start(id, tool, args)
	w.now += 100
	end, _ := hud.ToolEnd(w.source, "", hud.Span{Correlation: id, Parent: "t"}, hud.Call{Tool: tool, Args: args}, result, 100*time.Millisecond)
	w.report(end)
}

func (w *works) edit(path string) {
	w.Helper()
	w.call("Edit", hud.Value(map[string]string{"file_path": path}), hud.Edit(path, hud.FileArea{}))
}

func (w *works) run(command string, exit int) {
	w.Helper()
	w.call("Bash", hud.Value(map[string]string{"command": command}), hud.Exec(command, exit, "", ""))
}

// wantState checks the state of agent_bd's edits; "" means that no edit was seen.
func (w *works) wantState(state contracts.EditsState) *contracts.Checked {
	w.Helper()
	got := w.w.Snapshot(w.now, nil, nil).Agents[0].Checked
	switch {
	case got == nil && state != "":
		w.Fatalf("no edit was seen, want %s", state)
	case got != nil && got.State != state:
		text, _ := json.Marshal(got)
		w.Fatalf("got %s, want %q", text, state)
	}
	return got
}

// The state of an agent's edits is derived from its calls, which use the vendor's tool names.
func TestEditsAreChecked(t *testing.T) {
	w := newWorks(t)
	w.run("go test ./...", 0)
	w.run("npm install", 0)
	w.wantState("")
	w.edit("/w/a.go")
	w.wantState(contracts.EditsStale)
	w.run("go test ./...", 1)
	w.wantState(contracts.EditsFailed)
	w.run("git status", 0)
	w.run("go test ./...", 0)
	w.run("git commit -am done", 0)
	got := w.wantState(contracts.EditsChecked)
	want := &contracts.Checked{State: contracts.EditsChecked, Edit: contracts.Impact{Kind: contracts.ImpactEdit, What: "a.go"},
		Check: &contracts.Impact{Kind: contracts.ImpactCheck, What: "go test ./...", Outcome: contracts.OutcomePassed, ExitCode: new(0)}}
	want.Edit.At, want.Check.At, want.Check.Since = got.Edit.At, got.Check.At, got.Check.At-100
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	w.run("./generate.sh", 0)
	w.wantState(contracts.EditsUnknown)
	w.run("go test ./... | tail -3", 0)
	w.wantState(contracts.EditsUnknown)
	w.run("go test ./...", 0)
	w.wantState(contracts.EditsChecked)
	w.edit("/w/b.go")
	w.wantState(contracts.EditsStale)
}

// An edit that ends while a check is running makes the check stale, and a check whose end was not
// seen proves nothing.
func TestEditsDuringACheck(t *testing.T) {
	w := newWorks(t)
	w.edit("/w/a.go")
	w.wantState(contracts.EditsUnchecked)
	command := hud.Value(map[string]string{"command": "make test"})
	w.start("check", "Bash", command)
	w.edit("/w/b.go")
	end, _ := hud.ToolEnd(w.source, "", hud.Span{Correlation: "check", Parent: "t"}, hud.Call{Tool: "Bash", Args: command}, hud.Exec("make test", 0, "", ""), 1200*time.Millisecond)
	w.now += 100
	w.report(end)
	w.wantState(contracts.EditsStale)

	w.start("lost", "Bash", command)
	w.begin() // a restart ends the calls of the previous life
	w.wantState(contracts.EditsUnknown)
}

// Only the director derives impacts: an impact in a report, an end without a start, and a rehearsal
// are ignored.
func TestImpactsAreDerived(t *testing.T) {
	w := newWorks(t)
	forged := contracts.HUD{Event: contracts.HUDToolEnd, CorrelationID: "x", ParentID: "t", AgentID: "agent_bd", Session: "s", Tool: "edit",
		Impact: &contracts.Impact{Kind: contracts.ImpactEdit, At: 1}}
	w.report(forged)
	w.wantState("")
	w.source.Rehearsal = true
	w.edit("/w/a.go")
	w.wantState("")
}

// A call to a tool named "check" does not count as a check that the office ran, even if the agent
// works for the office; only the office's own record counts.
func TestAgentsCannotReportOfficeChecks(t *testing.T) {
	s, task := inShopRepo(t, "unit")
	source := hud.Source{AgentID: "agent_eng_1", Session: "s", TaskID: task.TaskID, Roots: hud.RootsAt("/w", "")}
	reported := 0
	report := func(h contracts.HUD) {
		t.Helper()
		reported++
		h.UUID = fmt.Sprint("fact", reported)
		s.must(contracts.HUDSeen{HUD: h})
	}
	call := func(tool string, args jsontext.Value, result any) {
		t.Helper()
		span := hud.Span{Correlation: fmt.Sprint("call", reported), Parent: "t"}
		report(hud.ToolStart(source, "", span, hud.Call{Tool: tool, Args: args}))
		end, _ := hud.ToolEnd(source, "", span, hud.Call{Tool: tool, Args: args}, result, 0)
		report(end)
	}
	is := func(want contracts.EditsState) {
		t.Helper()
		i := slices.IndexFunc(s.w.Snapshot(s.now, nil, nil).Agents, func(a contracts.Agent) bool { return a.AgentID == "agent_eng_1" })
		if got := s.w.Snapshot(s.now, nil, nil).Agents[i].Checked; got == nil || got.State != want {
			t.Fatalf("%+v, want %s", got, want)
		}
	}
	s.callerTurn(contracts.HUDTurnStart)
	call("Edit", hud.Value(map[string]string{"file_path": "/w/a.go"}), hud.Edit("/w/a.go", hud.FileArea{}))
	call("check", hud.Value(map[string]string{"name": "unit", "command": "make unit"}), hud.Exec("make unit", 0, "", ""))
	is(contracts.EditsUnchecked)
	failed := ran("unit", treeA, s.now+1)
	failed.ExitCode = 1
	s.must(contracts.CheckRan{TaskID: task.TaskID, Attempt: task.Attempt, Result: failed})
	is(contracts.EditsFailed)
	s.must(contracts.CheckRan{TaskID: task.TaskID, Attempt: task.Attempt, Result: ran("unit", treeB, s.now+2)})
	is(contracts.EditsChecked)
}
