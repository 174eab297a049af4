package model

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world/scene"
)

// House is the id of the house as a Part. It is also the RoomID of agents without a room.
const House = ""

// Part is a part of the campus: the house, a room or the garden.
type Part struct {
	ID       string // House, the id of a room, or contracts.GardenScene
	Label    string
	Accent   string                   // one of contracts.Accents; empty for the garden
	Manifest *contracts.SceneManifest // in coordinates relative to the part's centre; a room's manifest leaves out unused desks

	x, z float64 // the centre
}

// Local converts a point on the campus to the part's own coordinates.
func (p *Part) Local(at contracts.Vec3) contracts.Vec3 {
	return contracts.Vec3{at[0] - p.x, at[1], at[2] - p.z}
}

// Parts returns the house, the rooms in opening order, and the garden. While there are no rooms, it
// returns only the house; before the scene is known, it returns nothing. Rooms with a module that
// this version does not support are left out.
func (o *Office) Parts() []Part {
	if o.Scene == nil {
		return nil
	}
	list := []Part{{ID: House, Label: o.Scene.Label, Accent: contracts.HouseAccent, Manifest: o.Scene}}
	site := scene.SiteOf(o.Scene)
	for _, r := range o.Rows().Rooms {
		if r.Module != contracts.ModuleStudio {
			continue
		}
		if contracts.Blank(r.Label) {
			r.Label = r.RoomID
		}
		x, z := site.Centre(r.Plot)
		list = append(list, Part{r.RoomID, r.Label, r.Accent, studioWith(r.Desks), x, z})
	}
	if len(list) == 1 {
		return list
	}
	garden := scene.Module(contracts.GardenScene)
	x, z := site.Centre(contracts.GardenPlot)
	return append(list, Part{ID: contracts.GardenScene, Label: garden.Label, Manifest: garden, x: x, z: z})
}

// PartAt returns the index of the part that contains a point or, for a point between parts, the
// index of the nearest part.
func PartAt(parts []Part, at contracts.Vec3) int {
	best, near := 0, math.Inf(1)
	for i := range parts {
		p, room := parts[i].Local(at), &parts[i].Manifest.Room
		d := math.Hypot(max(0, math.Abs(p[0])-room.W/2), max(0, math.Abs(p[2])-room.D/2))
		if d < near {
			best, near = i, d
		}
	}
	return best
}

// studios returns the manifests of a studio, indexed by the number of desk modules in use.
var studios = sync.OnceValue(func() (list [contracts.StudioDesks + 1]*contracts.SceneManifest) {
	for desks := range list {
		m := *scene.Module(contracts.StudioScene)
		m.Objects = slices.DeleteFunc(slices.Clone(m.Objects), func(o contracts.SceneObject) bool { return deskModule(o.POIID) > desks })
		m.POIs = slices.DeleteFunc(slices.Clone(m.POIs), func(p contracts.POI) bool { return deskModule(p.POIID) > desks })
		list[desks] = &m
	}
	return list
})

func studioWith(desks int) *contracts.SceneManifest {
	return studios()[max(0, min(desks, contracts.StudioDesks))]
}

// deskModule returns the number of the desk module that a place in a studio belongs to, counted
// from 1, or 0 if the place is not a desk.
func deskModule(poi string) int {
	number, isDesk := strings.CutPrefix(poi, "poi_desk_")
	n, err := strconv.Atoi(number)
	if !isDesk || err != nil {
		return 0
	}
	return (n + contracts.DeskSeats - 1) / contracts.DeskSeats
}

// Tally counts the agents of a room by activity. Offline agents are not counted.
type Tally struct{ Working, Waiting, Needing, Free int }

// Tallies counts the agents of every room and of the house, by room id. web/src/world/campus.ts
// follows the same rules; contracts/vectors/tallies.json tests both.
func (r *Rows) Tallies() map[string]Tally {
	out := map[string]Tally{}
	for i := range r.Agents {
		a := &r.Agents[i]
		if a.State == contracts.StateOffline || a.Activity == contracts.ActivityOffline {
			continue
		}
		t := out[a.RoomID]
		switch {
		case a.NeedsYou:
			t.Needing++
		case worksNow(a):
			t.Working++
		case a.Source != "" && a.Activity == contracts.ActivityWaiting, a.Source == "" && a.State == contracts.StateWaiting:
			t.Waiting++
		default:
			t.Free++
		}
		out[a.RoomID] = t
	}
	return out
}

// worksNow reports whether an agent is working: a guest according to its activity, a crew member
// according to its state.
func worksNow(a *contracts.Agent) bool {
	if a.Source != "" {
		return a.Activity == contracts.ActivityWorking
	}
	return a.State == contracts.StateWorking || a.State == contracts.StateMeeting || a.State == contracts.StateDelivering
}

// Words returns the counts that are not 0, such as "8 working · 2 waiting · 2 need you". Free
// agents are mentioned only if there are no others. The text is empty if there are no agents.
func (t Tally) Words() string {
	var parts []string
	add := func(n int, words string) {
		if n > 0 {
			parts = append(parts, words)
		}
	}
	add(t.Working, fmt.Sprintf(contracts.SayWorking, t.Working))
	add(t.Waiting, fmt.Sprintf(contracts.SayWaiting, t.Waiting))
	add(t.Needing, contracts.SayNeedYou.Of(t.Needing))
	if len(parts) == 0 {
		add(t.Free, fmt.Sprintf(contracts.SayFree, t.Free))
	}
	return strings.Join(parts, " · ")
}
