package tui

import (
	"math/rand/v2"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/bullpen-office/bullpen/contracts"
)

// TestFloorLinesHaveOneWidth checks that every line is as wide as the floor, wherever people
// stand and whatever their names.
func TestFloorLinesHaveOneWidth(t *testing.T) {
	names := []string{"Ada", "世界の窓", "a世b界", "e\u0301e\u0301", "👩‍👩‍👧", "\u200b\u200d", "שלום", "", "Maximilian the Third"}
	l := newLook(true, false)
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		f := newFloor(&contracts.SceneManifest{Room: contracts.SceneRoom{W: 10, D: 4}}, &l, 24, 6)
		for range 8 {
			pos := contracts.Vec3{r.Float64()*12 - 6, 0, r.Float64()*5 - 2.5}
			f.person(pos, "●", names[r.IntN(len(names))], &l.work)
		}
		f.note(contracts.Vec3{}, "Lounge")
		for _, line := range f.lines(nil) {
			if w := lipgloss.Width(line); w != 24 {
				t.Fatalf("seed %d: %d wide: %q", seed, w, line)
			}
		}
	}
}

// TestFullShelvesAreNamed checks that a short wall names the shelf with something on it, not
// the empty one.
func TestFullShelvesAreNamed(t *testing.T) {
	l := newLook(true, false)
	f := newFloor(&contracts.SceneManifest{Room: contracts.SceneRoom{W: 10, D: 4}}, &l, 24, 6)
	wall := ansi.Strip(f.backWall([]sign{{2, " Board ", 0}, {8, " Trophies  ", 0}, {16, " Deliveries ■■ ", 2}}))
	if !strings.Contains(wall, " Deliveries ■■ ") || lipgloss.Width(wall) != 22 {
		t.Errorf("the wall says %q", wall)
	}
}
