package sim

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// places lists where guests work; a guest without a place works in the house.
var places = []string{"", "~/src/shop", "~/src/docs", "~/src/web"}

// visit simulates guests that join, work, ask questions and leave. A lost report is not repeated,
// because the next report describes the current state.
func (h *history) visit(name string) {
	r := source(h.plan.seed, name)
	for h.plan.guests > 0 && h.active() {
		time.Sleep(between(r, 10*time.Millisecond, 2*time.Second))
		var facts []contracts.Fact
		for range 1 + r.IntN(h.plan.guests) {
			facts = append(facts, h.guestFacts(r)...)
		}
		ctx, cancel := answerContext(r)
		h.await().office.Tell(ctx, facts...)
		cancel()
	}
}

// guestFacts returns facts about a guest: its presence and its activity. Every third guest is a
// sub-agent of another guest, which may be absent.
func (h *history) guestFacts(r *rand.Rand) []contracts.Fact {
	n := r.IntN(h.plan.guests)
	p := contracts.AgentProfile{AgentID: guestID(n), Name: guestID(n), Source: runner, Place: places[n%len(places)]}
	if n%3 == 2 {
		p.ParentID = guestID(r.IntN(h.plan.guests))
	}
	facts := []contracts.Fact{contracts.AgentSeen{Profile: p}}
	switch r.IntN(12) {
	case 0:
		return append(facts, contracts.AgentGone{AgentID: p.AgentID, Reason: "left"})
	case 1:
		return append(facts, contracts.AskSeen{AgentID: p.AgentID, Kind: contracts.DecisionPermission, Prompt: "May I?", Options: []string{"Yes", "No"},
			ExpiresAt: time.Now().Add(between(r, time.Second, time.Minute)).UnixMilli(), Permission: &contracts.Permission{Tool: "exec"}})
	}
	activities := []contracts.Activity{contracts.ActivityWorking, contracts.ActivityWorking, contracts.ActivityIdle, contracts.ActivityWaiting, contracts.ActivityOffline}
	return append(facts, contracts.StatusSeen{Status: contracts.AgentStatus{AgentID: p.AgentID, Activity: activities[r.IntN(len(activities))], Why: "Seen.", Authority: contracts.FromHook}})
}

func guestID(n int) string { return fmt.Sprint("agent_guest_", n) }
