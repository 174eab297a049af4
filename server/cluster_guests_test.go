package server

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/agents/claude/translate"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger/jetstream/natstest"
	"github.com/bullpen-office/bullpen/world"
)

// leap is a clock that the nodes of a test share and that can jump ahead.
type leap struct{ ahead atomic.Int64 }

func (l *leap) now() time.Time { return time.Now().Add(time.Duration(l.ahead.Load())) }

func (l *leap) jump(d time.Duration) { l.ahead.Add(int64(d)) }

// toolRuns reports to a node that a tool of a Claude Code session has started, and returns the
// session's agent.
func (r *rig) toolRuns(session string) (agentID string) {
	r.t.Helper()
	hook := fmt.Sprintf(`{"session_id":%q,"prompt_id":"p","cwd":"/src/%[1]s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"make"},"tool_use_id":%q}`,
		session, fmt.Sprint("toolu_", time.Now().UnixNano()))
	if status, body := r.post(hookDoor, hook, asJSON); status/100 != 2 {
		r.t.Fatalf("%d %s", status, body)
	}
	return translate.AgentID(session, "")
}

// watchedBy waits until the ledger shows that a node watches a guest.
func (r *rig) watchedBy(id, node string) {
	r.t.Helper()
	r.untilTrue(id+" is watched by node "+node, func() bool {
		return slices.ContainsFunc(r.view.State().Agents, func(a contracts.Agent) bool { return a.AgentID == id && a.Node == node })
	})
}

// statuses returns the recorded statuses of a guest that have the given activity.
func (r *rig) statuses(id string, activity contracts.Activity) (list []contracts.AgentStatus) {
	r.t.Helper()
	for after := uint64(0); ; {
		recs, err := r.ledger.Read(r.t.Context(), after, 1000, contracts.KindEvent)
		if err != nil {
			r.t.Fatal(err)
		}
		for _, rec := range recs {
			after = rec.Seq
			body, err := rec.Decode()
			if err != nil {
				r.t.Fatal(err)
			}
			if e := body.(*contracts.Event); e.Name == contracts.EventAgentStatus && e.AgentID == id && e.Status.Activity == activity {
				list = append(list, *e.Status)
			}
		}
		if len(recs) < 1000 {
			return list
		}
	}
}

// ended waits until the office has recorded that a node's life is over.
func (r *rig) ended(node string) {
	r.t.Helper()
	r.untilTrue("the life of node "+node+" has ended", func() (down bool) {
		r.view.Look(func(w *world.World) {
			down = !slices.ContainsFunc(w.Owners(), func(o *contracts.Owner) bool { return o.Node == node && o.Up && contracts.IsLife(o.ID) })
		})
		return down
	})
}

// The guest of a node that is cut off goes offline, once, with the reason, whether or not the node
// was the writer. The other node's guest stays online, and the first guest is online again once its
// node is back.
func TestGuestsOfALostNodeGoOffline(t *testing.T) {
	for _, writes := range []bool{true, false} {
		t.Run(fmt.Sprintf("writer %v", writes), func(t *testing.T) {
			t.Parallel()
			c, clock := natstest.Start(t, 1), &leap{}
			lost, _ := startNodeWith(t, c, "lost", Config{Crew: CrewNone, Now: clock.now})
			other, _ := startNodeWith(t, c, "other", Config{Crew: CrewNone, Now: clock.now})
			if lost.node.Status().Writes != writes {
				lost, other = other, lost
			}
			name := lost.node.Name()
			gone, stays := lost.toolRuns("gone"), other.toolRuns("stays")
			other.untilRecorded(gone, contracts.ActivityWorking)
			other.untilRecorded(stays, contracts.ActivityWorking)
			lost.nats.Close()
			other.ended(name)
			clock.jump(contracts.NodeGrace)
			other.toolRuns("stays") // the office notices that the clock has jumped
			other.untilRecorded(gone, contracts.ActivityOffline)
			lost.stop()
			back, _ := startNodeWith(t, c, name, Config{Crew: CrewNone, Now: clock.now})
			back.toolRuns("gone")
			other.untilRecorded(gone, contracts.ActivityWorking)
			other.watchedBy(gone, name)
			if list := other.statuses(gone, contracts.ActivityOffline); len(list) != 1 || list[0].Why != "Offline: node "+name+" is gone (office)" {
				t.Errorf("recorded as offline: %+v", list)
			}
			if list := other.statuses(stays, contracts.ActivityOffline); len(list) > 0 {
				t.Errorf("the guest of the other node is recorded as offline: %+v", list)
			}
		})
	}
}

// Only one of two nodes judges a guest: the silence of each guest is recorded once, although one
// node started when the other's guest was already in the office.
func TestOneNodeJudgesEachGuest(t *testing.T) {
	c, clock := natstest.Start(t, 1), &leap{}
	a, _ := startNodeWith(t, c, "a", Config{Crew: CrewNone, Now: clock.now})
	first := a.toolRuns("first")
	a.untilRecorded(first, contracts.ActivityWorking)
	b, _ := startNodeWith(t, c, "b", Config{Crew: CrewNone, Now: clock.now})
	second := b.toolRuns("second")
	a.untilRecorded(second, contracts.ActivityWorking)
	a.watchedBy(first, "a")
	a.watchedBy(second, "b")
	clock.jump(contracts.SilenceTool + contracts.SilenceOffline)
	for _, r := range []*rig{a, b} { // once this guest's status is recorded, the node has judged all its guests
		a.untilRecorded(r.toolRuns("late-"+r.node.Name()), contracts.ActivityWorking)
	}
	for _, id := range []string{first, second} {
		a.untilRecorded(id, contracts.ActivityOffline)
		if list := a.statuses(id, contracts.ActivityOffline); len(list) != 1 {
			t.Errorf("%s is recorded as offline %d times", id, len(list))
		}
	}
}

// If a script starts to report to another node, that node watches it: its status follows the new
// reports, and it does not go offline when the first node shuts down.
func TestGuestMovesWithItsReports(t *testing.T) {
	c, clock := natstest.Start(t, 1), &leap{}
	a, _ := startNodeWith(t, c, "a", Config{Crew: CrewNone, Now: clock.now})
	b, _ := startNodeWith(t, c, "b", Config{Crew: CrewNone, Now: clock.now})
	const id = "agent_deploy"
	for _, r := range []*rig{a, b, a, b} {
		line := "step on " + r.node.Name()
		if status, body := r.post("/v1/ui/status?agent=deploy", line, "Content-Type: text/plain"); status != http.StatusOK {
			t.Fatal(status, body)
		}
		b.watchedBy(id, r.node.Name())
		b.untilTrue("the status line is recorded", func() bool {
			return slices.ContainsFunc(b.view.State().Agents, func(a contracts.Agent) bool { return a.AgentID == id && strings.Contains(a.StatusLine, line) })
		})
	}
	a.stop()
	b.ended("a")
	clock.jump(contracts.NodeGrace)
	b.untilRecorded(b.toolRuns("late"), contracts.ActivityWorking)
	if list := b.statuses(id, contracts.ActivityOffline); len(list) > 0 {
		t.Errorf("recorded as offline: %+v", list)
	}
}
