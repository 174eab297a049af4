package sqlite

import (
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// state describes the durable part of the ledger for readers. A state never changes; each commit
// replaces it with a new one.
type state struct {
	head, floor uint64
	link        ledger.Link // link of the record at the head
	tail        ledger.Tail
	changed     chan struct{} // closed when a newer state replaces this one
}

// publish makes a commit visible. The caller holds l.writing.
func (l *Ledger) publish(recs []contracts.Record, link ledger.Link, floor uint64, redacted []contracts.Record) {
	if len(recs) == 0 && floor == 0 {
		return
	}
	old := l.state.Load()
	next := &state{head: old.head + uint64(len(recs)), link: link, floor: max(old.floor, floor), changed: make(chan struct{})}
	next.tail = old.tail.Extend(recs).Replace(redacted).Trim(next.floor)
	l.updateWitness(next)
	l.state.Store(next)
	close(old.changed)
}

// since returns the records after a seq; ok is false if the tail does not reach back that far.
func (s *state) since(after uint64) (recs []contracts.Record, ok bool) {
	return s.tail.Since(after, s.head)
}
