package scene_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world/scene"
)

func TestParseIsStrict(t *testing.T) {
	whole := string(contracts.DefaultSceneManifest)
	tests := map[string]string{
		"not JSON":        "{",
		"unknown field":   strings.Replace(whole, `"version"`, `"verzion"`, 1),
		"doubled field":   strings.Replace(whole, `"version"`, `"scene_id": "x", "version"`, 1),
		"two values":      whole + "{}",
		"zero cells":      strings.Replace(whole, `"width": 67`, `"width": 0`, 1),
		"too many cells":  strings.Replace(whole, `"width": 67`, `"width": 9007199254740991`, 1),
		"cells too small": strings.Replace(whole, `"cell_size": 0.2`, `"cell_size": 0.001`, 1),
		"negative radius": strings.Replace(whole, `"agent_radius": 0.2`, `"agent_radius": -1`, 1),
		"bitmap rows":     strings.Replace(whole, `"agent_radius": 0.2`, `"agent_radius": 0.2, "walkable": ["."]`, 1),
	}
	for name, manifest := range tests {
		t.Run(name, func(t *testing.T) {
			if manifest == whole {
				t.Fatal("the edit did not change the manifest")
			}
			if _, err := scene.Parse([]byte(manifest)); err == nil {
				t.Error("Parse accepted it")
			}
		})
	}
}

func TestDefaultIsTheOfficeOfTheContract(t *testing.T) {
	s := scene.Default()
	if s != scene.Default() {
		t.Error("Default is parsed more than once")
	}
	if s.ID() != contracts.DefaultScene {
		t.Errorf("ID() = %q, want %q", s.ID(), contracts.DefaultScene)
	}
	for _, p := range s.Preflight() {
		t.Error(p)
	}
	for id, anchors := range map[string]int{
		"poi_reception_inbox": 3, "poi_task_board": 3, "poi_meeting_table": 8, "poi_director_desk": 1,
		"poi_research_desk_1": 1, "poi_research_desk_2": 1, "poi_dev_desk_1": 1, "poi_dev_desk_2": 1,
		"poi_design_desk_1": 1, "poi_writing_desk_1": 1, "poi_delivery_shelf": 3, "poi_trophy_shelf": 2,
		"poi_lounge": 6, "poi_beanbags": 2, "poi_coffee_bar": 5,
	} {
		if p, ok := s.POI(id); !ok || len(p.NavAnchors) != anchors {
			t.Errorf("POI(%q): found %v, want %d anchors", id, ok, anchors)
		}
	}
	if n := len(s.DecorAnchors()); n < 12 {
		t.Errorf("%d decor anchors, want at least 12", n)
	}
}

func TestLookups(t *testing.T) {
	s := scene.Default()
	var ids []string
	for _, p := range s.POIsOfType(contracts.POIResearchDesk) {
		ids = append(ids, p.POIID)
	}
	if diff := cmp.Diff([]string{"poi_research_desk_1", "poi_research_desk_2"}, ids); diff != "" {
		t.Errorf("research desks (-want +got):\n%s", diff)
	}
	a, p, ok := s.Anchor("anchor_meeting_seat_3")
	if !ok || p.POIID != "poi_meeting_table" || !a.Seated {
		t.Errorf("Anchor = %v of %v, %v", a, p, ok)
	}
	if _, _, ok := s.Anchor("anchor_nowhere"); ok {
		t.Error("an unknown anchor was found")
	}
	if _, ok := s.POI("poi_nowhere"); ok {
		t.Error("an unknown place was found")
	}
}

// Every colour that a style names is in the palette, so that a client can draw the room from the
// manifest alone.
func TestStylesUseColoursOfThePalette(t *testing.T) {
	m := scene.Default().Manifest()
	words := map[string]bool{"mountain": true, "leaf": true} // subjects of pictures, not colours
	check := func(where string, v any) {
		if name, ok := v.(string); ok && m.Palette[name] == "" && !words[name] {
			t.Errorf("%s uses the colour %q, which the palette lacks", where, name)
		}
	}
	for part, name := range m.Room.Style {
		check("room."+part, name)
	}
	for _, w := range m.Room.Windows {
		check("window", w.Curtain)
	}
	for _, o := range m.Objects {
		for key, v := range o.Style {
			check(o.ObjectID+"."+key, v)
			if list, ok := v.([]any); ok {
				for _, each := range list {
					check(o.ObjectID+"."+key, each)
				}
			}
		}
	}
}
