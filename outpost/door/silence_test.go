package door_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// A node declares an outpost gone only while it is the office's writer. Silence before the node
// became the writer, or before its process was paused, does not count: the outpost may have
// reported to other nodes.
func TestOnlyTheWriterDeclaresOutpostsGone(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, r *rig) {
		r.reads.Store(true)
		life := r.start("m1")
		r.post(contracts.FactsRequest{Machine: "m1", Life: life, Key: "k", Facts: encode(t, arrival()...)})
		is := func(when string, want contracts.Activity) {
			t.Helper()
			synctest.Wait()
			if a := r.agent(ada); a == nil || a.Activity != want {
				t.Fatalf("%s: %+v, want %s", when, a, want)
			}
		}
		time.Sleep(time.Hour)
		is("while another node is the writer", contracts.ActivityWorking)
		r.reads.Store(false)
		time.Sleep(contracts.OutpostOfflineAfter - contracts.OutpostHeartbeat)
		is("soon after this node became the writer", contracts.ActivityWorking)
		r.skipped.Add(int64(time.Hour))
		time.Sleep(contracts.OutpostOfflineAfter - contracts.OutpostHeartbeat)
		is("soon after a pause", contracts.ActivityWorking)
		time.Sleep(3 * contracts.OutpostHeartbeat)
		is("after a silence that this node observed", contracts.ActivityOffline)
	})
}

// An outpost that reported to another node and then falls silent is also declared gone by the
// writer, whether or not the writer has seen that outpost before.
func TestOutpostsOfOtherNodesGoOffline(t *testing.T) {
	inVirtualTime(t, func(t *testing.T, r *rig) {
		for _, when := range []string{"never seen", "seen before"} {
			up := r.tell(t.Context(), contracts.Teller{}, contracts.NodeUp{Node: contracts.OutpostNode("laptop")})[0]
			r.tell(t.Context(), contracts.Teller{Node: contracts.OutpostNode("laptop"), Life: contracts.LifeID(up.Seq)}, arrival()...)
			synctest.Wait()
			if a := r.agent(ada); a == nil || a.Activity != contracts.ActivityWorking {
				t.Fatalf("%s: %+v", when, a)
			}
			time.Sleep(contracts.OutpostOfflineAfter + contracts.OutpostSilence)
			synctest.Wait()
			if a := r.agent(ada); a == nil || a.Activity != contracts.ActivityOffline {
				t.Fatalf("%s: %+v", when, a)
			}
		}
	})
}
