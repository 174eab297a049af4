package scene_test

import (
	"slices"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world/scene"
)

// broken returns the default office with one change.
func broken(t *testing.T, edit func(*contracts.SceneManifest)) *scene.Scene {
	t.Helper()
	var m contracts.SceneManifest
	if err := json.Unmarshal(contracts.DefaultSceneManifest, &m); err != nil {
		t.Fatal(err)
	}
	edit(&m)
	data, err := json.Marshal(&m)
	if err != nil {
		t.Fatal(err)
	}
	s, err := scene.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func place(m *contracts.SceneManifest, id string) *contracts.POI {
	i := slices.IndexFunc(m.POIs, func(p contracts.POI) bool { return p.POIID == id })
	return &m.POIs[i]
}

func without(m *contracts.SceneManifest, t contracts.POIType) {
	m.POIs = slices.DeleteFunc(m.POIs, func(p contracts.POI) bool { return p.Type == t })
	for i := range m.Objects {
		m.Objects[i].POIID = ""
	}
}

func TestPreflightFindsEachProblem(t *testing.T) {
	type manifest = contracts.SceneManifest
	tests := []struct {
		name  string
		rule  scene.Rule
		where string
		edit  func(*manifest)
	}{
		{"scene id", scene.RuleID, "scene_id", func(m *manifest) { m.SceneID = "../etc" }},
		{"poi id", scene.RuleID, "poi_Big Desk", func(m *manifest) { place(m, "poi_lounge").POIID = "poi_Big Desk"; m.Objects[0].POIID = "" }},
		{"anchor id", scene.RuleID, "seat", func(m *manifest) { place(m, "poi_lounge").NavAnchors[0].ID = "seat" }},
		{"object id", scene.RuleID, "rug", func(m *manifest) { m.Objects[0].ObjectID = "rug" }},
		{"decor id", scene.RuleID, "trophy_1", func(m *manifest) { m.DecorAnchors[0].ID = "trophy_1" }},
		{"poi twice", scene.RuleUnique, "poi_lounge", func(m *manifest) { place(m, "poi_coffee_bar").POIID = "poi_lounge" }},
		{"anchor twice", scene.RuleUnique, "anchor_sofa_1", func(m *manifest) { place(m, "poi_lounge").NavAnchors[1].ID = "anchor_sofa_1" }},
		{"object twice", scene.RuleUnique, "obj_rug_pod", func(m *manifest) { m.Objects[1].ObjectID = "obj_rug_pod" }},
		{"decor twice", scene.RuleUnique, "anchor_trophy_shelf_01", func(m *manifest) { m.DecorAnchors[1].ID = m.DecorAnchors[0].ID }},
		{"capacity", scene.RuleCapacity, "poi_lounge", func(m *manifest) { place(m, "poi_lounge").Capacity++ }},
		{"no anchors", scene.RuleCapacity, "poi_beanbags", func(m *manifest) { p := place(m, "poi_beanbags"); p.NavAnchors, p.Capacity = nil, 0 }},
		{"anchor gap", scene.RuleAnchorGap, "anchor_trophy_2", func(m *manifest) { place(m, "poi_trophy_shelf").NavAnchors[1].Pos[0] = 1.5 }},
		{"facing", scene.RuleFacing, "anchor_trophy_1", func(m *manifest) { place(m, "poi_trophy_shelf").NavAnchors[0].Facing = contracts.Vec3{} }},
		{"far approach", scene.RuleApproach, "anchor_sofa_1", func(m *manifest) { place(m, "poi_lounge").NavAnchors[0].Approach = &contracts.Vec3{-3, 0, 0} }},
		{"anchor in furniture", scene.RuleReachable, "anchor_trophy_1", func(m *manifest) { place(m, "poi_trophy_shelf").NavAnchors[0].Pos = contracts.Vec3{1.2, 0, -5} }},
		{"approach in furniture", scene.RuleReachable, "anchor_sofa_1", func(m *manifest) { place(m, "poi_lounge").NavAnchors[0].Approach = &contracts.Vec3{-5.9, 0, 0.3} }},
		{"anchor walled in", scene.RuleReachable, "anchor_delivery_1", func(m *manifest) {
			m.Objects = append(m.Objects, contracts.SceneObject{ObjectID: "obj_wall", Kind: "wall", Pos: contracts.Vec3{0, 0, -3},
				Footprint: contracts.Footprint{Shape: contracts.FootprintRect, W: 13.4, D: 0.3}})
		}},
		{"poi off the floor", scene.RuleInside, "poi_lounge", func(m *manifest) { place(m, "poi_lounge").UIAnchor[0] = 9 }},
		{"anchor off the floor", scene.RuleInside, "anchor_trophy_1", func(m *manifest) { place(m, "poi_trophy_shelf").NavAnchors[0].Pos[2] = -7 }},
		{"approach off the floor", scene.RuleInside, "anchor_sofa_1", func(m *manifest) { place(m, "poi_lounge").NavAnchors[0].Approach = &contracts.Vec3{-7, 0, 0.3} }},
		{"object off the floor", scene.RuleInside, "obj_rug_pod", func(m *manifest) { m.Objects[0].Pos[0] = 8 }},
		{"decor off the floor", scene.RuleInside, "anchor_trophy_shelf_01", func(m *manifest) { m.DecorAnchors[0].Pos[2] = -6 }},
		{"spawn off the floor", scene.RuleInside, "spawns.player", func(m *manifest) { m.Spawns.Player[2] = 6 }},
		{"footprint without size", scene.RuleFootprint, "obj_sofa", func(m *manifest) { object(m, "obj_sofa").Footprint.W = 0 }},
		{"footprint with an unknown shape", scene.RuleFootprint, "obj_sofa", func(m *manifest) { object(m, "obj_sofa").Footprint.Shape = "blob" }},
		{"object with an unknown place", scene.RuleReference, "obj_sofa", func(m *manifest) { object(m, "obj_sofa").POIID = "poi_nowhere" }},
		{"small meeting table", scene.RulePlaces, "poi_meeting_table", func(m *manifest) {
			p := place(m, "poi_meeting_table")
			p.NavAnchors, p.Capacity = p.NavAnchors[:5], 5
		}},
		{"player spawn in furniture", scene.RuleSpawn, "spawns.player", func(m *manifest) { m.Spawns.Player = contracts.Vec3{3.9, 0, 3.2} }},
		{"agent spawn in furniture", scene.RuleSpawn, "spawns.agents[0]", func(m *manifest) { m.Spawns.Agents[0] = contracts.Vec3{3.9, 0, 3.2} }},
		{"no agent spawns", scene.RuleSpawn, "spawns.agents", func(m *manifest) { m.Spawns.Agents = nil }},
		{"no decor", scene.RuleDecor, "decor_anchors", func(m *manifest) { m.DecorAnchors = nil }},
		{"grid next to the floor", scene.RuleGrid, "grid", func(m *manifest) { m.Grid.Origin[0] = 0 }},
		{"closed by hand", scene.RuleReachable, "anchor_trophy_1", func(m *manifest) { m.Grid.Walkable = bitmap(m, '#') }},
	}
	for _, k := range []contracts.POIType{
		contracts.POIInbox, contracts.POITaskBoard, contracts.POIMeetingTable, contracts.POIResearchDesk, contracts.POIDevDesk,
		contracts.POIDesignDesk, contracts.POIDeliveryShelf, contracts.POITrophyShelf, contracts.POILounge, contracts.POICoffeeBar,
	} {
		tests = append(tests, struct {
			name  string
			rule  scene.Rule
			where string
			edit  func(*manifest)
		}{"no " + string(k), scene.RulePlaces, "pois", func(m *manifest) { without(m, k) }})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			problems := broken(t, tt.edit).Preflight()
			found := slices.ContainsFunc(problems, func(p scene.Problem) bool {
				return p.Rule == tt.rule && p.Where == tt.where && p.What != "" && p.Do != ""
			})
			if !found {
				t.Errorf("Preflight missed %s at %s; it found %v", tt.rule, tt.where, problems)
			}
		})
	}
}

func TestPreflightFindsNothingElse(t *testing.T) {
	got := broken(t, func(m *contracts.SceneManifest) { place(m, "poi_lounge").Capacity++ }).Preflight()
	if len(got) != 1 {
		t.Errorf("one edit gave %d problems: %v", len(got), got)
	}
}

// In grid.walkable, '.' opens a cell that furniture closes.
func TestBitmapOpensCells(t *testing.T) {
	within := contracts.Vec3{3.9, 0, 3.2}
	if scene.Default().Walkable(within) {
		t.Fatal("the director's desk is walkable")
	}
	if s := broken(t, func(m *contracts.SceneManifest) { m.Grid.Walkable = bitmap(m, '.') }); !s.Walkable(within) {
		t.Error("a cell opened by the bitmap stays closed")
	}
}

func object(m *contracts.SceneManifest, id string) *contracts.SceneObject {
	i := slices.IndexFunc(m.Objects, func(o contracts.SceneObject) bool { return o.ObjectID == id })
	return &m.Objects[i]
}

func bitmap(m *contracts.SceneManifest, mark byte) []string {
	row := slices.Repeat([]byte{mark}, m.Grid.Width)
	return slices.Repeat([]string{string(row)}, m.Grid.Height)
}
