package model

import "slices"

// line is a row with a unique key and a position in the ledger.
type line interface {
	key() string
	ledgerSeq() uint64
}

// orderedLog is a bounded list of unique lines in ledger order, newest last. Beyond the limit, the
// oldest lines are dropped.
type orderedLog[T line] struct {
	limit int
	lines []T
	ids   map[string]bool
}

func newOrderedLog[T line](limit int) orderedLog[T] {
	return orderedLog[T]{limit: limit, ids: map[string]bool{}}
}

func (s *orderedLog[T]) add(row T) {
	if s.ids[row.key()] {
		return
	}
	at := len(s.lines)
	for at > 0 && s.lines[at-1].ledgerSeq() > row.ledgerSeq() {
		at--
	}
	if at == 0 && len(s.lines) >= s.limit {
		return
	}
	s.lines = slices.Insert(s.lines, at, row)
	s.ids[row.key()] = true
	if len(s.lines) > s.limit {
		delete(s.ids, s.lines[0].key())
		s.lines = slices.Delete(s.lines, 0, 1)
	}
}

func (s *orderedLog[T]) clear() {
	s.lines = nil
	clear(s.ids)
}
