package scene_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world/scene"
)

// studioOn returns a room on a plot.
func studioOn(number int, plot contracts.Plot) contracts.Room {
	key := fmt.Sprintf("/src/repo-%d", number)
	return contracts.Room{RoomID: contracts.RoomID(number), Key: key, Label: contracts.RoomLabel(key, 1, 1), Module: contracts.ModuleStudio,
		Plot: plot, Accent: contracts.AccentFor(key, nil), Desks: contracts.StudioDesks}
}

// studios returns n rooms on the first n plots.
func studios(n int) []contracts.Room {
	var rooms []contracts.Room
	for i, p := range scene.Plots(n) {
		rooms = append(rooms, studioOn(i+1, p))
	}
	return rooms
}

func compose(t failer, house *scene.Scene, rooms []contracts.Room) *scene.Scene {
	t.Helper()
	s, err := scene.NewCampus(house).Compose(rooms)
	if err != nil {
		t.Fatalf("compose %d rooms: %v", len(rooms), err)
	}
	return s
}

// randomRooms opens and closes rooms in a random order and returns those that stay open.
func randomRooms(t *rapid.T) []contracts.Room {
	free := scene.Plots(contracts.LimitRooms)
	var open []contracts.Room
	steps := rapid.IntRange(1, contracts.LimitRooms).Draw(t, "steps")
	for n := 1; n <= steps; n++ {
		if len(open) > 1 && rapid.IntRange(0, 3).Draw(t, "close") == 0 {
			i := rapid.IntRange(0, len(open)-1).Draw(t, "which")
			free = append(free, open[i].Plot)
			open = slices.Delete(open, i, i+1)
			continue
		}
		i := rapid.IntRange(0, len(free)-1).Draw(t, "plot")
		open = append(open, studioOn(n, free[i]))
		free = slices.Delete(free, i, i+1)
	}
	return open
}

// TestCampusProperties checks campuses whose rooms opened and closed in a random order. The
// preflight passes: every seat and place can be reached, anchors keep their distance, and ids are
// unique. A path leads from a spawn or door to an anchor, and opening more rooms moves nothing.
func TestCampusProperties(t *testing.T) {
	site := scene.SiteOf(scene.Default().Manifest())
	door := scene.Module(contracts.StudioScene).Spawns.Player
	rapid.Check(t, func(t *rapid.T) {
		rooms := randomRooms(t)
		s := compose(t, scene.Default(), rooms)
		for _, p := range s.Preflight() {
			t.Error(p)
		}
		from := append([]vec{s.Manifest().Spawns.Player}, s.Manifest().Spawns.Agents...)
		for _, r := range rooms {
			x, z := site.Centre(r.Plot)
			from = append(from, vec{x + door[0], 0, z + door[2]})
		}
		checkWayTo(t, s, rapid.SampledFrom(from).Draw(t, "from"), rapid.SampledFrom(anchorsOf(s)).Draw(t, "to"))
		checkNothingMoved(t, compose(t, scene.Default(), rooms[:(len(rooms)+1)/2]), s)
	})
}

// checkWayTo checks that a path leads from a point to an anchor, and checks every 20 cm that the
// path stays out of all footprints.
func checkWayTo(t failer, s *scene.Scene, from vec, a contracts.NavAnchor) {
	t.Helper()
	if !s.Walkable(from) {
		t.Fatalf("%v is not walkable", from)
	}
	path, ok := s.PathToAnchor(from, a)
	if !ok || path[0] != from || path[len(path)-1] != (vec{a.Pos[0], 0, a.Pos[2]}) {
		t.Fatalf("path from %v to %s: %v, %v", from, a.ID, path, ok)
	}
	if a.Approach != nil {
		path = path[:len(path)-1]
	}
	for d := 0.0; d < scene.Length(path); d += 0.2 {
		p, _, _ := scene.Along(path, d)
		if id, in := within(s.Manifest(), p); in {
			t.Fatalf("the path from %v to %s passes through %s at %v", from, a.ID, id, p)
		}
	}
}

// checkNothingMoved checks that every object and anchor of a campus is at the same position in a
// later campus.
func checkNothingMoved(t failer, before, after *scene.Scene) {
	t.Helper()
	at := map[string]vec{}
	for _, o := range after.Manifest().Objects {
		at[o.ObjectID] = o.Pos
	}
	for _, o := range before.Manifest().Objects {
		if now, ok := at[o.ObjectID]; !ok || now != o.Pos {
			t.Fatalf("%s moved from %v to %v", o.ObjectID, o.Pos, now)
		}
	}
	for _, a := range anchorsOf(before) {
		now, _, ok := after.Anchor(a.ID)
		if !ok {
			t.Fatalf("%s is gone", a.ID)
		}
		if diff := cmp.Diff(a, *now); diff != "" {
			t.Fatalf("%s moved (-was +is):\n%s", a.ID, diff)
		}
	}
}

func TestFullCampus(t *testing.T) {
	s := compose(t, scene.Default(), studios(contracts.LimitRooms))
	for _, p := range s.Preflight() {
		t.Error(p)
	}
	if got := len(s.POIsIn(contracts.RoomID(24), contracts.POIDevDesk)); got != contracts.StudioDesks*contracts.DeskSeats {
		t.Errorf("room_24 has %d desks", got)
	}
	if got := len(s.POIsIn(contracts.GardenScene, contracts.POIGarden)); got == 0 {
		t.Error("the garden has no places")
	}
	if diff := cmp.Diff(scene.Default().POIsOfType(contracts.POIDevDesk), s.POIsOfType(contracts.POIDevDesk)); diff != "" {
		t.Errorf("the house's desks changed (-want +got):\n%s", diff)
	}
	if got := s.POIsIn("room_25", contracts.POIDevDesk); got != nil {
		t.Errorf("a room that is not open has places: %v", got)
	}
	if again := compose(t, scene.Default(), studios(contracts.LimitRooms)); again.Plan() != s.Plan() {
		t.Error("two plans of the same rooms differ")
	}
}

// A campus around a house of any size has valid paths, even if the house has smaller cells or its
// own bitmap.
func TestCampusAroundOtherHouses(t *testing.T) {
	edit := func(pairs ...string) []byte {
		text := string(contracts.DefaultSceneManifest)
		for i := 0; i < len(pairs); i += 2 {
			if !strings.Contains(text, pairs[i]) {
				t.Fatalf("the manifest has no %s", pairs[i])
			}
			text = strings.Replace(text, pairs[i], pairs[i+1], 1)
		}
		return []byte(text)
	}
	bitmap := strings.Repeat(`"`+strings.Repeat(" ", 67)+`",`, 51) + `"` + strings.Repeat(" ", 67) + `"`
	const grid = `"origin": [-6.7, -5.2], "cell_size": 0.2, "width": 67, "height": 52, "agent_radius": 0.2`
	for name, manifest := range map[string][]byte{
		"wider":     edit(`"w": 13.4`, `"w": 21.3`, grid, `"origin": [-10.65, -5.2], "cell_size": 0.2, "width": 107, "height": 52, "agent_radius": 0.2`),
		"fine":      edit(grid, `"origin": [-6.7, -5.2], "cell_size": 0.1, "width": 134, "height": 104, "agent_radius": 0.2`),
		"by bitmap": edit(`"agent_radius": 0.2`, `"agent_radius": 0.2, "walkable": [`+bitmap+`]`),
	} {
		t.Run(name, func(t *testing.T) {
			house, err := scene.Parse(manifest)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range scene.NewCampus(house).Preflight() {
				t.Error(p)
			}
		})
	}
}

func TestCampusWithoutRoomsIsTheHouse(t *testing.T) {
	if s := compose(t, scene.Default(), nil); s != scene.Default() {
		t.Error("a campus without rooms is not the house itself")
	}
	if _, err := scene.NewCampus(scene.Default()).Compose([]contracts.Room{{RoomID: "room_1", Module: "tower"}}); err == nil {
		t.Error("an unknown module was composed")
	}
}

// The plan in testdata shows a small campus: read its diff when a module changes.
func TestCampusPlanGolden(t *testing.T) {
	got := compose(t, scene.Default(), studios(2)).Plan()
	golden := filepath.Join("testdata", "campus.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the plan changed; look at it and run the test with -update (-want +got):\n%s", diff)
	}
}

// A person can stand 0.9 m to the left of every agent on a stage, as seen by the camera, both in
// the house alone and on a full campus.
func TestPersonStandsNextToTheStage(t *testing.T) {
	for _, rooms := range []int{0, contracts.LimitRooms} {
		s := compose(t, scene.Default(), studios(rooms))
		sin, cos := math.Sincos(s.Manifest().Ambience.Camera.Azimuth * math.Pi / 180)
		places := 0
		for _, p := range s.Manifest().POIs {
			if p.Type != contracts.POIStage {
				continue
			}
			for _, a := range p.NavAnchors {
				places++
				spot := vec{a.Pos[0] - 0.9*cos, 0, a.Pos[2] + 0.9*sin}
				if _, ok := s.Path(s.Manifest().Spawns.Player, spot); !ok || !s.Walkable(spot) {
					t.Errorf("%d rooms: nobody can stand next to %s, at %v", rooms, a.ID, spot)
				}
			}
		}
		if want := 5 * (1 + rooms); places != want {
			t.Errorf("%d rooms: %d places on stages, want %d", rooms, places, want)
		}
	}
}
