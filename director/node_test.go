package director_test

import (
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/director"
)

// observe reports a fact as a node and returns a summary of the records.
func (l *lives) observe(node, life string, f contracts.Fact) []string {
	l.Helper()
	l.now++
	recs, _, refusal, err := l.d.Observe(l.w, director.Now{MS: l.now, Node: node, Life: life}, f)
	if err != nil || refusal != nil {
		l.Fatal(err, refusal)
	}
	return summarize(l.T, recs)
}

// Everything that another node runs belongs to that node's life: it ends with the node, not with
// the writer's life.
func TestNodeOwnsWhatItRuns(t *testing.T) {
	l := newLives(t)
	l.begin()
	l.want("up", l.observe("n", l.life, contracts.NodeUp{Node: "m", Watches: []string{"claude"}}), "watch_claude@m up=true", "life_5 up=true")
	start := contracts.HUD{Event: contracts.HUDTurnStart, AgentID: "agent_bd", Session: "s"}
	start.UUID, start.CorrelationID = "1", "run"
	l.observe("m", "life_5", contracts.HUDSeen{HUD: start})
	start.UUID, start.CorrelationID = "2", "seen"
	l.observe("m", "life_5", contracts.HUDSeen{HUD: start, Watch: "claude"})
	l.want("the writer starts again", l.begin(), "life_3 up=false", "life_9 up=true")
	l.want("open", l.open(), "run", "seen")
	l.want("down", l.observe("n", l.life, contracts.NodeDown{Node: "m", Life: "life_5"}), "watch_claude@m up=false", "life_5 up=false", "turn_end run")
	l.want("open", l.open(), "seen")
	l.want("up again", l.observe("n", l.life, contracts.NodeUp{Node: "m", Watches: []string{"claude"}}), "watch_claude@m up=true", "life_14 up=true")
	l.now += contracts.WatchGrace.Milliseconds()
	l.want("later", l.advance())
	l.want("open", l.open(), "seen")
}

// When a node restarts without having been reported down, everything that its previous process had
// open is ended.
func TestNodeStartsAgain(t *testing.T) {
	l := newLives(t)
	l.begin()
	l.observe("n", l.life, contracts.NodeUp{Node: "m"})
	l.observe("m", "life_4", contracts.HUDSeen{HUD: contracts.HUD{UUID: "1", Event: contracts.HUDTurnStart, CorrelationID: "run", AgentID: "agent_bd"}})
	l.want("up", l.observe("n", l.life, contracts.NodeUp{Node: "m"}), "life_4 up=false", "turn_end run", "life_8 up=true")
}

// NodeUp and NodeDown are refused for the writer itself and for an invalid node name.
func TestNodeNamesAreChecked(t *testing.T) {
	l := newLives(t)
	l.begin()
	for _, f := range []contracts.Fact{contracts.NodeUp{Node: "n"}, contracts.NodeDown{Node: "n"}, contracts.NodeUp{}, contracts.NodeDown{Node: "a\nb"}} {
		if _, refusal := l.tell(f); refusal == nil || refusal.Field != "node" {
			t.Errorf("%+v: %v", f, refusal)
		}
	}
}

// A node that becomes the writer keeps its life and everything that it runs.
func TestWriterContinuesItsLife(t *testing.T) {
	l := newLives(t)
	l.begin()
	l.observe("n", l.life, contracts.NodeUp{Node: "m"})
	l.observe("m", "life_4", contracts.HUDSeen{HUD: contracts.HUD{UUID: "1", Event: contracts.HUDTurnStart, CorrelationID: "run", AgentID: "agent_bd"}})
	life, recs, err := l.d.Begin(l.w, director.Now{MS: l.now, Node: "m", Life: "life_4"}, l.now, nil)
	if err != nil || life != "life_4" || len(recs) != 1 {
		t.Errorf("life %s with %d records: %v", life, len(recs), err)
	}
	l.want("open", l.open(), "run")
}

// After a writer is shut down, the next writer ends the turns that the earlier one watched, unless
// the earlier node returns within WatchGrace.
func TestWatchesOfAStoppedWriterEnd(t *testing.T) {
	l := newLives(t)
	l.begin()
	l.observe("n", l.life, contracts.NodeUp{Node: "m", Watches: []string{"claude"}})
	l.observe("m", "life_5", contracts.HUDSeen{HUD: contracts.HUD{UUID: "1", Event: contracts.HUDTurnStart, CorrelationID: "seen", AgentID: "agent_bd"}, Watch: "claude"})
	if _, err := l.d.End(l.w, director.Now{MS: l.now, Node: "m", Life: "life_5"}); err != nil {
		t.Fatal(err)
	}
	l.want("the other node writes", l.begin(), "life_3 up=false", "watch_claude@m up=false", "life_10 up=true")
	l.want("open", l.open(), "seen")
	l.now += contracts.WatchGrace.Milliseconds()
	l.want("later", l.advance(), "turn_end seen")
}

// If an office with several nodes is imported into an office without other nodes, everything that
// the nodes were running is ended.
func TestImportedNodesEnd(t *testing.T) {
	l := newLives(t)
	l.begin()
	l.observe("n", l.life, contracts.NodeUp{Node: "m"})
	l.observe("n", l.life, contracts.NodeUp{Node: contracts.OutpostNode("laptop")})
	l.observe("m", "life_4", contracts.HUDSeen{HUD: contracts.HUD{UUID: "1", Event: contracts.HUDTurnStart, CorrelationID: "run", AgentID: "agent_bd"}})
	l.d = director.New(director.Config{Alone: true})
	l.want("begin", l.begin(), "life_3 up=false", "life_4 up=false", "turn_end run", "life_10 up=true")
	l.want("open", l.open())
}

// A node that was out of contact continues its life if the office has not ended it. NodeDown for a
// life that is already over has no effect on the node's next life.
func TestNodeContinuesItsLife(t *testing.T) {
	l := newLives(t)
	l.begin()
	l.observe("n", l.life, contracts.NodeUp{Node: "m", Watches: []string{"claude"}})
	l.observe("m", "life_5", contracts.HUDSeen{HUD: contracts.HUD{UUID: "1", Event: contracts.HUDTurnStart, CorrelationID: "run", AgentID: "agent_bd"}})
	l.want("up again", l.observe("n", l.life, contracts.NodeUp{Node: "m", Life: "life_5", Watches: []string{"claude"}}), "life_5 up=true")
	l.want("open", l.open(), "run")
	l.observe("n", l.life, contracts.NodeDown{Node: "m", Life: "life_5"})
	l.want("a new life", l.observe("n", l.life, contracts.NodeUp{Node: "m", Life: "life_5", Watches: []string{"claude"}}), "watch_claude@m up=true", "life_12 up=true")
	l.want("down late", l.observe("n", l.life, contracts.NodeDown{Node: "m", Life: "life_5"}))
}
