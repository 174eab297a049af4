package intake_test

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
	"github.com/bullpen-office/bullpen/office"
)

// nodesRig is an office with the rosters of nodes a and b. Node a is the writer.
type nodesRig struct {
	a, b   *rosterRig
	office *office.Office
	start  func(node string) *rosterRig // starts another roster for a node
}

// inNodes runs a test with two nodes in a synctest bubble.
func inNodes(t *testing.T, test func(*nodesRig)) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		l, err := sqlite.Open(ctx, sqlite.Config{Path: filepath.Join(t.TempDir(), "ledger.db")})
		if err != nil {
			t.Fatal(err)
		}
		o, err := office.Open(ctx, office.Config{Ledger: l, Node: "a", Watches: []string{"claude"}})
		if err != nil {
			t.Fatal(err)
		}
		var running sync.WaitGroup
		defer func() {
			cancel()
			running.Wait()
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		}()
		running.Go(func() { _ = o.Run(ctx) })
		n := &nodesRig{office: o}
		n.start = func(node string) *rosterRig {
			r := newRig(t, l, o, node)
			running.Go(func() { _ = r.Run(ctx) })
			return r
		}
		n.a, n.b = n.start("a"), n.start("b")
		n.up()
		test(n)
	})
}

// up connects node b and starts a new life for it.
func (n *nodesRig) up() {
	reply := n.office.Tell(context.Background(), contracts.NodeUp{Node: "b", Watches: []string{"claude"}})[0]
	n.b.set(func() { n.b.teller, n.b.down = contracts.Teller{Node: "b", Life: contracts.LifeID(reply.Seq)}, nil })
}

// cut cuts node b off from the office and ends the node's life.
func (n *nodesRig) cut() {
	n.b.set(func() { n.b.down = contracts.Refuse(contracts.CodeInternal, "not connected") })
	n.office.Tell(context.Background(), contracts.NodeDown{Node: "b", Life: n.b.teller.Life})
}

// recorded counts how often the ledger records this activity for a guest.
func (r *rosterRig) recorded(id string, activity contracts.Activity) (count int) {
	r.t.Helper()
	for _, e := range r.events(contracts.EventAgentStatus) {
		if e.AgentID == id && e.Status.Activity == activity {
			count++
		}
	}
	return count
}

// Only one node judges each guest, even after the other node is restarted.
func TestOneNodeJudgesAGuest(t *testing.T) {
	inNodes(t, func(n *nodesRig) {
		n.a.join(guestCalled(ada, "shop"))
		n.a.pass(time.Second)
		if a := n.a.expect(ada, contracts.ActivityIdle); a.Node != "a" {
			t.Errorf("watched by %q", a.Node)
		}
		n.a.see(ada, status.TurnStarted, "", "")
		n.a.pass(time.Second)
		again := n.start("b")
		n.a.pass(contracts.SilenceTurn + contracts.SilenceOffline + time.Minute)
		n.a.expect(ada, contracts.ActivityOffline)
		for activity, want := range map[contracts.Activity]int{contracts.ActivityIdle: 2, contracts.ActivityWorking: 1, contracts.ActivityOffline: 1} {
			if got := n.a.recorded(ada, activity); got != want {
				t.Errorf("recorded as %s %d times, want %d", activity, got, want)
			}
		}
		if _, ok := again.Explain(ada); ok {
			t.Error("the other node has the guest on its roster")
		}
	})
}

// A guest that reports to another node moves there with its name and status; new evidence
// is enough to move it back. Neither move marks the guest as offline or idle.
func TestGuestMovesToTheNodeItReportsTo(t *testing.T) {
	inNodes(t, func(n *nodesRig) {
		n.a.join(guestCalled(ada, "shop"))
		n.a.see(ada, status.TurnStarted, "", "")
		n.a.pass(time.Second)
		before := n.a.recorded(ada, contracts.ActivityIdle)
		n.b.join(guestCalled(ada, "shop"))
		n.b.see(ada, status.ToolStarted, "c1", "make")
		n.a.pass(time.Minute)
		if a := n.a.expect(ada, contracts.ActivityWorking); a.Node != "b" || a.Name != "shop" {
			t.Errorf("%s is watched by %q", a.Name, a.Node)
		}
		if _, ok := n.a.Explain(ada); ok {
			t.Error("the guest is still on the roster of the earlier node")
		}
		n.a.see(ada, status.ToolEnded, "c1", "")
		n.a.see(ada, status.TurnStarted, "", "")
		n.a.pass(time.Second)
		if a := n.a.expect(ada, contracts.ActivityWorking); a.Node != "a" || a.Name != "shop" {
			t.Errorf("%s is watched by %q", a.Name, a.Node)
		}
		if got := n.a.recorded(ada, contracts.ActivityIdle); got != before {
			t.Errorf("the moves recorded %d idle states", got-before)
		}
		if got := n.a.recorded(ada, contracts.ActivityOffline); got != 0 {
			t.Errorf("the moves recorded %d offline states", got)
		}
	})
}

// A guest that reports to two nodes in turn is watched by the node that it reported to last, even
// if the nodes have not yet learned of the guest's moves.
func TestNewestReportDecidesWhoWatches(t *testing.T) {
	inNodes(t, func(n *nodesRig) {
		n.a.join(guestCalled(ada, "shop"))
		n.a.see(ada, status.TurnStarted, "", "")
		n.a.pass(time.Second)
		for range 3 {
			for _, r := range []*rosterRig{n.b, n.a} {
				time.Sleep(10 * time.Millisecond)
				r.join(guestCalled(ada, "shop"))
				r.see(ada, status.ToolStarted, "", "")
			}
		}
		n.a.pass(10 * time.Millisecond)
		n.a.see(ada, status.TurnEnded, "", "")
		n.a.pass(10 * time.Second)
		if a := n.a.expect(ada, contracts.ActivityIdle); a.Node != "a" {
			t.Errorf("watched by %q", a.Node)
		}
		if _, ok := n.b.Explain(ada); ok {
			t.Error("the guest is on the rosters of both nodes")
		}
	})
}

// A node that has not yet learned that a guest has moved does not mark the guest as offline, even
// if the process that the node watches is gone.
func TestEarlierNodeDoesNotJudgeAGuestThatMoved(t *testing.T) {
	inNodes(t, func(n *nodesRig) {
		n.a.join(guestCalled(ada, "shop"))
		n.a.WatchProcess(ada, 7, 0)
		n.a.pass(time.Second)
		n.b.join(guestCalled(ada, "shop"))
		n.a.set(func() { n.a.dead[7] = true })
		n.a.pass(3 * contracts.ProcessCheck)
		if a := n.a.expect(ada, contracts.ActivityIdle); a.Node != "b" {
			t.Errorf("watched by %q", a.Node)
		}
	})
}

// A guest is not moved by evidence that several nodes can have, or by evidence that a connection is
// gone.
func TestEvidenceThatDoesNotMoveAGuest(t *testing.T) {
	inNodes(t, func(n *nodesRig) {
		n.a.join(guestCalled(ada, "shop"))
		n.a.pass(time.Second)
		for _, e := range []status.Evidence{
			{Source: contracts.FromTranscript, Claim: status.TurnStarted}, {Source: contracts.FromGateway, Claim: status.ToolStarted},
			{Source: contracts.FromStream, Claim: status.Gone}, {Source: contracts.FromProcess, Claim: status.Alive},
		} {
			n.b.AddEvidence(context.Background(), ada, e)
			n.a.pass(time.Second)
			if a := n.a.expect(ada, contracts.ActivityIdle); a.Node != "a" {
				t.Fatalf("%s from %s moved the guest", e.Claim, e.Source)
			}
		}
	})
}

// The guests of a node that is cut off go offline after a while. When the node is back, they are
// shown with the status that the node has for them, without a new report.
func TestNodeThatWasCutOffShowsItsGuestsAgain(t *testing.T) {
	for name, gone := range map[string]time.Duration{"offline": contracts.NodeGrace + time.Second, "removed": contracts.NodeGrace + contracts.OfflineGuestStay + time.Second} {
		t.Run(name, func(t *testing.T) {
			inNodes(t, func(n *nodesRig) {
				n.b.join(guestCalled(ada, "shop"))
				n.b.WatchProcess(ada, 7, 0) // alive, so the guest stays idle
				n.b.pass(time.Second)
				n.cut()
				n.b.pass(gone)
				if a := n.a.guest(ada); a != nil && a.Why != "Offline: node b is gone (office)" {
					t.Errorf("%s: %s", a.Activity, a.Why)
				}
				if got := n.a.recorded(ada, contracts.ActivityOffline); got != 1 {
					t.Errorf("recorded as offline %d times", got)
				}
				n.up()
				n.b.pass(time.Minute)
				if a := n.a.expect(ada, contracts.ActivityIdle); a.Node != "b" {
					t.Errorf("watched by %q", a.Node)
				}
				if got := n.a.recorded(ada, contracts.ActivityOffline); got != 1 {
					t.Errorf("recorded as offline %d times", got)
				}
			})
		})
	}
}

// A guest whose node is gone comes back when another node reads new work in the guest's transcript.
func TestGuestOfAGoneNodeIsBackOnAnother(t *testing.T) {
	inNodes(t, func(n *nodesRig) {
		n.b.join(guestCalled(ada, "shop"))
		n.b.pass(time.Second)
		n.cut()
		n.b.pass(contracts.NodeGrace + time.Second)
		n.a.expect(ada, contracts.ActivityOffline)
		n.a.AddEvidence(context.Background(), ada, status.Evidence{Source: contracts.FromTranscript, Claim: status.TurnStarted})
		n.a.pass(time.Second)
		if a := n.a.expect(ada, contracts.ActivityWorking); a.Node != "a" {
			t.Errorf("watched by %q", a.Node)
		}
	})
}

// found makes a node admit a guest that it found in a file that other nodes may read too.
func (r *rosterRig) found(p contracts.AgentProfile) {
	r.t.Helper()
	if err := r.Join(context.Background(), p, intake.Proof{Shared: true}); err != nil {
		r.t.Fatal(err)
	}
}

// A node that finds another node's guest in a file leaves the guest with that node. A report moves
// the guest, with the profile from the file.
func TestFoundGuestStaysWithItsNode(t *testing.T) {
	inNodes(t, func(n *nodesRig) {
		n.a.join(guestCalled(ada, "shop"))
		n.a.pass(time.Second)
		found := guestCalled(ada, "shop")
		found.Model = "opus"
		n.b.found(found)
		n.b.pass(time.Minute)
		if a := n.a.expect(ada, contracts.ActivityIdle); a.Node != "a" || a.Model != "" {
			t.Errorf("watched by %q, model %q", a.Node, a.Model)
		}
		n.b.see(ada, status.TurnStarted, "", "")
		n.b.pass(time.Second)
		if a := n.a.expect(ada, contracts.ActivityWorking); a.Node != "b" || a.Model != "opus" {
			t.Errorf("watched by %q, model %q", a.Node, a.Model)
		}
	})
}

// A guest that has left the office returns when a node that found it earlier sees new work.
func TestFoundGuestIsBackAfterItLeft(t *testing.T) {
	inNodes(t, func(n *nodesRig) {
		n.a.join(guestCalled(ada, "shop"))
		n.a.pass(time.Second)
		n.b.found(guestCalled(ada, "shop"))
		n.a.Leave(context.Background(), ada, "It left.")
		n.a.pass(time.Minute)
		if n.a.guest(ada) != nil {
			t.Fatal("the guest has not left")
		}
		n.b.AddEvidence(context.Background(), ada, status.Evidence{Source: contracts.FromTranscript, Claim: status.TurnStarted})
		n.b.pass(time.Second)
		if a := n.a.expect(ada, contracts.ActivityWorking); a.Node != "b" {
			t.Errorf("watched by %q", a.Node)
		}
	})
}

// A node whose clock is ahead does not keep a guest that reports elsewhere.
func TestWrongClockDoesNotKeepAGuest(t *testing.T) {
	inNodes(t, func(n *nodesRig) {
		n.a.set(func() { n.a.skew = time.Hour })
		n.a.join(guestCalled(ada, "shop"))
		n.a.see(ada, status.TurnStarted, "", "")
		n.a.pass(time.Second)
		n.b.see(ada, status.ToolStarted, "c1", "make")
		n.a.pass(time.Minute)
		if a := n.a.expect(ada, contracts.ActivityWorking); a.Node != "b" {
			t.Errorf("watched by %q", a.Node)
		}
		if _, ok := n.a.Explain(ada); ok {
			t.Error("the guest is still on the roster of the earlier node")
		}
	})
}

// When a node that was gone restarts, its guests are shown again, except guests whose process was
// gone.
func TestRestartedNodeShowsItsGuestsAgain(t *testing.T) {
	inNodes(t, func(n *nodesRig) {
		n.b.join(guestCalled(ada, "shop"))
		n.b.join(guestCalled(bob, "lab"))
		n.b.WatchProcess(bob, 7, 0)
		n.b.pass(time.Second)
		n.b.set(func() { n.b.dead[7] = true })
		n.b.pass(3 * contracts.ProcessCheck)
		n.cut()
		n.b.pass(contracts.NodeGrace + time.Second)
		n.a.expect(ada, contracts.ActivityOffline)
		n.b = n.start("b")
		n.up()
		n.b.pass(time.Second)
		n.a.expect(ada, contracts.ActivityIdle)
		n.a.expect(bob, contracts.ActivityOffline)
	})
}
