package contracts

import (
	_ "embed"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
)

// Plot is a place for a module on the campus: column and row, counted from the house at (0, 0).
type Plot [2]int

// Fixed plots.
var (
	HousePlot  = Plot{0, 0} // the office's own scene
	GardenPlot = Plot{1, 1} // present while any room is open
)

// Room is a module of the campus that the office opened for one folder or repository. It has
// the places in the module's manifest, with RoomSuffix appended to every id. A room never moves.
type Room struct {
	RoomID string `json:"room_id"`
	Key    string `json:"key"`    // the folder or repository that the room is for; later rooms with the same key are annexes of the first
	Label  string `json:"label"`  // the text of the sign
	Module string `json:"module"` // the kind of module: ModuleStudio
	Plot   Plot   `json:"plot"`
	Accent string `json:"accent"` // one of Accents
	Desks  int    `json:"desks"`  // current number of desk modules, each with two seats; never decreases
}

// ModuleStudio is the kind of module that rooms are made of. Its manifest is StudioManifest.
const ModuleStudio = "studio"

// Ids of the built-in modules' manifests.
const (
	StudioScene = "studio_v0"
	GardenScene = "garden_v0"
)

// StudioManifest is the manifest of StudioScene, in the studio's own coordinates, byte for byte as
// served. Treat it as read-only.
//
//go:embed scenes/studio_v0.json
var StudioManifest []byte

// GardenManifest is the manifest of GardenScene. Treat it as read-only.
//
//go:embed scenes/garden_v0.json
var GardenManifest []byte

// ModuleManifest returns the manifest of a built-in module by its id. It returns false if there is
// none.
func ModuleManifest(id string) (manifest []byte, ok bool) {
	switch id {
	case StudioScene:
		return StudioManifest, true
	case GardenScene:
		return GardenManifest, true
	}
	return nil, false
}

// Accents are the names of the colours that distinguish rooms. Clients define the actual colours.
var Accents = []string{"terracotta", "blue", "purple", "amber", "green", HouseAccent}

// HouseAccent is the accent of the house. A studio uses it only if all other accents are taken.
const HouseAccent = "teal"

// AccentFor returns the accent of a new room: the accent that the key's hash selects or, if a room
// already has it, the next free accent. If all are taken, the hash decides.
func AccentFor(key string, taken []string) string {
	h := fnv.New32a()
	h.Write([]byte(key))
	first := int(h.Sum32() % uint32(len(Accents)))
	for i := range Accents {
		if accent := Accents[(first+i)%len(Accents)]; !slices.Contains(taken, accent) {
			return accent
		}
	}
	return Accents[first]
}

// RoomLabel returns the text of a room's sign: the last elements of the key, which is a path, as
// one clean line of at most LimitRoomLabel characters. A room with an empty key is for guests whose
// folder is unknown. If n is greater than 1, the label ends with the number n.
func RoomLabel(key string, elements, n int) string {
	name := strings.TrimRight(CleanLine(key), `/\ `)
	start := len(name)
	for range elements {
		if start = strings.LastIndexAny(name[:max(start, 0)], `/\`); start < 0 {
			break
		}
	}
	name = name[start+1:]
	switch name = CleanLine(name); {
	case key == "":
		name = "Guests"
	case Blank(name):
		name = "Studio"
	}
	number := ""
	if n > 1 {
		number = " " + strconv.Itoa(n)
	}
	return Clip(name, LimitRoomLabel-len(number)) + number
}

// RoomID returns the id of the room with the given number.
func RoomID(number int) string { return string(PrefixRoom) + "_" + strconv.Itoa(number) }

// RoomSuffix returns the suffix that a room adds to the ids of its module's manifest: "_r3" in
// room_3. It is empty for the house.
func RoomSuffix(roomID string) string {
	number, ok := strings.CutPrefix(roomID, string(PrefixRoom)+"_")
	if !ok {
		return ""
	}
	return "_r" + number
}
