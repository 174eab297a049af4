package tui

import (
	"cmp"
	"slices"
	"strconv"

	"charm.land/lipgloss/v2"
)

// People within crowdWidth×crowdHeight characters of each other are drawn as one mark with a count
// if not all of their names fit, or if there are more than crowdMost of them. In a full room, with
// fewer than crowdRoom characters per person, crowdFew replaces crowdMost.
const (
	crowdWidth  = 14
	crowdHeight = 3
	crowdMost   = 6
	crowdFew    = 2
	crowdRoom   = 60
	crowdSearch = 8 // how far a mark may move to a free cell

	perchedWidth = 4 // maximum width of the sub-agent count at a seat
)

// figure is an agent on the floor.
type figure struct {
	id, name string
	x, y     int
	sign     string
	style    lipgloss.Style
	perched  []figure // sub-agents at its seat, which are only counted
	alone    bool     // kept out of crowds while there is space, because the agent needs you or is selected
}

// floorMark is the label of a person or a crowd on the floor.
type floorMark struct {
	x, y    int
	text    []string // one string per cell
	style   lipgloss.Style
	members []figure
	crowd   bool // the label shows how many members there are; otherwise it names the first
}

// marks draws and returns one mark per person where there is space. The remaining people are drawn
// as crowds: one mark per crowd, with the crowd's size and place. No mark covers another, and every
// person belongs to exactly one mark.
func (f *floor) marks(people []figure, place func(x, y int) string) []floorMark {
	var out []floorMark
	var rest []figure
	for _, p := range people {
		if !p.alone {
			rest = append(rest, p)
			continue
		}
		if m, ok := f.single(p, people); ok {
			out = append(out, m)
		} else {
			rest = append(rest, p) // the floor is full
		}
	}
	most := crowdMost
	if len(rest)*crowdRoom > f.w*f.h {
		most = crowdFew
	}
	var crowds [][]figure
	at := map[string]int{}
	for _, group := range gather(rest) {
		if list, left := f.apart(group, most); len(left) < 2 {
			for _, m := range list {
				out = append(out, f.put(m))
			}
			if group = left; len(left) == 0 {
				continue
			}
			if m, ok := f.single(left[0], nil); ok {
				out = append(out, m)
				continue
			}
		}
		name := place(middle(group))
		if i, known := at[name]; known && name != "" { // one crowd per place
			crowds[i] = append(crowds[i], group...)
			continue
		}
		at[name] = len(crowds)
		crowds = append(crowds, group)
	}
	for _, group := range crowds {
		if m, ok := f.crowd(group, place); ok {
			out = append(out, m)
		} else {
			out = f.joined(out, group, place)
		}
	}
	return out
}

// middle returns the centre of a group.
func middle(group []figure) (x, y int) {
	for _, p := range group {
		x, y = x+p.x, y+p.y
	}
	return x / len(group), y / len(group)
}

// gather divides people into groups; each person stands close to the first one in the group.
func gather(people []figure) (groups [][]figure) {
	people = slices.Clone(people)
	slices.SortStableFunc(people, func(a, b figure) int { return cmp.Or(a.y-b.y, a.x-b.x) })
next:
	for _, p := range people {
		for i, g := range groups {
			if abs(p.x-g[0].x) <= crowdWidth/2 && abs(p.y-g[0].y) < crowdHeight {
				groups[i] = append(g, p)
				continue next
			}
		}
		groups = append(groups, []figure{p})
	}
	return groups
}

func abs(n int) int { return max(n, -n) }

// box returns the first cell and the text of a figure's label, with the name to the right of the
// sign or, if it does not fit there, to the left. free reports whether n cells from x are free; ok
// is false if neither side has space.
func (f *floor) box(p figure, free func(x, n int) bool) (x int, text []string, ok bool) {
	name := letters(p.name, nameOnFloor)
	if len(p.perched) > 0 && len(name) > 0 {
		name = append(name, letters("+"+itoa(len(p.perched)), perchedWidth)...)
	}
	n := len(name)
	switch {
	case free(p.x, n+1):
		return p.x, append([]string{p.sign}, name...), true
	case free(p.x-n, n+1):
		return p.x - n, append(slices.Clone(name), p.sign), true
	}
	return 0, nil, false
}

// single draws a figure at its position if there is space, otherwise nearby or without its name. It
// returns false if there is no space at all. Other figures' signs are covered only if there is no
// other place for the name.
func (f *floor) single(p figure, others []figure) (floorMark, bool) {
	for _, try := range []struct {
		name   string
		others []figure
	}{{p.name, others}, {p.name, nil}, {"", nil}} {
		for d := range crowdSearch {
			for y := max(0, p.y-d); y <= min(f.h-1, p.y+d); y++ {
				for _, x := range []int{p.x, p.x - d, p.x + d} {
					q := figure{id: p.id, name: try.name, x: x, y: y, sign: p.sign, perched: p.perched}
					if x, text, ok := f.box(q, func(x, n int) bool { return f.clear(x, y, n) && !coversSign(try.others, q, x, n) }); ok {
						return f.put(floorMark{x: x, y: y, text: text, style: p.style, members: []figure{p}}), true
					}
				}
			}
		}
	}
	return floorMark{}, false
}

// clear reports whether the n cells that start at x are free, with a free cell on either side. A
// single cell needs no free neighbours.
func (f *floor) clear(x, y, n int) bool {
	from, to := max(0, x-1), min(f.w, x+n+1)
	return x >= 0 && x+n <= f.w && (n == 1 && f.free(x, y, 1) || f.free(from, y, to-from))
}

// coversSign reports whether the n cells that start at x in p's row contain another figure's sign.
func coversSign(others []figure, p figure, x, n int) bool {
	return slices.ContainsFunc(others, func(q figure) bool { return q.id != p.id && q.y == p.y && q.x >= x && q.x < x+n })
}

// apart returns a mark for each person whose name fits, and the people in the group who are left
// over. If the group is too large, everyone is left over.
func (f *floor) apart(group []figure, most int) (list []floorMark, left []figure) {
	if len(group) > most {
		return nil, group
	}
	for i, p := range group {
		x, text, ok := f.box(p, func(x, n int) bool {
			return f.clear(x, p.y, n) && !coversSign(group[i+1:], p, x, n) && !slices.ContainsFunc(list, func(m floorMark) bool { return m.y == p.y && x <= m.x+len(m.text) && m.x <= x+n })
		})
		if !ok {
			left = append(left, p)
			continue
		}
		list = append(list, floorMark{x: x, y: p.y, text: text, style: p.style, members: []figure{p}})
	}
	return list, left
}

// crowd draws a group as one mark, near its centre if possible. It returns false if there is no
// space at all.
func (f *floor) crowd(group []figure, place func(x, y int) string) (floorMark, bool) {
	x, y := middle(group)
	of := usual(group)
	named, bare := f.crowdText(group, place(x, y)), f.crowdText(group, "")
	for _, text := range [][]string{named, bare} {
		for d := range crowdSearch {
			for _, dy := range []int{0, -1, 1, -2, 2} {
				for _, dx := range []int{-d, d} {
					m := floorMark{x: max(0, min(x+dx-len(text)/2, f.w-len(text))), y: y + dy, text: text, style: of.style, members: group, crowd: true}
					if m.y >= 0 && m.y < f.h && f.clear(m.x, m.y, len(text)) {
						return f.put(m), true
					}
				}
			}
		}
	}
	for i := range f.cells { // any place is better than none
		if m := (floorMark{x: i % f.w, y: i / f.w, text: bare, style: of.style, members: group, crowd: true}); f.free(m.x, m.y, len(bare)) {
			return f.put(m), true
		}
	}
	return floorMark{}, false
}

// crowdText returns the label of a crowd: the sign of its most common activity, its size and its
// place.
func (f *floor) crowdText(group []figure, place string) []string {
	text := []string{usual(group).sign}
	for _, r := range strconv.Itoa(len(withPerched(group))) {
		text = append(text, string(r))
	}
	if place != "" {
		for _, r := range " " + place {
			text = append(text, string(r))
		}
	}
	return text
}

// usual returns a member with the group's most common activity.
func usual(group []figure) figure {
	count := map[string]int{}
	best := group[0]
	for _, p := range group {
		if count[p.sign]++; count[p.sign] > count[best.sign] {
			best = p
		}
	}
	return best
}

// joined adds a group that does not fit on the floor to the nearest mark, and returns the marks. It
// skips figures that must stand alone.
func (f *floor) joined(marks []floorMark, group []figure, place func(x, y int) string) []floorMark {
	best, near := -1, 0
	for i, m := range marks {
		if !m.crowd && m.members[0].alone {
			continue
		}
		if d := abs(m.x-group[0].x) + 4*abs(m.y-group[0].y); best < 0 || d < near {
			best, near = i, d
		}
	}
	if best < 0 {
		return marks
	}
	m := marks[best]
	for i := range m.text {
		f.cells[m.y*f.w+m.x+i] = cell{sign: " "}
	}
	members := append(slices.Clone(m.members), group...)
	text := f.crowdText(members, place(m.x, m.y))
	if !f.free(m.x, m.y, len(text)) {
		text = f.crowdText(members, "")
	}
	m.x = max(0, min(m.x, f.w-len(text)))
	m.text, m.members, m.crowd = text, members, true
	marks[best] = f.put(m)
	return marks
}

// withPerched returns the people in a group and the sub-agents at their seats.
func withPerched(group []figure) (all []figure) {
	for _, p := range group {
		perched := p.perched
		p.perched = nil
		all = append(append(all, p), perched...)
	}
	return all
}

// put draws a mark and returns it, with the sub-agents at its members' seats added to the members.
func (f *floor) put(m floorMark) floorMark {
	m.members = withPerched(m.members)
	style := m.style
	for i, one := range m.text {
		f.set(m.x+i, m.y, one, &style)
	}
	return m
}
