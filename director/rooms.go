package director

import (
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// roomKey returns the key of a guest's room: the folder or repository that the guest works in. It
// is empty for guests that stay in the house.
func roomKey(ag *world.Agent) string {
	if contracts.Blank(ag.Place) {
		return ""
	}
	return ag.Place
}

// misplaced reports whether a guest that works or asks is not in the room that it should be in: its
// parent's, or one for the place where it works.
func (a *act) misplaced(ag *world.Agent) bool {
	if !a.cfg.Studios {
		return false
	}
	if parent := a.w.Agent(ag.ParentID); parent != nil {
		return ag.RoomID != parent.RoomID
	}
	key := roomKey(ag)
	if room := a.w.Room(ag.RoomID); room != nil {
		return room.Key != key
	}
	if key == "" {
		return false
	}
	_, can := a.freePlot(key)
	return can || a.roomWithSpace(key) != nil
}

// lodge gives a misplaced guest its room, and opens the room if necessary. If the campus is full,
// the guest works in the house.
func (a *act) lodge(ag *world.Agent) {
	if !a.misplaced(ag) {
		return
	}
	p := ag.AgentProfile
	p.RoomID = ""
	if parent := a.w.Agent(ag.ParentID); parent != nil {
		p.RoomID = parent.RoomID
	} else if key := roomKey(ag); key != "" {
		if room := a.roomWithSpace(key); room != nil {
			p.RoomID = room.RoomID
		} else if plot, ok := a.freePlot(key); ok {
			p.RoomID = a.openRoom(key, plot)
		}
	}
	where := "the house"
	if room := a.w.Room(p.RoomID); room != nil {
		where = room.Label
	}
	a.emit(&contracts.Event{Name: contracts.EventAgentJoined, Agents: []contracts.AgentProfile{p}, Meta: &contracts.Meta{Title: p.Name + " works in " + where}})
	a.addDesks(p.RoomID)
}

// roomWithSpace returns the first room for a key that has a seat for one more guest; nil if there is
// none.
func (a *act) roomWithSpace(key string) *world.Room {
	for i := range a.w.Rooms() {
		if r := &a.w.Rooms()[i]; r.Key == key && a.lodgers(r.RoomID) < contracts.StudioDesks*contracts.DeskSeats {
			return r
		}
	}
	return nil
}

// lodgers returns how many guests of a room need a desk. Sub-agents work at their parent's
// desk.
func (a *act) lodgers(roomID string) int {
	n := 0
	for _, ag := range a.w.Agents() {
		if ag.RoomID == roomID && a.w.Agent(ag.ParentID) == nil {
			n++
		}
	}
	return n
}

// freePlot returns the plot for a new room: the last plot used for the same key, if it is free;
// otherwise the first free plot of the innermost ring, preferring plots that were never used. ok is
// false if the campus is full.
func (a *act) freePlot(key string) (plot contracts.Plot, ok bool) {
	if len(a.w.Rooms()) >= contracts.LimitRooms {
		return plot, false
	}
	past := a.w.PastRooms()
	let := map[contracts.Plot]bool{}
	for _, p := range past {
		if p.Key == key && a.w.HasPlot(p.Plot) {
			return p.Plot, true
		}
		let[p.Plot] = true
	}
	for _, r := range a.w.Rooms() {
		let[r.Plot] = true
	}
	isPast := func(p contracts.Plot) bool {
		return slices.ContainsFunc(past, func(r world.PastRoom) bool { return r.Plot == p })
	}
	plots := a.w.Plots()
	for first := 0; first < len(plots); {
		end := first
		for end < len(plots) && ringOf(plots[end]) == ringOf(plots[first]) {
			end++
		}
		if i := slices.IndexFunc(plots[first:end], func(p contracts.Plot) bool { return !let[p] }); i >= 0 {
			return plots[first+i], true
		}
		if i := slices.IndexFunc(plots[first:end], isPast); i >= 0 {
			return plots[first+i], true
		}
		first = end
	}
	return plot, false
}

// ringOf returns the ring of a plot. The innermost is around the garden and includes the house.
func ringOf(p contracts.Plot) int {
	return max(p[0], p[1], contracts.GardenPlot[0]+1)
}

// openRoom opens a studio and returns its id. An annex has the accent of the first room for the key.
func (a *act) openRoom(key string, plot contracts.Plot) string {
	taken, accent := []string{contracts.HouseAccent}, ""
	var labels []string
	for _, r := range a.w.Rooms() {
		taken = append(taken, r.Accent)
		if r.Key == key {
			accent, labels = r.Accent, append(labels, r.Label)
		}
	}
	n := 1
	for slices.Contains(labels, contracts.RoomLabel(key, n)) {
		n++
	}
	if accent == "" {
		accent = contracts.AccentFor(key, taken)
	}
	room := contracts.Room{RoomID: contracts.RoomID(a.w.RoomsMade() + 1), Key: key, Label: contracts.RoomLabel(key, n),
		Module: contracts.ModuleStudio, Plot: plot, Accent: accent, Desks: 1}
	a.emit(&contracts.Event{Name: contracts.EventRoomOpened, Room: &room, Meta: &contracts.Meta{Title: "A studio opened", Summary: room.Label}})
	return room.RoomID
}

// addDesks adds desk modules to a room until each of its guests has a seat.
func (a *act) addDesks(roomID string) {
	room := a.w.Room(roomID)
	if room == nil {
		return
	}
	need := min((a.lodgers(roomID)+contracts.DeskSeats-1)/contracts.DeskSeats, contracts.StudioDesks)
	if need <= room.Desks {
		return
	}
	more := room.Room
	more.Desks = need
	a.emit(&contracts.Event{Name: contracts.EventRoomChanged, Room: &more})
}

// roomDesks returns the desks in use of an agent's room; none for an agent in the house.
func (a *act) roomDesks(ag *world.Agent) []*contracts.POI {
	room := a.w.Room(ag.RoomID)
	if room == nil {
		return nil
	}
	desks := a.w.Scene().POIsIn(ag.RoomID, contracts.POIDevDesk)
	return desks[:min(len(desks), room.Desks*contracts.DeskSeats)]
}

// roomHomes returns where a guest on a campus spends its free time, before the places of the house:
// the lounge of its room, the garden, its room's desks.
func (a *act) roomHomes(ag *world.Agent) []*contracts.POI {
	if !ag.Guest() || !a.cfg.Studios {
		return nil
	}
	out := a.w.Scene().POIsIn(ag.RoomID, contracts.POILounge)
	out = append(out, a.w.Scene().POIsIn(contracts.GardenScene, contracts.POIGarden)...)
	return append(out, a.roomDesks(ag)...)
}

// stepRooms closes the first room that is due to close and reports whether there was one.
func (a *act) stepRooms() bool {
	for i := range a.w.Rooms() {
		r := a.w.Rooms()[i]
		if at, ok := a.closesAt(&r); ok && at <= a.now.MS {
			a.closeRoom(&r)
			return true
		}
	}
	return false
}

// closesAt returns when a room closes; ok is false while it is in use. Without studios, all rooms
// that are still open close immediately, and so does a room whose plot is not on the campus.
func (a *act) closesAt(r *world.Room) (at int64, ok bool) {
	if !a.cfg.Studios || !a.w.HasPlot(r.Plot) {
		return 0, true
	}
	return r.EmptySince + contracts.StudioIdle.Milliseconds(), r.EmptySince != 0
}

// closeRoom closes a room. Agents that are still there come in through the door of the house again;
// those that are offline stay there.
func (a *act) closeRoom(r *world.Room) {
	var inside []*world.Agent
	for _, ag := range a.w.Agents() {
		if ag.RoomID == r.RoomID {
			inside = append(inside, ag)
		}
	}
	a.emit(&contracts.Event{Name: contracts.EventRoomClosed, RoomID: r.RoomID, Meta: &contracts.Meta{Title: "A studio closed", Summary: r.Label}})
	for _, ag := range inside {
		if ag.Goal.State != contracts.StateOffline {
			a.enter(ag)
			continue
		}
		at := a.standNear(ag, a.w.Scene().Manifest().Spawns.Player)
		a.goal(ag, at, intent{kind: contracts.GoalIdle, state: contracts.StateOffline, why: ag.Goal.Why}, []contracts.Vec3{at.pos})
	}
}
