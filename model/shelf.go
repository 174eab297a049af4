package model

import "slices"

// line is something that has a place in the ledger.
type line interface {
	key() string
	place() uint64
}

// shelf keeps lines in ledger order, the newest last, each once; beyond the limit
// the oldest go.
type shelf[T line] struct {
	limit int
	lines []T
	ids   map[string]bool
}

func newShelf[T line](limit int) shelf[T] { return shelf[T]{limit: limit, ids: map[string]bool{}} }

func (s *shelf[T]) add(row T) {
	if s.ids[row.key()] {
		return
	}
	at := len(s.lines)
	for at > 0 && s.lines[at-1].place() > row.place() {
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

func (s *shelf[T]) clear() {
	s.lines = nil
	clear(s.ids)
}
