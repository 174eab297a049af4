package scene_test

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world/scene"
)

type vec = contracts.Vec3

// within returns the id of the collider whose footprint contains the point. It uses only the
// manifest, not the grid.
func within(m *contracts.SceneManifest, p vec) (string, bool) {
	for i := range m.Objects {
		o := &m.Objects[i]
		f := o.Footprint
		if f.Passable || f.Shape == contracts.FootprintNone {
			continue
		}
		x, z := p[0]-o.Pos[0], p[2]-o.Pos[2]
		sin, cos := math.Sincos(-o.RotationY)
		x, z = x*cos+z*sin-f.Offset[0], -x*sin+z*cos-f.Offset[1]
		x, z = 2*x/f.W, 2*z/f.D
		if f.Shape == contracts.FootprintRect && math.Max(math.Abs(x), math.Abs(z)) < 1 ||
			f.Shape == contracts.FootprintEllipse && math.Hypot(x, z) < 1 {
			return o.ObjectID, true
		}
	}
	return "", false
}

// checkWalk checks every 5 cm that a walk stays out of all footprints.
func checkWalk(t failer, m *contracts.SceneManifest, walk []vec) {
	t.Helper()
	for d := 0.0; ; d += 0.05 {
		p, _, arrived := scene.Along(walk, d)
		if id, in := within(m, p); in {
			t.Fatalf("walk %v passes through %s at %v", walk, id, p)
		}
		if arrived {
			return
		}
	}
}

type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

func checkPath(t failer, s *scene.Scene, from, to vec, path []vec) {
	t.Helper()
	from[1], to[1] = 0, 0
	if len(path) < 2 && from != to || path[0] != from || path[len(path)-1] != to {
		t.Fatalf("path %v does not lead from %v to %v", path, from, to)
	}
	for i, p := range path {
		if math.Abs(p[0]) > s.Manifest().Room.W/2 || math.Abs(p[2]) > s.Manifest().Room.D/2 || p[1] != 0 {
			t.Fatalf("point %d of path %v is off the floor", i, path)
		}
		if inner := i > 0 && i < len(path)-1; inner && (p[0] != math.Round(p[0]*1000)/1000 || p[2] != math.Round(p[2]*1000)/1000) {
			t.Fatalf("point %d of path %v is not rounded to millimetres", i, path)
		}
	}
	walk := path
	if !s.Walkable(walk[0]) && len(walk) > 1 {
		walk = walk[1:]
	}
	if !s.Walkable(walk[len(walk)-1]) {
		walk = walk[:len(walk)-1]
	}
	if len(walk) > 0 {
		checkWalk(t, s.Manifest(), walk)
	}
}

func anchorsOf(s *scene.Scene) []contracts.NavAnchor {
	var all []contracts.NavAnchor
	for _, p := range s.Manifest().POIs {
		all = append(all, p.NavAnchors...)
	}
	return all
}

// W17: there is a path around the furniture from every seat to every other seat.
func TestEveryAnchorToEveryOther(t *testing.T) {
	s := scene.Default()
	all := anchorsOf(s)
	for _, a := range all {
		start := a.Pos
		if a.Approach != nil {
			start = *a.Approach
		}
		shortest := distances(s, start)
		for _, b := range all {
			path, ok := s.PathToAnchor(a.Pos, b)
			if !ok {
				t.Fatalf("no path from %s to %s", a.ID, b.ID)
			}
			checkPath(t, s, a.Pos, b.Pos, path)
			if a.ID == b.ID {
				continue
			}
			goal, walk := b.Pos, path
			if a.Approach != nil {
				if path[1] != *a.Approach {
					t.Errorf("the path leaves %s through %v, not through its approach %v", a.ID, path[1], *a.Approach)
				}
				walk = walk[1:]
			}
			if b.Approach != nil {
				goal, walk = *b.Approach, walk[:len(walk)-1]
				if walk[len(walk)-1] != goal {
					t.Errorf("the path reaches %s from %v, not from its approach %v", b.ID, walk[len(walk)-1], goal)
				}
			}
			// Both ends may lie up to half a diagonal from their cell's centre.
			if got, most := scene.Length(walk), shortest(goal)+0.3; got > most {
				t.Errorf("the path from %s to %s is %.2f m long, but %.2f m is enough", a.ID, b.ID, got, most)
			}
		}
	}
}

// distances returns a function that gives the shortest walking distance between from and a point.
// It uses plain relaxation, as a reference for A*.
func distances(s *scene.Scene, from vec) func(vec) float64 {
	g := s.Manifest().Grid
	index := func(p vec) (int, int) {
		return int((p[0] - g.Origin[0]) / g.CellSize), int((p[2] - g.Origin[1]) / g.CellSize)
	}
	open := func(i, j int) bool {
		return s.Walkable(vec{g.Origin[0] + (float64(i)+0.5)*g.CellSize, 0, g.Origin[1] + (float64(j)+0.5)*g.CellSize})
	}
	far := map[[2]int]float64{}
	i, j := index(from)
	far[[2]int{i, j}] = 0
	for queue := [][2]int{{i, j}}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		for n := range 9 {
			di, dj := n%3-1, n/3-1
			next := [2]int{at[0] + di, at[1] + dj}
			if !open(next[0], next[1]) || !open(at[0]+di, at[1]) || !open(at[0], at[1]+dj) {
				continue
			}
			d := far[at] + g.CellSize*math.Hypot(float64(di), float64(dj))
			if old, seen := far[next]; !seen || d < old-1e-9 {
				far[next] = d
				queue = append(queue, next)
			}
		}
	}
	return func(p vec) float64 {
		i, j := index(p)
		if d, ok := far[[2]int{i, j}]; ok {
			return d
		}
		return math.Inf(-1)
	}
}

func TestPathCases(t *testing.T) {
	s := scene.Default()
	free := vec{0.6, 0, 1.2}
	tests := []struct {
		name     string
		from, to vec
		ok       bool
	}{
		{"in plain sight", free, vec{2.3, 0, 1.6}, true},
		{"to where one stands", free, free, true},
		{"lifted off the floor", vec{0.6, 0.4, 1.2}, vec{2.3, 2, 1.6}, true},
		{"out of the sofa's middle", vec{-6, 0, 0.1}, free, true},
		{"onto the meeting table", free, vec{-2.35, 0, 3}, true},
		{"off the floor", free, vec{7, 0, 0}, false},
		{"from outside", vec{0, 0, -9}, free, false},
		{"not a number", free, vec{math.NaN(), 0, 0}, false},
		{"infinite", vec{math.Inf(1), 0, 0}, free, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path, ok := s.Path(tt.from, tt.to)
			if ok != tt.ok {
				t.Fatalf("Path = %v, %v; want %v", path, ok, tt.ok)
			}
			if ok {
				checkPath(t, s, tt.from, tt.to, path)
			}
		})
	}
}

func TestPathIsBoundedInsideFurniture(t *testing.T) {
	s := broken(t, func(m *contracts.SceneManifest) {
		m.Objects = append(m.Objects, contracts.SceneObject{ObjectID: "obj_block", Kind: "block", Pos: vec{-2, 0, 0},
			Footprint: contracts.Footprint{Shape: contracts.FootprintRect, W: 5, D: 5}})
	})
	if path, ok := s.Path(s.Manifest().Spawns.Player, vec{-2, 0, 0}); ok {
		t.Errorf("a point %g m inside a block was reached by %v", 2.5, path)
	}
}

// No one gets stuck: every point on the floor, including its edges, is close enough to a walkable
// cell.
func TestEveryPointHasAPath(t *testing.T) {
	s := scene.Default()
	room, steps := s.Manifest().Room, 60
	at := func(i int, size float64) float64 { return size * (float64(i)/float64(steps) - 0.5) }
	for i := range steps + 1 {
		for j := range steps + 1 {
			to := vec{at(i, room.W), 0, at(j, room.D)}
			if _, ok := s.Path(vec{1, 0, 1}, to); !ok {
				t.Errorf("there is no path to %v", to)
			}
		}
	}
}

func TestPathProperties(t *testing.T) {
	s := scene.Default()
	point := rapid.Custom(func(t *rapid.T) vec {
		return vec{rapid.Float64Range(-6.7, 6.7).Draw(t, "x"), 0, rapid.Float64Range(-5.2, 5.2).Draw(t, "z")}
	})
	rapid.Check(t, func(t *rapid.T) {
		from, to := point.Draw(t, "from"), point.Draw(t, "to")
		path, ok := s.Path(from, to)
		if !ok {
			t.Fatalf("no path from %v to %v on a floor without deep corners", from, to)
		}
		checkPath(t, s, from, to, path)
		again, _ := s.Path(from, to)
		if !slices.Equal(path, again) {
			t.Fatalf("the same query gave two results (-first +second):\n%s", cmp.Diff(path, again))
		}
	})
}

func FuzzPath(f *testing.F) {
	f.Add(0.6, 1.2, 2.3, 1.6)
	f.Add(-6.0, 0.1, 3.9, 3.2)
	f.Add(-6.7, -5.2, 6.7, 5.2)
	f.Add(math.NaN(), math.Inf(1), math.Inf(-1), 0.0)
	f.Add(1e300, -1e300, math.MaxFloat64, math.SmallestNonzeroFloat64)
	s := scene.Default()
	f.Fuzz(func(t *testing.T, fx, fz, tx, tz float64) {
		from, to := vec{fx, 0, fz}, vec{tx, 0, tz}
		if path, ok := s.Path(from, to); ok {
			checkPath(t, s, from, to, path)
		}
		if p, ok := s.Nearest(from); ok && !s.Walkable(p) {
			t.Fatalf("Nearest(%v) = %v, which is not walkable", from, p)
		}
		s.StandNear(from, nil)
	})
}

func BenchmarkPath(b *testing.B) {
	s := scene.Default()
	from, to := vec{-5.9, 0, 4}, vec{6.2, 0, -3}
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := s.Path(from, to); !ok {
			b.Fatal("no path")
		}
	}
}

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		if _, err := scene.Parse(contracts.DefaultSceneManifest); err != nil {
			b.Fatal(err)
		}
	}
}
