// Package suggest finds known names that are similar to a misspelled word.
package suggest

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	limitWord    = 64 // longer words get no suggestions
	limitNearest = 3  // maximum number of suggestions
	minPrefix    = 3  // shortest word that may match as a prefix
	lettersEdit  = 3  // letters for each allowed edit
)

// Nearest returns the known names that are close to word, closest first; at most three. A name is
// close if it starts with word, or if the two differ by at most one edit for every three letters of
// the shorter one. Case does not matter.
func Nearest(word string, known []string) []string {
	type candidate struct {
		name  string
		edits int
	}
	var close []candidate
	lower := strings.ToLower(word)
	for _, name := range known {
		other := strings.ToLower(name)
		most := min(utf8.RuneCountInString(lower), utf8.RuneCountInString(other)) / lettersEdit
		edits := distance(lower, other)
		switch {
		case len(lower) >= minPrefix && strings.HasPrefix(other, lower):
			close = append(close, candidate{name, 0})
		case edits <= most:
			close = append(close, candidate{name, edits})
		}
	}
	slices.SortFunc(close, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.edits, b.edits), cmp.Compare(a.name, b.name))
	})
	var names []string
	for _, c := range close {
		if !slices.Contains(names, c.name) && len(names) < limitNearest {
			names = append(names, c.name)
		}
	}
	return names
}

// distance returns the edit distance: the number of insertions, deletions, replacements and
// swaps of adjacent letters that turn a into b.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	if len(s) > limitWord || len(t) > limitWord {
		return limitWord
	}
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := range s {
		row[0] = i + 1
		for j := range t {
			replace := last[j]
			if s[i] != t[j] {
				replace++
			}
			row[j+1] = min(row[j]+1, last[j+1]+1, replace)
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}
