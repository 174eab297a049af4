package contracts

import "testing"

// scenePairs are the parts of a scene manifest and their schemas.
var scenePairs = []pair{
	{value: SceneManifest{}, schema: "scene-manifest.schema.json"},
	{value: SceneRoom{}, schema: "scene-manifest.schema.json#/$defs/room"},
	{value: SceneWindow{}, schema: "scene-manifest.schema.json#/$defs/window"},
	{value: SceneGrid{}, schema: "scene-manifest.schema.json#/$defs/grid"},
	{value: Footprint{}, schema: "scene-manifest.schema.json#/$defs/footprint"},
	{value: SceneObject{}, schema: "scene-manifest.schema.json#/$defs/object"},
	{value: POI{}, schema: "scene-manifest.schema.json#/$defs/poi"},
	{value: NavAnchor{}, schema: "scene-manifest.schema.json#/$defs/nav_anchor"},
	{value: SceneCamera{}, schema: "scene-manifest.schema.json#/$defs/camera"},
	{value: SceneSpawns{}, schema: "scene-manifest.schema.json#/$defs/spawns"},
	{value: DecorAnchor{}, schema: "scene-manifest.schema.json#/$defs/decor_anchor"},
	{value: SceneLighting{}, schema: "scene-manifest.schema.json#/$defs/lighting"},
	{value: LightSet{}, schema: "scene-manifest.schema.json#/$defs/light_set"},
	{value: HemisphereLight{}, schema: "scene-manifest.schema.json#/$defs/hemisphere_light"},
	{value: DirectLight{}, schema: "scene-manifest.schema.json#/$defs/direct_light"},
	{value: PointLight{}, schema: "scene-manifest.schema.json#/$defs/point_light"},
	{value: SceneAmbience{}, schema: "scene-manifest.schema.json#/$defs/ambience"},
	{value: Backdrop{}, schema: "scene-manifest.schema.json#/$defs/backdrop"},
}

// TestBuiltInScenes checks that the built-in room and modules are valid scene manifests.
func TestBuiltInScenes(t *testing.T) {
	s := compile(t, compiler(t), "scene-manifest.schema.json")
	for name, raw := range map[string][]byte{DefaultScene: DefaultSceneManifest, StudioScene: StudioManifest, GardenScene: GardenManifest} {
		tree, r := readTree(raw)
		if r != nil {
			t.Fatal(name, r)
		}
		if err := s.Validate(tree); err != nil {
			t.Error(name, err)
		}
		if tree["scene_id"] != name {
			t.Errorf("scene_id = %v, want %s", tree["scene_id"], name)
		}
	}
}
