package scene

import (
	"fmt"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// cellMarks holds the character that Plan uses for each kind of cell.
var cellMarks = [...]byte{
	cellOpen:   '.',
	cellPocket: '~',
	cellSeat:   ',',
	cellMargin: '-',
	cellSolid:  '#',
	cellClosed: '=',
}

const planLegend = `. walkable   - margin   # furniture   , front of a seat   ~ cut off   = closed by hand
o seat   x standing place   a approach   P player spawn   A agent spawn
`

// Plan returns a drawing of the room from above, as text with the back wall first, for people to
// review.
func (s *Scene) Plan() string {
	g := &s.grid
	marks := make([]byte, len(g.cells))
	for i, c := range g.cells {
		marks[i] = cellMarks[c]
	}
	put := func(p contracts.Vec3, mark byte) {
		if i, ok := g.index(p); ok {
			marks[i] = mark
		}
	}
	for _, p := range s.manifest.Spawns.Agents {
		put(p, 'A')
	}
	put(s.manifest.Spawns.Player, 'P')
	for _, a := range s.seats {
		put(*a.Approach, 'a')
	}
	for i := range s.manifest.POIs {
		for _, a := range s.manifest.POIs[i].NavAnchors {
			if a.Seated {
				put(a.Pos, 'o')
			} else {
				put(a.Pos, 'x')
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %d × %d cells of %g m, agent radius %g m\n%s\n",
		s.ID(), g.w, g.h, g.size, s.manifest.Grid.AgentRadius, planLegend)
	for j := range g.h {
		fmt.Fprintf(&b, "%6.1f %s\n", g.z+(float64(j)+0.5)*g.size, marks[j*g.w:(j+1)*g.w])
	}
	return b.String()
}
