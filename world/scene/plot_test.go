package scene_test

import (
	"os"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world/scene"
)

// TestPlots checks the positions of plots against the vectors that the browser's tests also read.
func TestPlots(t *testing.T) {
	var vectors struct {
		Order []contracts.Plot
		Cases []struct {
			House, Studio [2]float64
			Centres       []struct {
				Plot contracts.Plot
				At   [2]float64
			}
			Ground []struct {
				Plots  []contracts.Plot
				Strips [][4]float64
			}
		}
	}
	raw, err := os.ReadFile("../../contracts/vectors/plots.json")
	if err == nil {
		err = json.Unmarshal(raw, &vectors, json.MatchCaseInsensitiveNames(true))
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(vectors.Order, scene.Plots(contracts.LimitRooms)); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	for _, c := range vectors.Cases {
		site := scene.Site{House: scene.Size{W: c.House[0], D: c.House[1]}, Studio: scene.Size{W: c.Studio[0], D: c.Studio[1]}}
		for _, want := range c.Centres {
			if x, z := site.Centre(want.Plot); x != want.At[0] || z != want.At[1] {
				t.Errorf("house %v: centre of %v = %v, %v, want %v", c.House, want.Plot, x, z, want.At)
			}
		}
		for _, want := range c.Ground {
			var got [][4]float64
			for _, a := range site.Ground(want.Plots) {
				got = append(got, [4]float64{a.X0, a.Z0, a.X1, a.Z1})
			}
			if diff := cmp.Diff(want.Strips, got); diff != "" {
				t.Errorf("house %v: ground of %v (-want +got):\n%s", c.House, want.Plots, diff)
			}
		}
	}
}
