package scene

// step is a move to a neighbouring cell with its cost, in thousandths of a cell. Costs are integers,
// so that sums are the same on every machine.
type step struct {
	di, dj, cost int
}

const (
	costStraight  = 1000
	costDiagonal  = 1414
	straightSteps = 4
)

var steps = [8]step{
	{1, 0, costStraight}, {-1, 0, costStraight}, {0, 1, costStraight}, {0, -1, costStraight},
	{1, 1, costDiagonal}, {-1, 1, costDiagonal}, {1, -1, costDiagonal}, {-1, -1, costDiagonal},
}

// searchNode is a cell waiting to be visited.
type searchNode struct {
	cell, cost, guess int // guess is the cost plus the minimum cost from the cell to the goal
}

// before reports whether a is visited before b. If the guesses are equal, the cell closer to the
// goal comes first, then the lower cell number, so that the search is deterministic.
func (a searchNode) before(b searchNode) bool {
	if a.guess != b.guess {
		return a.guess < b.guess
	}
	if a.cost != b.cost {
		return a.cost > b.cost
	}
	return a.cell < b.cell
}

// search is A* over the eight neighbours without cutting corners. It returns the cells from start
// to goal, both included, or nil if there is no path.
func (g *grid) search(start, goal int) []int {
	costs := make([]int, len(g.cells)) // cost + 1; 0 means not seen
	came := make([]int, len(g.cells))
	gi, gj := goal%g.w, goal/g.w
	queue := searchQueue{{cell: start, guess: octile(start%g.w-gi, start/g.w-gj)}}
	costs[start], came[start] = 1, start
	for len(queue) > 0 {
		at := queue.pop()
		if at.cell == goal {
			return trail(came, start, goal)
		}
		if at.cost+1 > costs[at.cell] {
			continue // a shorter path to this cell was found
		}
		i, j := at.cell%g.w, at.cell/g.w
		for _, s := range steps {
			if !g.open(i+s.di, j+s.dj) || s.cost == costDiagonal && !(g.open(i+s.di, j) && g.open(i, j+s.dj)) {
				continue
			}
			n, cost := at.cell+s.di+s.dj*g.w, at.cost+s.cost
			if costs[n] != 0 && costs[n] <= cost+1 {
				continue
			}
			costs[n], came[n] = cost+1, at.cell
			queue.push(searchNode{cell: n, cost: cost, guess: cost + octile(i+s.di-gi, j+s.dj-gj)})
		}
	}
	return nil
}

// octile returns the cost of an unobstructed walk over di columns and dj rows.
func octile(di, dj int) int {
	di, dj = max(di, -di), max(dj, -dj)
	return costStraight*max(di, dj) + (costDiagonal-costStraight)*min(di, dj)
}

func trail(came []int, start, goal int) []int {
	n := 1
	for at := goal; at != start; at = came[at] {
		n++
	}
	cells := make([]int, n)
	for at := goal; n > 0; at = came[at] {
		n--
		cells[n] = at
	}
	return cells
}

// searchQueue is a binary heap.
type searchQueue []searchNode

func (q *searchQueue) push(n searchNode) {
	*q = append(*q, n)
	h := *q
	for i := len(h) - 1; i > 0; {
		parent := (i - 1) / 2
		if !h[i].before(h[parent]) {
			return
		}
		h[i], h[parent] = h[parent], h[i]
		i = parent
	}
}

func (q *searchQueue) pop() searchNode {
	h := *q
	top := h[0]
	last := len(h) - 1
	h[0] = h[last]
	h = h[:last]
	*q = h
	for i := 0; ; {
		least := i
		for _, child := range [2]int{2*i + 1, 2*i + 2} {
			if child < len(h) && h[child].before(h[least]) {
				least = child
			}
		}
		if least == i {
			return top
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}
