package hub

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/bullpen-office/bullpen/world"
)

// Who was told that something is written finds it; a hub that has ended shows what
// it has, at once.
func TestLookHoldsWhateverIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := memoryLedger(t)
		defer l.Close()
		r := newRig(t, onLedger(l)) // it begins with an empty world
		shown := func() (seq uint64) {
			r.hub.Look(func(w *world.World) { seq = w.Seq() })
			return seq
		}
		last := r.append(note("x"))
		if seq := shown(); seq != last {
			t.Errorf("record %d is written, and the world is as of %d", last, seq)
		}
		r.stop()
		start := time.Now()
		r.append(note("y"))
		if seq := shown(); seq != last || time.Since(start) != 0 {
			t.Errorf("after the end the world is as of %d, after %v", seq, time.Since(start))
		}
	})
}
