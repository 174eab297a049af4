package scene_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world/scene"
)

func TestAlong(t *testing.T) {
	corner := []vec{{0, 0, 0}, {3, 0, 0}, {3, 0, 0}, {3, 0, 4}}
	tests := []struct {
		name         string
		path         []vec
		dist         float64
		pos, heading vec
		arrived      bool
	}{
		{"nowhere", nil, 1, vec{}, vec{}, true},
		{"a point", []vec{{1, 0, 2}}, 1, vec{1, 0, 2}, vec{}, true},
		{"start", corner, 0, vec{}, vec{1, 0, 0}, false},
		{"before the start", corner, -5, vec{}, vec{1, 0, 0}, false},
		{"first leg", corner, 1.5, vec{1.5, 0, 0}, vec{1, 0, 0}, false},
		{"corner", corner, 3, vec{3, 0, 0}, vec{0, 0, 1}, false},
		{"second leg", corner, 5, vec{3, 0, 2}, vec{0, 0, 1}, false},
		{"end", corner, 7, vec{3, 0, 4}, vec{0, 0, 1}, true},
		{"beyond", corner, 70, vec{3, 0, 4}, vec{0, 0, 1}, true},
		{"not a number", corner, math.NaN(), vec{}, vec{1, 0, 0}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pos, heading, arrived := scene.Along(tt.path, tt.dist)
			if pos != tt.pos || heading != tt.heading || arrived != tt.arrived {
				t.Errorf("Along = %v, %v, %v; want %v, %v, %v", pos, heading, arrived, tt.pos, tt.heading, tt.arrived)
			}
		})
	}
	if got := scene.Length(corner); got != 7 {
		t.Errorf("Length = %g, want 7", got)
	}
}

// W17: a position depends only on the goal and the time, is exact at both ends of the path, and
// never jumps. Together, the steps are not longer than the path.
func TestPositionFollowsThePath(t *testing.T) {
	s := scene.Default()
	all := anchorsOf(s)
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.SampledFrom(all).Draw(t, "from"), rapid.SampledFrom(all).Draw(t, "to")
		speed := rapid.Float64Range(0.2, 20).Draw(t, "speed")
		const start = 1_700_000_000_000
		path, _ := s.PathToAnchor(a.Pos, b)
		total := scene.Length(path)
		due := start + int64(math.Ceil(total/speed*1000)) + 1
		if pos, _, _ := scene.Position(path, speed, start, start); pos != path[0] {
			t.Fatalf("at the start the position is %v, want %v", pos, path[0])
		}
		if pos, _, arrived := scene.Position(path, speed, start, due); pos != b.Pos || !arrived {
			t.Fatalf("at the arrival time the position is %v, arrived %v", pos, arrived)
		}
		walked, last, done := 0.0, path[0], false
		for now := int64(start); now <= due; now += 100 {
			pos, _, arrived := scene.Position(path, speed, start, now)
			if done && !arrived {
				t.Fatalf("at %d the walker is no longer reported as arrived", now)
			}
			hop := math.Hypot(pos[0]-last[0], pos[2]-last[2])
			if hop > speed*0.1+1e-6 {
				t.Fatalf("the walker jumped %.3f m in 100 ms at %.2f m/s", hop, speed)
			}
			walked, last, done = walked+hop, pos, arrived
		}
		if walked > total+1e-6 {
			t.Fatalf("the walker covered %.3f m on a path of %.3f m", walked, total)
		}
	})
}

func TestStandNearReturnsFreeSpots(t *testing.T) {
	s := scene.Default()
	for _, p := range []vec{s.Manifest().Spawns.Player, {0.6, 0, 1.2}, {-5.2, 0, 0.5}, {6.3, 0, 4.9}, {-5.8, 0, 0.575}} {
		var crowd []vec
		taken := func(q vec) bool {
			for _, other := range crowd {
				if math.Hypot(q[0]-other[0], q[2]-other[2]) < contracts.SceneAnchorGap {
					return true
				}
			}
			return false
		}
		for range 20 {
			pos, facing, ok := s.StandNear(p, taken)
			if !ok {
				break
			}
			d := math.Hypot(p[0]-pos[0], p[2]-pos[2])
			if d < contracts.SceneStandMin || d > contracts.SceneStandMax || !s.Walkable(pos) || taken(pos) {
				t.Errorf("StandNear(%v) = %v, %.2f m away, walkable %v, taken %v", p, pos, d, s.Walkable(pos), taken(pos))
			}
			if end := (vec{pos[0] + d*facing[0], 0, pos[2] + d*facing[2]}); math.Hypot(end[0]-p[0], end[2]-p[2]) > 1e-9 {
				t.Errorf("from %v, the facing %v does not point at %v", pos, facing, p)
			}
			if _, ok := s.Path(s.Manifest().Spawns.Player, pos); !ok {
				t.Errorf("there is no path to %v", pos)
			}
			crowd = append(crowd, pos)
		}
		if len(crowd) < 2 {
			t.Errorf("only %d people can stand around %v", len(crowd), p)
		}
	}
}

func TestStandNearRefuses(t *testing.T) {
	s := scene.Default()
	for name, p := range map[string]vec{"off the floor": {9, 0, 0}, "not a number": {math.NaN(), 0, 0}} {
		if pos, _, ok := s.StandNear(p, nil); ok {
			t.Errorf("%s: StandNear = %v", name, pos)
		}
	}
	if pos, _, ok := s.StandNear(vec{0.6, 0, 1.2}, func(vec) bool { return true }); ok {
		t.Errorf("every spot is taken, but StandNear = %v", pos)
	}
}

func TestNearest(t *testing.T) {
	s := scene.Default()
	for _, p := range []vec{{-6, 0, 0.1}, {3.16, 0, -0.85}, {0.6, 0, 1.2}} {
		got, ok := s.Nearest(p)
		if d := math.Hypot(p[0]-got[0], p[2]-got[2]); !ok || !s.Walkable(got) || d > contracts.LimitSceneNearest {
			t.Errorf("Nearest(%v) = %v, %v, %.2f m away", p, got, ok, d)
		}
	}
	if got, ok := s.Nearest(vec{20, 0, 0}); ok {
		t.Errorf("Nearest far outside = %v", got)
	}
}
