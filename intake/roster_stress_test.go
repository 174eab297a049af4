package intake_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/bullpen-office/bullpen/intake"
)

// With 200 agents that send random evidence, on a real ledger and in real time, reporting never waits
// for the ledger, and few records are written.
func TestCrowdMakesFewRecords(t *testing.T) {
	r := openRig(t, filepath.Join(t.TempDir(), "ledger.db"))
	defer func() { r.stop() }()
	const rounds = 100
	claims := []status.Claim{status.ToolStarted, status.ToolEnded, status.Sign, status.Sign, status.Present, status.Alive, status.TurnStarted}
	ids := make([]string, contracts.LimitGuests)
	for i := range ids {
		ids[i] = fmt.Sprintf("agent_ui_%d", i)
		r.join(guestCalled(ids[i], "worker"))
	}
	began := time.Now()
	var producers sync.WaitGroup
	for i, id := range ids {
		producers.Go(func() {
			luck := rand.New(rand.NewPCG(1, uint64(i)))
			r.see(id, status.TurnStarted, "", "begins")
			for n := range rounds {
				r.see(id, claims[luck.IntN(len(claims))], fmt.Sprint(luck.IntN(9)), fmt.Sprintf("line %d", n))
				if n%10 == 0 {
					_, _ = r.Explain(id)
					_ = r.Join(context.Background(), guestCalled(id, "worker"), intake.Proof{})
					r.WatchProcess(id, 1+i, 0)
				}
			}
			r.see(id, status.TurnEnded, "", "")
		})
	}
	producers.Wait()
	took := time.Since(began)
	for end := time.Now().Add(3 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		idle := 0
		for _, a := range r.state().Agents {
			if a.Activity == contracts.ActivityIdle {
				idle++
			}
		}
		if idle == len(ids) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("only %d of %d are recorded as idle in the end", idle, len(ids))
		}
	}
	recorded, seen := len(r.events(contracts.EventAgentStatus)), len(ids)*(rounds+2)
	t.Logf("%d pieces of evidence in %v, %d records of status", seen, took.Round(time.Millisecond), recorded)
	// Idle, working and idle again, plus one line per interval.
	if most := len(ids) * (4 + int(2*time.Since(began)/contracts.StatusInterval)); recorded > most {
		t.Errorf("%d records for %d agents, want at most %d", recorded, len(ids), most)
	}
}
