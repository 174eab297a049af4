package ledger

import (
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
)

// Tail holds the newest records of a ledger, up to the head and without gaps, so that up-to-date
// followers need not read from the store. A Tail never changes: its methods return a new Tail,
// which may share memory with the old one.
type Tail struct {
	recs  []contracts.Record
	bytes int
}

// Extend returns the tail with the next records added.
func (t Tail) Extend(recs []contracts.Record) Tail {
	if len(t.recs)+len(recs) > cap(t.recs) { // double the space, so that allocations are rare
		t.recs = append(make([]contracts.Record, 0, 2*(len(t.recs)+len(recs))), t.recs...)
	}
	t.recs = append(t.recs, recs...)
	for i := range recs {
		t.bytes += len(recs[i].Body)
	}
	return t
}

// Replace returns the tail with tombstones in place of the records that they replace. Earlier tails
// keep the erased text until no reader uses them.
func (t Tail) Replace(tombstones []contracts.Record) Tail {
	if len(tombstones) == 0 || len(t.recs) == 0 {
		return t
	}
	t.recs = slices.Clone(t.recs)
	first := t.recs[0].Seq
	for _, r := range tombstones {
		if r.Seq >= first && r.Seq-first < uint64(len(t.recs)) {
			old := &t.recs[r.Seq-first]
			t.bytes += len(r.Body) - len(old.Body)
			*old = r
		}
	}
	return t
}

// Trim returns the tail without the records up to the floor, which retention may have removed, and
// without the oldest records beyond contracts.LimitTailRecords or contracts.LimitTailBytes.
func (t Tail) Trim(floor uint64) Tail {
	drop := 0
	for drop < len(t.recs) {
		within := len(t.recs)-drop <= contracts.LimitTailRecords && t.bytes <= contracts.LimitTailBytes
		if within && t.recs[drop].Seq > floor {
			break
		}
		t.bytes -= len(t.recs[drop].Body)
		drop++
	}
	t.recs = t.recs[drop:]
	return t
}

// Since returns the records whose seq is greater than after. head is the newest seq. ok is false if
// the tail does not reach back that far.
func (t Tail) Since(after, head uint64) (recs []contracts.Record, ok bool) {
	switch {
	case after >= head:
		return nil, true
	case len(t.recs) == 0 || after+1 < t.recs[0].Seq:
		return nil, false
	}
	return t.recs[after+1-t.recs[0].Seq:], true
}
