package scene_test

import (
	"math"
	"slices"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world/scene"
)

// empty returns a bare floor of 4 × 4 m with the given furniture and closed cells.
func empty(t *testing.T, objects []contracts.SceneObject, closed ...[2]int) *scene.Scene {
	t.Helper()
	return broken(t, func(m *contracts.SceneManifest) {
		m.Room.W, m.Room.D = 4, 4
		m.Grid = contracts.SceneGrid{Origin: [2]float64{-2, -2}, CellSize: 0.2, Width: 20, Height: 20, AgentRadius: 0.2}
		m.Objects, m.POIs, m.Spawns.Player = objects, nil, vec{1, 0, 1}
		rows := bitmap(m, ' ')
		for _, c := range closed {
			row := []byte(rows[c[1]])
			row[c[0]] = '#'
			rows[c[1]] = string(row)
		}
		m.Grid.Walkable = rows
	})
}

func centre(i, j int) vec {
	mm := func(n int) float64 { return math.Round((-2+(float64(n)+0.5)*0.2)*1000) / 1000 }
	return vec{mm(i), 0, mm(j)}
}

func TestPathCutsNoCorners(t *testing.T) {
	s := empty(t, nil, [2]int{5, 5})
	path, ok := s.Path(centre(4, 5), centre(5, 4))
	if want := []vec{centre(4, 5), centre(4, 4), centre(5, 4)}; !ok || !slices.Equal(path, want) {
		t.Errorf("around the corner: %v, %v; want %v", path, ok, want)
	}
	path, ok = s.Path(centre(4, 4), centre(6, 6))
	if !ok || len(path) < 3 {
		t.Errorf("around the closed cell: %v, %v; want a path along two of its sides", path, ok)
	}
}

func TestCellsThatTouchAtACornerDoNotConnect(t *testing.T) {
	s := empty(t, nil, [2]int{1, 3}, [2]int{2, 3}, [2]int{3, 3}, [2]int{4, 2}, [2]int{4, 1})
	if s.Walkable(centre(2, 2)) {
		t.Error("a pocket that is open only at a corner counts as reachable")
	}
	if !s.Walkable(centre(4, 3)) {
		t.Error("the cell outside the pocket is closed")
	}
}

// A footprint is shifted in the object's own frame, then turned, and enlarged by the agent radius.
func TestFootprintsTurn(t *testing.T) {
	turned := contracts.SceneObject{ObjectID: "obj_bench", Kind: "bench", Pos: vec{0, 0, 0}, RotationY: math.Pi / 2,
		Footprint: contracts.Footprint{Shape: contracts.FootprintRect, W: 0.8, D: 0.2, Offset: [2]float64{1, 0}}}
	s := empty(t, []contracts.SceneObject{turned})
	for p, want := range map[vec]bool{
		{0.05, 0, -1.05}:  false, // the object's own x axis points to -z
		{0.05, 0, -1.45}:  false, // within the agent radius of the object's end
		{0.05, 0, 1.05}:   true,
		{1.05, 0, 0.05}:   true,
		{0.45, 0, -1.05}:  true, // next to the object
		{-0.45, 0, -1.05}: true,
	} {
		if got := s.Walkable(p); got != want {
			t.Errorf("Walkable(%v) = %v, want %v", p, got, want)
		}
	}
}

func TestPassableFootprintsAreWalkedOver(t *testing.T) {
	chair := contracts.SceneObject{ObjectID: "obj_chair", Kind: "office_chair",
		Footprint: contracts.Footprint{Shape: contracts.FootprintEllipse, W: 1, D: 1, Passable: true}}
	if s := empty(t, []contracts.SceneObject{chair}); !s.Walkable(vec{}) {
		t.Error("a passable footprint blocks the path")
	}
}

// W17: paths do not cross seats.
func TestWalksGoAroundSeats(t *testing.T) {
	s := scene.Default()
	for _, a := range anchorsOf(s) {
		if a.Approach != nil && s.Walkable(a.Pos) {
			t.Errorf("a path can cross %s", a.ID)
		}
	}
}
