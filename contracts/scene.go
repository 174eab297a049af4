package contracts

import (
	_ "embed"
)

// SceneManifest describes a room: the server uses it to move people (agents and players), and the
// client uses the same bytes to draw the room. Lengths are in metres; y is up, x to the right and z
// towards the viewer, so the floor is the xz plane. Rotations are in radians about y: an object
// turned by r has its own z axis along (sin r, 0, cos r).
type SceneManifest struct {
	SceneID      string            `json:"scene_id"`
	Version      int               `json:"version"`
	Label        string            `json:"label"`
	Palette      map[string]string `json:"palette"` // colours as #rrggbb, by the names that styles use
	Room         SceneRoom         `json:"room"`
	Grid         SceneGrid         `json:"grid"`
	Objects      []SceneObject     `json:"objects"`
	POIs         []POI             `json:"pois"`
	Spawns       SceneSpawns       `json:"spawns"`
	DecorAnchors []DecorAnchor     `json:"decor_anchors"`
	Lighting     SceneLighting     `json:"lighting"`
	Ambience     SceneAmbience     `json:"ambience"`
}

// PrefixObject is the prefix of furniture ids.
const PrefixObject Prefix = "obj"

// Limits for a scene; lengths are in metres.
const (
	LimitSceneCells   = 1 << 18
	LimitSceneNearest = 2.0  // how far a person who is standing inside furniture may be moved before walking
	LimitSceneHop     = 1.2  // longest distance from an approach to its seat
	SceneAnchorGap    = 0.5  // smallest distance between two anchors
	SceneSeatSnap     = 0.05 // a point this close to a seat is on the seat
	SceneSeatRadius   = 0.3  // people keep this distance from seats
	SceneStandMin     = 0.7  // people keep this distance from each other
	SceneStandMax     = 1.6
	SceneMeetingSeats = 6 // enough seats for a whole project team
)

// SceneRoom is the room's shell, centred on the origin. The walls are at the back (z = -d/2) and on
// the left (x = -w/2); the other two sides are open. A wall thickness of 0 means that there are no
// walls.
type SceneRoom struct {
	W             float64           `json:"w"`
	D             float64           `json:"d"`
	H             float64           `json:"h"`
	WallThickness float64           `json:"wall_thickness"`
	Windows       []SceneWindow     `json:"windows"`
	Style         map[string]string `json:"style,omitzero"` // palette name for each part of the shell
}

// SceneWindow is a window in a wall. Centre is the position of the window's centre: x on the back
// wall, z on the left wall.
type SceneWindow struct {
	Wall   string  `json:"wall"` // back, left
	Centre float64 `json:"centre"`
	W      float64 `json:"w"`
	Y0     float64 `json:"y0"`
	Y1     float64 `json:"y1"`
	// Curtain is the palette name of the curtains; empty means none.
	Curtain string `json:"curtain,omitzero"`
}

// SceneGrid is the grid that people walk on. The centre of cell (i, j) is at origin + (i+0.5,
// j+0.5) * cell_size.
type SceneGrid struct {
	Origin      [2]float64 `json:"origin"` // x, z of the first cell's corner
	CellSize    float64    `json:"cell_size"`
	Width       int        `json:"width"`
	Height      int        `json:"height"`
	AgentRadius float64    `json:"agent_radius"` // colliders are enlarged by this length
	// Walkable overrides the computed bitmap, one string per row from the back: '#'
	// closes a cell, '.' opens it, ' ' keeps the computed value.
	Walkable []string `json:"walkable,omitzero"`
}

// FootprintShape is the outline of an object on the floor.
type FootprintShape string

// Footprint shapes. FootprintNone takes no space.
const (
	FootprintNone    FootprintShape = "none"
	FootprintRect    FootprintShape = "rect"
	FootprintEllipse FootprintShape = "ellipse"
)

// Footprint is a collider: w along the object's own x axis, d along its own z axis, shifted by
// offset before the object is turned. A passable footprint only shades the floor: people can walk
// or sit there.
type Footprint struct {
	Shape    FootprintShape `json:"shape"`
	W        float64        `json:"w,omitzero"`
	D        float64        `json:"d,omitzero"`
	Offset   [2]float64     `json:"offset,omitzero"`
	Passable bool           `json:"passable,omitzero"`
	Shade    float64        `json:"shade,omitzero"` // contact shadow, 0 to 1
}

// SceneObject is a piece of furniture. Kind selects what the client draws. Style selects a variant
// of that kind; colours in Style are palette names.
type SceneObject struct {
	ObjectID  string         `json:"object_id"`
	Kind      string         `json:"kind"`
	Pos       Vec3           `json:"pos"`
	RotationY float64        `json:"rotation_y"`
	Scale     float64        `json:"scale,omitzero"` // 0 means 1
	Size      [3]float64     `json:"size,omitzero"`  // w, h, d of the drawn object
	Footprint Footprint      `json:"footprint"`
	POIID     string         `json:"poi_id,omitzero"` // the place that clicking the object opens
	Style     map[string]any `json:"style,omitzero"`
}

// POIType is the purpose of a place.
type POIType string

// POI types. The office's workflow needs all of them except the last five.
const (
	POIInbox         POIType = "inbox"
	POITaskBoard     POIType = "task_board"
	POIMeetingTable  POIType = "meeting_table"
	POIResearchDesk  POIType = "research_desk"
	POIDevDesk       POIType = "dev_desk"
	POIDesignDesk    POIType = "design_desk"
	POIDeliveryShelf POIType = "delivery_shelf"
	POITrophyShelf   POIType = "trophy_shelf"
	POILounge        POIType = "lounge"
	POICoffeeBar     POIType = "coffee_bar"
	POIWritingDesk   POIType = "writing_desk"
	POIDirectorDesk  POIType = "director_desk"
	POIBeanbags      POIType = "beanbags"
	POIStage         POIType = "stage"  // where agents stand while they need a person, visible to everyone
	POIGarden        POIType = "garden" // seats outside, for guests without work
)

// POI is a place that people go to. Its capacity is the number of its anchors.
type POI struct {
	POIID             string      `json:"poi_id"`
	Type              POIType     `json:"type"`
	Label             string      `json:"label"`
	Capacity          int         `json:"capacity"`
	InteractionRadius float64     `json:"interaction_radius"`
	UIAnchor          Vec3        `json:"ui_anchor"`
	Camera            SceneCamera `json:"camera"`
	NavAnchors        []NavAnchor `json:"nav_anchors"`
}

// NavAnchor is a spot where one person stands or sits. Approach, if set, is the free spot that a
// person leaves to sit down and returns to after getting up.
type NavAnchor struct {
	ID         string  `json:"id"`
	Pos        Vec3    `json:"pos"`
	Facing     Vec3    `json:"facing"`
	Seated     bool    `json:"seated,omitzero"`
	SeatHeight float64 `json:"seat_height,omitzero"`
	Approach   *Vec3   `json:"approach,omitzero"`
}

// SceneCamera frames a place; angles are in degrees.
type SceneCamera struct {
	Target    Vec3    `json:"target"`
	Distance  float64 `json:"distance"`
	Azimuth   float64 `json:"azimuth"`
	Elevation float64 `json:"elevation"`
}

// SceneSpawns are the spots where people appear.
type SceneSpawns struct {
	Player Vec3   `json:"player"`
	Agents []Vec3 `json:"agents"`
}

// DecorAnchor is a spot for one trophy. Spots are filled in manifest order.
type DecorAnchor struct {
	ID        string  `json:"id"`
	Pos       Vec3    `json:"pos"`
	RotationY float64 `json:"rotation_y,omitzero"`
	Scale     float64 `json:"scale,omitzero"` // 0 means 1
	POIID     string  `json:"poi_id,omitzero"`
}

// SceneLighting is the light by day and by night; the client blends the two.
type SceneLighting struct {
	Day   LightSet `json:"day"`
	Night LightSet `json:"night"`
}

// LightSet is the light at one time of day, with colours as #rrggbb.
type LightSet struct {
	Hemisphere    HemisphereLight `json:"hemisphere"`
	Sun           DirectLight     `json:"sun"`
	Fill          DirectLight     `json:"fill"`
	Lamps         []PointLight    `json:"lamps,omitzero"`
	Pane          string          `json:"pane"`
	PaneOpacity   float64         `json:"pane_opacity"`
	EmissiveScale float64         `json:"emissive_scale"`
	GlowOpacity   float64         `json:"glow_opacity"`
	Exposure      float64         `json:"exposure"`
}

// HemisphereLight is light from the sky and from the ground.
type HemisphereLight struct {
	Sky       string  `json:"sky"`
	Ground    string  `json:"ground"`
	Intensity float64 `json:"intensity"`
}

// DirectLight is the sun, the moon or a fill light.
type DirectLight struct {
	Color     string  `json:"color"`
	Intensity float64 `json:"intensity"`
	Pos       Vec3    `json:"pos"`
	Shadow    bool    `json:"shadow,omitzero"`
}

// PointLight is a lamp whose light fades with distance.
type PointLight struct {
	Color     string  `json:"color"`
	Intensity float64 `json:"intensity"`
	Distance  float64 `json:"distance"`
	Decay     float64 `json:"decay"`
	Pos       Vec3    `json:"pos"`
}

// SceneAmbience is everything around the room: backdrop, dust, sounds and the overview camera.
type SceneAmbience struct {
	Day    Backdrop    `json:"day"`
	Night  Backdrop    `json:"night"`
	Motes  int         `json:"motes,omitzero"` // number of dust particles in the sunlight
	Sounds []string    `json:"sounds,omitzero"`
	Camera SceneCamera `json:"camera"` // the overview
	FOV    float64     `json:"fov"`    // degrees
}

// Backdrop is the page's radial gradient, from the centre to the edge.
type Backdrop struct {
	Colors []string  `json:"colors"`
	Stops  []float64 `json:"stops"` // percent, one for each colour
}

// DefaultSceneManifest is the manifest of DefaultScene, byte for byte as served. Treat it as
// read-only.
//
//go:embed scenes/cozy_office_v0.json
var DefaultSceneManifest []byte
