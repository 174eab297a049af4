package director_test

import (
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/director"
)

// twoNodes returns an office with the writer n and another node m, and the life of m.
func twoNodes(t *testing.T) (l *lives, life string) {
	l = newLives(t)
	l.begin()
	l.observe("n", l.life, contracts.NodeUp{Node: "m"})
	return l, contracts.LifeID(l.w.Seq())
}

// at returns a fact about a guest that a node watches.
func at(node, id string) contracts.AgentSeen {
	f := seen(id)
	f.Profile.Node = node
	return f
}

func (l *lives) activity(id string) contracts.Activity {
	if a := l.w.Agent(id); a != nil && a.Status != nil {
		return a.Status.Activity
	}
	return ""
}

// The guests of a node that is gone are marked as offline only once, after NodeGrace, and leave
// later; the guests of other nodes stay.
func TestGuestsOfAGoneNodeGoOffline(t *testing.T) {
	l, life := twoNodes(t)
	l.observe("n", l.life, at("n", "agent_n"))
	l.observe("m", life, at("m", "agent_m"))
	l.observe("n", l.life, working("agent_n"))
	l.observe("m", life, working("agent_m"))
	l.observe("n", l.life, contracts.NodeDown{Node: "m", Life: life})
	l.advance()
	due, ok := l.d.Deadline(l.w)
	l.now = l.w.Agent("agent_m").UnwatchedSince + contracts.NodeGrace.Milliseconds()
	if !ok || due > l.now {
		t.Errorf("the office acts next at %d, %v", due, ok)
	}
	l.now--
	if l.advance(); l.activity("agent_m") != contracts.ActivityWorking {
		t.Errorf("offline before NodeGrace: %+v", l.w.Agent("agent_m").Status)
	}
	l.now++
	l.want("after NodeGrace", l.advance(), "agent_status")
	if s := l.w.Agent("agent_m").Status; s.Activity != contracts.ActivityOffline || s.Why != "Offline: node m is gone (office)" || s.Since != l.now {
		t.Errorf("%+v", s)
	}
	l.now += contracts.OfflineGuestStay.Milliseconds() - 1
	l.want("before it leaves", l.advance())
	l.now++
	l.want("later", l.advance(), "agent_left")
	if l.w.Agent("agent_m") != nil || l.activity("agent_n") != contracts.ActivityWorking {
		t.Errorf("guest of the node that is gone: %+v; guest of the other node: %s", l.w.Agent("agent_m"), l.activity("agent_n"))
	}
}

// Nothing is recorded about the guests of a node that comes back within NodeGrace.
func TestGuestsOfANodeThatReturnsStay(t *testing.T) {
	l, life := twoNodes(t)
	l.observe("m", life, at("m", "agent_m"))
	l.observe("m", life, working("agent_m"))
	l.observe("n", l.life, contracts.NodeDown{Node: "m", Life: life})
	l.now += contracts.NodeGrace.Milliseconds() / 2
	l.observe("n", l.life, contracts.NodeUp{Node: "m"})
	l.now += contracts.OfflineGuestStay.Milliseconds()
	if l.advance(); l.activity("agent_m") != contracts.ActivityWorking {
		t.Errorf("%+v", l.w.Agent("agent_m"))
	}
}

// When the writer stops, the next writer marks the earlier one's guests as offline.
func TestGuestsOfAWriterThatStopsGoOffline(t *testing.T) {
	l, life := twoNodes(t)
	l.observe("n", l.life, at("n", "agent_n"))
	l.observe("n", l.life, working("agent_n"))
	if _, err := l.d.End(l.w, l.moment()); err != nil {
		t.Fatal(err)
	}
	if _, _, err := l.d.Begin(l.w, director.Now{MS: l.now, Node: "m", Life: life}, l.now, nil); err != nil {
		t.Fatal(err)
	}
	l.now += contracts.NodeGrace.Milliseconds()
	if l.advance(); l.activity("agent_n") != contracts.ActivityOffline {
		t.Errorf("%+v", l.w.Agent("agent_n").Status)
	}
}

// A guest belongs to the node that saw it last: only that node judges it, and the end of the
// earlier node does not matter.
func TestGuestMovesBetweenNodes(t *testing.T) {
	l, life := twoNodes(t)
	l.observe("m", life, at("m", "agent_a"))
	l.observe("m", life, working("agent_a"))
	l.want("moved", l.observe("n", l.life, at("n", "agent_a")), "agent_joined")
	for _, f := range []contracts.Fact{working("agent_a"), contracts.AgentGone{AgentID: "agent_a"}} {
		l.now++
		recs, _, refusal, err := l.d.Observe(l.w, director.Now{MS: l.now, Node: "m", Life: life}, f)
		if err != nil || len(recs) > 0 || refusal == nil || refusal.Field != contracts.FieldNode || !strings.Contains(refusal.Message, "node n") {
			t.Errorf("%T from the earlier node: %d records, %v, %v", f, len(recs), refusal, err)
		}
	}
	l.observe("n", l.life, contracts.NodeDown{Node: "m", Life: life})
	l.now += contracts.NodeGrace.Milliseconds()
	if l.advance(); l.activity("agent_a") != contracts.ActivityWorking {
		t.Errorf("%+v", l.w.Agent("agent_a").Status)
	}
	l.observe("n", l.life, working("agent_a"))
}

// A guest of a node that is gone is back when it reports to another node.
func TestGuestOfAGoneNodeReportsElsewhere(t *testing.T) {
	l, life := twoNodes(t)
	l.observe("m", life, at("m", "agent_a"))
	l.observe("n", l.life, contracts.NodeDown{Node: "m", Life: life})
	l.now += contracts.NodeGrace.Milliseconds()
	if l.advance(); l.activity("agent_a") != contracts.ActivityOffline {
		t.Fatalf("%+v", l.w.Agent("agent_a"))
	}
	l.observe("n", l.life, at("n", "agent_a"))
	l.observe("n", l.life, working("agent_a"))
	l.now += contracts.OfflineGuestStay.Milliseconds()
	if l.advance(); l.activity("agent_a") != contracts.ActivityWorking {
		t.Errorf("%+v", l.w.Agent("agent_a"))
	}
}

// An outpost cannot name a node for its agents.
func TestOutpostAgentsHaveNoNode(t *testing.T) {
	l := newLives(t)
	l.begin()
	laptop := l.join("laptop")
	if _, refusal := laptop(at("n", "agent_a")); refusal != nil {
		t.Fatal(refusal)
	}
	if a := l.w.Agent("agent_a"); a.Node != "" || a.Outpost != "laptop" {
		t.Errorf("%+v", a.AgentProfile)
	}
}
