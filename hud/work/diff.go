package work

import (
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// Op marks a line as unchanged, added or removed.
type Op byte

// The values of Op. Each one is also the character that is drawn before the line.
const (
	Same    Op = ' '
	Added   Op = '+'
	Removed Op = '-'
)

// Line is one line of a diff. Old and New are its line numbers, from 1; 0 means that the line is
// not on that side.
type Line struct {
	Op       Op
	Old, New int
	Text     string
	Marks    []Mark  // the words that changed; nil if the line has no counterpart
	Code     []Piece // the coloured pieces, if Highlight was called
}

// Mark is a part of a line, as byte offsets.
type Mark struct{ From, To int }

// Hunk is a range of lines around changes, as indexes into the diff's lines.
type Hunk struct{ From, To int }

// Lines compares two texts line by line. first is the number of their first line; values below 1
// mean 1. If more than LimitDiffEdits lines differ, everything from the first difference to the
// last is shown as replaced.
func Lines(before, after string, first int) []Line {
	return compare(splitLines(before), splitLines(after), first)
}

func compare(x, y []string, first int) []Line {
	head := 0
	for head < len(x) && head < len(y) && x[head] == y[head] {
		head++
	}
	tail := 0
	for tail < len(x)-head && tail < len(y)-head && x[len(x)-1-tail] == y[len(y)-1-tail] {
		tail++
	}
	d := differ{old: max(first, 1), new: max(first, 1)}
	d.same(x[:head])
	d.middle(x[head:len(x)-tail], y[head:len(y)-tail])
	d.same(x[len(x)-tail:])
	markWords(d.lines)
	return d.lines
}

// splitLines returns the lines of text. A newline at the end does not add an empty line, and empty
// text has no lines.
func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// Hunks groups a diff's changes; around is the number of unchanged lines to include before and
// after each change. A hunk also includes a single line that would be left between two hunks, or
// before the first hunk or after the last.
func Hunks(lines []Line, around int) (list []Hunk) {
	for i := range lines {
		if lines[i].Op == Same {
			continue
		}
		from, to := max(0, i-around), min(len(lines), i+1+around)
		if n := len(list); n > 0 && from <= list[n-1].To+1 {
			list[n-1].To = to
			continue
		}
		if from == 1 {
			from = 0
		}
		list = append(list, Hunk{from, to})
	}
	if n := len(list); n > 0 && list[n-1].To == len(lines)-1 {
		list[n-1].To = len(lines)
	}
	return list
}

// Count returns the numbers of added and removed lines.
func Count(lines []Line) (added, removed int) {
	for i := range lines {
		switch lines[i].Op {
		case Added:
			added++
		case Removed:
			removed++
		}
	}
	return added, removed
}

// differ collects lines with their numbers.
type differ struct {
	lines    []Line
	old, new int
}

func (d *differ) put(op Op, text string) {
	line := Line{Op: op, Text: text}
	if op != Added {
		line.Old = d.old
		d.old++
	}
	if op != Removed {
		line.New = d.new
		d.new++
	}
	d.lines = append(d.lines, line)
}

func (d *differ) same(list []string) {
	for _, text := range list {
		d.put(Same, text)
	}
}

// middle adds the lines from the first difference to the last. Within a change, removed lines
// precede added lines.
func (d *differ) middle(x, y []string) {
	var gone, come []string
	flush := func() {
		for _, text := range gone {
			d.put(Removed, text)
		}
		for _, text := range come {
			d.put(Added, text)
		}
		gone, come = nil, nil
	}
	i, j := 0, 0
	for _, p := range common(x, y, contracts.LimitDiffEdits) {
		gone, come = append(gone, x[i:p.x]...), append(come, y[j:p.y]...)
		flush()
		d.put(Same, x[p.x])
		i, j = p.x+1, p.y+1
	}
	gone, come = append(gone, x[i:]...), append(come, y[j:]...)
	flush()
}

// pair is a pair of indexes, one into each of two lists.
type pair struct{ x, y int }

// common returns the longest common subsequence of two lists (Myers, O(ND)), or nil if there is
// none, or if the number of edits between the lists exceeds most.
func common(x, y []string, most int) []pair {
	n, m := len(x), len(y)
	if n == 0 || m == 0 {
		return nil
	}
	most = min(most, n+m)
	at := make([]int32, 2*most+3) // the furthest x on each diagonal
	mid := most + 1
	var trace [][]int32
	for d := 0; d <= most; d++ {
		trace = append(trace, append([]int32(nil), at[mid-d:mid+d+1]...))
		for k := -d; k <= d; k += 2 {
			var i int
			if k == -d || k != d && at[mid+k-1] < at[mid+k+1] {
				i = int(at[mid+k+1])
			} else {
				i = int(at[mid+k-1]) + 1
			}
			j := i - k
			for i < n && j >= 0 && j < m && x[i] == y[j] {
				i, j = i+1, j+1
			}
			at[mid+k] = int32(i)
			if i >= n && j >= m {
				return walk(trace, n, m)
			}
		}
	}
	return nil
}

// walk follows the trace backwards and returns the positions of equal elements.
func walk(trace [][]int32, n, m int) []pair {
	var back []pair
	i, j := n, m
	for d := len(trace) - 1; d > 0; d-- {
		at := func(k int) int { // before step d; -1 if k is out of reach
			if k < -d || k > d {
				return -1
			}
			return int(trace[d][k+d])
		}
		k := i - j
		from := k - 1
		if k == -d || k != d && at(k-1) < at(k+1) {
			from = k + 1
		}
		px := at(from)
		for i > px && j > px-from {
			i, j = i-1, j-1
			back = append(back, pair{i, j})
		}
		i, j = px, px-from
	}
	for i > 0 && j > 0 {
		i, j = i-1, j-1
		back = append(back, pair{i, j})
	}
	slices.Reverse(back)
	return back
}
