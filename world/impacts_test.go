package world_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
	"github.com/bullpen-office/bullpen/world/scene"
)

// ended returns the end of an agent's call with an impact.
func ended(agent string, i contracts.Impact) *contracts.HUD {
	return &contracts.HUD{UUID: fmt.Sprint(agent, i.At, i.Kind), Event: contracts.HUDToolEnd, AgentID: agent, Session: "s", CorrelationID: fmt.Sprint("call_", i.At), Impact: &i}
}

func checkedOf(t interface{ Fatalf(string, ...any) }, w *world.World, agent string) *contracts.Checked {
	rows := w.Snapshot(0, nil, nil).Agents
	i := slices.IndexFunc(rows, func(a contracts.Agent) bool { return a.AgentID == agent })
	if i < 0 {
		t.Fatalf("%s is not in the snapshot", agent)
	}
	return rows[i].Checked
}

// did is an impact in the model's history, with the position of its record.
type did struct {
	contracts.Impact
	by string
	n  int
}

// modelState scans the whole history to determine whether an agent's edits were checked.
func modelState(history []did, mine func(agent string) bool) contracts.EditsState {
	latest := func(kind contracts.ImpactKind) (last *did) {
		for i := range history {
			if d := &history[i]; d.Kind == kind && mine(d.by) && (last == nil || d.At > last.At || d.At == last.At && d.n > last.n) {
				last = d
			}
		}
		return last
	}
	edit, check, command := latest(contracts.ImpactEdit), latest(contracts.ImpactCheck), latest(contracts.ImpactCommand)
	after := func(d *did) bool {
		return d != nil && (d.At > check.Since || d.At == check.At && d.n > check.n)
	}
	switch {
	case edit == nil:
		return ""
	case check == nil:
		return contracts.EditsUnchecked
	case after(edit):
		return contracts.EditsStale
	case check.Outcome == contracts.OutcomeFailed:
		return contracts.EditsFailed
	case check.Outcome == contracts.OutcomeUnknown || after(command):
		return contracts.EditsUnknown
	}
	return contracts.EditsChecked
}

// For any history of edits, checks and commands, with times in any order, the states of agents and
// their ancestors match a simple model.
func TestCheckedIsTheModel(t *testing.T) {
	family := []contracts.AgentProfile{
		{AgentID: "agent_a", Name: "A", Source: "claude"},
		{AgentID: "agent_b", Name: "B", Source: "claude", ParentID: "agent_a"},
		{AgentID: "agent_c", Name: "C", Source: "claude", ParentID: "agent_b"},
		{AgentID: "agent_d", Name: "D", Source: "claude", ParentID: "agent_d"}, // agent_d is its own parent
	}
	mine := map[string][]string{"agent_a": {"agent_a", "agent_b", "agent_c"}, "agent_b": {"agent_b", "agent_c"}, "agent_c": {"agent_c"}, "agent_d": {"agent_d"}}
	rapid.Check(t, func(t *rapid.T) {
		h := &history{T: t, live: world.New(scene.Default()), ts: 1}
		h.add(opened())
		h.add(&contracts.Event{Name: contracts.EventAgentJoined, Agents: family})
		var all []did
		for n := range rapid.IntRange(1, 12).Draw(t, "calls") {
			h.ts += int64(rapid.IntRange(0, 3).Draw(t, "time"))
			at := max(1, h.ts-int64(rapid.SampledFrom([]int{0, 0, 0, 2, 5}).Draw(t, "late")))
			i := contracts.Impact{Kind: rapid.SampledFrom([]contracts.ImpactKind{"edit", "check", "command"}).Draw(t, "kind"), At: at}
			if i.Kind == contracts.ImpactCheck {
				i.Since = at - int64(rapid.IntRange(0, 3).Draw(t, "took"))
				i.Outcome = rapid.SampledFrom([]contracts.CheckOutcome{"passed", "passed", "failed", "unknown"}).Draw(t, "outcome")
			}
			by := rapid.SampledFrom(family).Draw(t, "agent").AgentID
			all = append(all, did{i, by, n})
			h.add(ended(by, i))
		}
		for agent, own := range mine {
			want := modelState(all, func(by string) bool { return slices.Contains(own, by) })
			got := contracts.EditsState("")
			if c := checkedOf(t, h.live, agent); c != nil {
				got = c.State
			}
			if got != want {
				t.Fatalf("%s is %q, want %q after %+v", agent, got, want, all)
			}
		}
	})
}

// A row names the last edit, the last check and, if that check is in doubt, the command that
// followed it, each with the sub-agent that made the call.
func TestCheckedRow(t *testing.T) {
	sub := &contracts.Event{Name: contracts.EventAgentJoined, Agents: []contracts.AgentProfile{{AgentID: "agent_s", Name: "S", Source: "claude", ParentID: "agent_bd"}}}
	edit := contracts.Impact{Kind: contracts.ImpactEdit, At: 5, What: "a.go"}
	check := contracts.Impact{Kind: contracts.ImpactCheck, At: 9, Since: 7, What: "go test", Outcome: contracts.OutcomePassed, ExitCode: new(0)}
	command := contracts.Impact{Kind: contracts.ImpactCommand, At: 12, What: "make"}
	w := fold(t, tape(t, opened(), sub, ended("agent_s", edit), ended("agent_bd", check), ended("agent_bd", command)))
	bySub := edit
	bySub.AgentID = "agent_s"
	want := &contracts.Checked{State: contracts.EditsUnknown, Edit: bySub, Check: &check, Command: &command}
	if diff := cmp.Diff(want, checkedOf(t, w, "agent_bd")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(&contracts.Checked{State: contracts.EditsUnchecked, Edit: edit}, checkedOf(t, w, "agent_s")); diff != "" {
		t.Error(diff)
	}
}

// DoneAt is the time when the agent itself last ended a turn, if that was after its last edit;
// turns of its sub-agents do not count.
func TestDone(t *testing.T) {
	sub := &contracts.Event{Name: contracts.EventAgentJoined, Agents: []contracts.AgentProfile{{AgentID: "agent_s", Name: "S", Source: "claude", ParentID: "agent_bd"}}}
	turn := func(agent string, at int64) *contracts.HUD {
		return &contracts.HUD{UUID: fmt.Sprint(agent, at), Event: contracts.HUDTurnEnd, AgentID: agent, Session: "s", CorrelationID: "t", Impact: &contracts.Impact{Kind: contracts.ImpactDone, At: at}}
	}
	edit := func(at int64) *contracts.HUD {
		return ended("agent_bd", contracts.Impact{Kind: contracts.ImpactEdit, At: at, What: "a.go"})
	}
	for _, test := range []struct {
		name string
		then []contracts.Body
		want int64
	}{
		{"no turn ended", []contracts.Body{edit(5)}, 0},
		{"after the edit", []contracts.Body{edit(5), turn("agent_bd", 7)}, 7},
		{"before another edit", []contracts.Body{edit(5), turn("agent_bd", 7), edit(9)}, 0},
		{"twice, reported late", []contracts.Body{edit(5), turn("agent_bd", 9), turn("agent_bd", 7)}, 9},
		{"a sub-agent's turn", []contracts.Body{edit(5), turn("agent_s", 7)}, 0},
	} {
		w := fold(t, tape(t, append([]contracts.Body{opened(), sub}, test.then...)...))
		if got := checkedOf(t, w, "agent_bd").DoneAt; got != test.want {
			t.Errorf("%s: done at %d, want %d", test.name, got, test.want)
		}
	}
}

// A new session of a crew member starts without edits. StartSeqs lists only the starts of open
// turns, while RetainedSeqs lists everything that retention must keep.
func TestImpactsOfASession(t *testing.T) {
	edit := contracts.Impact{Kind: contracts.ImpactEdit, At: 5, What: "a.go"}
	w := fold(t, tape(t, opened(), hud("turn_start t"), ended("agent_bd", edit)))
	if diff := cmp.Diff([][]uint64{{2}, {2, 3}}, [][]uint64{w.StartSeqs(), w.RetainedSeqs()}); diff != "" {
		t.Error(diff)
	}
	w = fold(t, tape(t, opened(), hud("turn_start t"), ended("agent_bd", edit), &contracts.Event{Name: contracts.EventAgentReset, AgentID: "agent_bd"}))
	if got := checkedOf(t, w, "agent_bd"); got != nil {
		t.Errorf("after a reset the row says %+v", got)
	}
}
