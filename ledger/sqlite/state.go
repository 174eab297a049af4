package sqlite

import (
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// state describes the durable part of the ledger for readers. A state never changes; each commit
// replaces it with a new one.
type state struct {
	head, floor uint64
	link        ledger.Link // link of the record at the head

	// tail holds the newest records, without a gap up to head, so that followers that are up to
	// date need not read from disk. Successive states share memory: each reads only up to its own
	// length.
	tail      []contracts.Record
	tailBytes int

	changed chan struct{} // closed when a newer state replaces this one
}

// publish makes a commit visible. The caller holds l.writing.
func (l *Ledger) publish(recs []contracts.Record, link ledger.Link, floor uint64, redacted []contracts.Record) {
	if len(recs) == 0 && floor == 0 {
		return
	}
	old := l.state.Load()
	next := &state{
		head:      old.head + uint64(len(recs)),
		link:      link,
		floor:     max(old.floor, floor),
		tail:      extend(old.tail, recs),
		tailBytes: old.tailBytes,
		changed:   make(chan struct{}),
	}
	next.replaceRedacted(redacted)
	for i := range recs {
		next.tailBytes += len(recs[i].Body)
	}
	next.trim()
	l.updateWitness(next)
	l.state.Store(next)
	close(old.changed)
}

// extend appends records to the tail. The tail constantly drops records at its start, so each
// allocation doubles the space, and allocations are rare.
func extend(tail, recs []contracts.Record) []contracts.Record {
	if len(tail)+len(recs) > cap(tail) {
		tail = append(make([]contracts.Record, 0, 2*(len(tail)+len(recs))), tail...)
	}
	return append(tail, recs...)
}

// replaceRedacted replaces the records in the tail whose text was erased. Earlier states keep the
// old records until no reader uses them.
func (s *state) replaceRedacted(redacted []contracts.Record) {
	if len(redacted) == 0 || len(s.tail) == 0 {
		return
	}
	s.tail = slices.Clone(s.tail)
	for _, r := range redacted {
		if first := s.tail[0].Seq; r.Seq >= first {
			old := &s.tail[r.Seq-first]
			s.tailBytes += len(r.Body) - len(old.Body)
			*old = r
		}
	}
}

// trim drops records beyond the limits and records that retention may have removed.
func (s *state) trim() {
	drop := 0
	for drop < len(s.tail) {
		within := len(s.tail)-drop <= contracts.LimitTailRecords && s.tailBytes <= contracts.LimitTailBytes
		if within && s.tail[drop].Seq > s.floor {
			break
		}
		s.tailBytes -= len(s.tail[drop].Body)
		drop++
	}
	s.tail = s.tail[drop:]
}

// since returns the records after a seq; ok is false if the tail does not reach back that far.
func (s *state) since(after uint64) (recs []contracts.Record, ok bool) {
	if len(s.tail) == 0 || after+1 < s.tail[0].Seq {
		return nil, after >= s.head
	}
	if after >= s.head {
		return nil, true
	}
	return s.tail[after+1-s.tail[0].Seq:], true
}
