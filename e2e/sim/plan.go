package sim

import (
	"hash/fnv"
	"math/rand/v2"
	"time"
)

// fault is what happens to one append.
type fault int

const (
	faultNone        fault = iota
	faultSlow              // the append takes seconds
	faultFailed            // nothing is appended, and an error is returned
	faultLost              // the records are appended, but the answer never arrives
	faultHung              // nothing is appended, and no answer arrives
	faultLate              // no answer arrives; the records reach the ledger later, unless other records were appended first
	faultCrashBefore       // the process is killed before the append
	faultCrashAfter        // the process is killed after the append, before the answer
	faults
)

var faultNames = [faults]string{"none", "slow", "failed", "lost", "hung", "late", "crash before", "crash after"}

func (f fault) String() string { return faultNames[f] }

// plan is everything that a seed determines.
type plan struct {
	seed    uint64
	active  time.Duration   // how long people act and faults occur
	people  int             // number of people who send commands
	callers int             // number of callers who prompt agents
	reports int             // number of facts that a script reports
	guests  int             // number of guests that come and go
	studios bool            // guests have rooms
	viewers []viewerPlan    // how the viewers behave
	restart []time.Duration // when the office is restarted gracefully
	faulty  float64         // share of appends that suffer a fault
	blobs   float64         // share of content that cannot be stored
	lookups float64         // share of lookups that fail
	lag     time.Duration   // maximum delay before records reach the view
	allowed []fault         // faults that may occur in this history
}

// viewerPlan describes how a viewer behaves.
type viewerPlan struct {
	pause time.Duration // pause between messages
	drops float64       // probability of disconnecting after a message
}

// source returns a random number generator that depends only on the seed and a name.
func source(seed uint64, name string) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// newPlan returns the plan for a seed. Each history has only some kinds of faults, because the
// common kinds would otherwise drown out the rare ones.
func newPlan(seed uint64) plan {
	r := source(seed, "plan")
	p := plan{
		seed: seed, active: time.Duration(20+r.IntN(60)) * time.Second,
		people: 1 + r.IntN(3), callers: r.IntN(3), reports: r.IntN(12),
		faulty: r.Float64() * 0.25, blobs: r.Float64() * 0.3,
	}
	if r.IntN(3) == 0 {
		p.lookups = r.Float64() * 0.1
	}
	if r.IntN(3) == 0 {
		p.lag = between(r, 0, 2*time.Second)
	}
	for f := faultSlow; f < faults; f++ {
		if r.IntN(2) == 0 {
			p.allowed = append(p.allowed, f)
		}
	}
	for range r.IntN(3) {
		p.restart = append(p.restart, between(r, 0, p.active))
	}
	for range 1 + r.IntN(3) {
		v := viewerPlan{drops: r.Float64() * 0.05}
		if r.IntN(3) == 0 {
			v.pause = between(r, 0, 3*time.Second)
		}
		p.viewers = append(p.viewers, v)
	}
	if r.IntN(2) == 0 {
		p.guests, p.studios = 1+r.IntN(16), r.IntN(4) > 0
	}
	return p
}

// fault picks a random fault for an append.
func (p *plan) fault(r *rand.Rand) fault {
	if len(p.allowed) == 0 || r.Float64() >= p.faulty {
		return faultNone
	}
	return p.allowed[r.IntN(len(p.allowed))]
}

// between returns a random duration. It is not rounded, because goroutines that wake at the same
// instant run in an order that does not depend on the seed.
func between(r *rand.Rand, least, most time.Duration) time.Duration {
	return least + time.Duration(r.Int64N(int64(most-least)+1))
}
