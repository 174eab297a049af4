package intake

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/bullpen-office/bullpen/contracts"
)

// heldOffice accepts everything once it is released.
type heldOffice struct {
	free     chan struct{}
	mu       sync.Mutex
	recorded [][]contracts.Fact
}

func (o *heldOffice) Tell(_ context.Context, facts ...contracts.Fact) []contracts.Reply {
	<-o.free
	o.mu.Lock()
	defer o.mu.Unlock()
	o.recorded = append(o.recorded, facts)
	return make([]contracts.Reply, len(facts))
}

// Waiting joins of an agent that answers many callers are recorded together, in order, and
// no field of a profile is lost.
func TestWaitingJoinsAreRecordedTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &heldOffice{free: make(chan struct{})}
		r := NewRoster(RosterConfig{Office: o})
		profile := func(id string, session int) contracts.AgentProfile {
			return contracts.AgentProfile{AgentID: "agent_" + id, Name: id, Source: contracts.SourceBridge, Session: fmt.Sprint("s", session)}
		}
		var running sync.WaitGroup
		join := func(p contracts.AgentProfile) {
			running.Go(func() {
				if err := r.Join(t.Context(), p, Proof{Seen: true}); err != nil {
					t.Error(err)
				}
			})
			synctest.Wait()
		}
		join(profile("a", 0)) // this call is held up in Tell
		first := profile("b", 0)
		first.Model = "m1"
		join(first) // this guest is not inside yet
		for i := range 20 {
			join(profile("a", i+1))
		}
		gone, cancel := context.WithCancel(t.Context())
		running.Go(func() {
			if r.Join(gone, profile("a", 99), Proof{Seen: true}) == nil {
				t.Error("joined although its caller was gone")
			}
		})
		synctest.Wait()
		cancel()
		synctest.Wait()
		close(o.free)
		running.Wait()
		join(profile("b", 1))
		running.Wait()
		if len(o.recorded) != 4 { // a, b, all updates of a, b
			t.Fatalf("%d calls of Tell: %v", len(o.recorded), o.recorded)
		}
		last := o.recorded[2][len(o.recorded[2])-1].(contracts.AgentSeen).Profile
		if len(o.recorded[2]) != 20 || last.Session != "s20" {
			t.Errorf("%d profiles, the last is %+v", len(o.recorded[2]), last)
		}
		if p := o.recorded[3][0].(contracts.AgentSeen).Profile; p.Model != "m1" || p.Session != "s1" {
			t.Errorf("%+v", p)
		}
	})
}
