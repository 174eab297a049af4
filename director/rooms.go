package director

import (
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// roomKey returns the key of a guest's room: the guest's repository, or the folder that it works
// in. The key is empty for guests that stay in the house.
func roomKey(ag *world.Agent) string {
	for _, key := range []string{ag.Repo, ag.Place} {
		if !contracts.Blank(key) {
			return key
		}
	}
	return ""
}

// placement is where a guest belongs: an open room, or a plot for a new room. The zero value means
// the house.
type placement struct {
	room  *world.Room
	plot  contracts.Plot
	opens bool
}

// placementOf returns where a guest without a host belongs. The guest stays in its desk's room if
// that room is for the guest's key, or if the guest has no key. Otherwise it moves to another room
// for the key, which may have to be opened. If the campus is full, the guest keeps its desk.
func (a *act) placementOf(ag *world.Agent) placement {
	key, own := roomKey(ag), a.w.Room(ag.RoomID)
	if ag.SeatID == "" {
		own = nil
	}
	if own != nil && (key == "" || own.Key == key) {
		return placement{room: own}
	}
	if key != "" {
		if l := a.placementFor(key); l != (placement{}) {
			return l
		}
	}
	return placement{room: own}
}

// placementFor returns a room with the given key and a free desk, or else a plot for a new room. It
// returns the zero value if there is neither.
func (a *act) placementFor(key string) placement {
	for i := range a.w.Rooms() {
		if r := &a.w.Rooms()[i]; r.Key == key && a.freeDesk(r.RoomID) != nil {
			return placement{room: r}
		}
	}
	plot, ok := a.freePlot(key)
	return placement{plot: plot, opens: ok}
}

// misplaced reports whether a guest that is working or asking is not where it belongs.
func (a *act) misplaced(ag *world.Agent) bool {
	if !a.cfg.Studios {
		return false
	}
	if host := a.host(ag); host != nil {
		return ag.RoomID != host.RoomID || ag.SeatID != "" || host.Guest() && a.misplaced(host)
	}
	l := a.placementOf(ag)
	if l.room == nil {
		return l.opens || ag.RoomID != ""
	}
	return ag.RoomID != l.room.RoomID || ag.SeatID == ""
}

// moveToPlacement moves a misplaced guest to where it belongs. A sub-agent moves into its host's
// room, after the host has moved to where it belongs; any other guest gets a desk in its room.
func (a *act) moveToPlacement(ag *world.Agent) {
	if !a.misplaced(ag) {
		return
	}
	if host := a.host(ag); host != nil {
		if host.Guest() {
			a.moveToPlacement(host)
		}
		a.move(ag, host.RoomID, "")
		return
	}
	a.moveIn(ag, a.placementOf(ag))
}

// giveDesk gives a desk to a guest that found no other seat: in a room for the guest's key,
// otherwise in the open room with the fewest owned desks. It reports whether there was a desk.
func (a *act) giveDesk(ag *world.Agent) bool {
	l := a.placementFor(roomKey(ag))
	if l == (placement{}) {
		l.room = a.emptiestRoom()
	}
	if l == (placement{}) {
		return false
	}
	a.moveIn(ag, l)
	return true
}

func (a *act) moveIn(ag *world.Agent, l placement) {
	roomID, seatID := "", ""
	if l.opens {
		roomID = a.openRoom(roomKey(ag), l.plot)
	} else if l.room != nil {
		roomID = l.room.RoomID
	}
	if desk := a.freeDesk(roomID); desk != nil {
		seatID = desk.NavAnchors[0].ID
	}
	a.move(ag, roomID, seatID)
	a.addDesks(roomID)
}

// move assigns a guest to another room and desk.
func (a *act) move(ag *world.Agent, roomID, seatID string) {
	p := ag.AgentProfile
	p.RoomID, p.SeatID = roomID, seatID
	where := "the house"
	if room := a.w.Room(roomID); room != nil {
		where = room.Label
	}
	a.emit(&contracts.Event{Name: contracts.EventAgentJoined, Agents: []contracts.AgentProfile{p}, Meta: &contracts.Meta{Title: p.Name + " works in " + where}})
}

// freePlot returns the plot for a new room: the last plot used for the same key, if it is free;
// otherwise the first free plot of the innermost ring that has one, preferring plots that were
// never used. ok is false if the campus is full.
func (a *act) freePlot(key string) (plot contracts.Plot, ok bool) {
	if len(a.w.Rooms()) >= contracts.LimitRooms {
		return plot, false
	}
	past := a.w.PastRooms()
	used := map[contracts.Plot]bool{}
	for _, p := range past {
		if p.Key == key && a.w.HasPlot(p.Plot) {
			return p.Plot, true
		}
		used[p.Plot] = true
	}
	for _, r := range a.w.Rooms() {
		used[r.Plot] = true
	}
	isPast := func(p contracts.Plot) bool {
		return slices.ContainsFunc(past, func(r world.PastRoom) bool { return r.Plot == p })
	}
	plots := a.w.Plots()
	for first := 0; first < len(plots); {
		end := first
		for end < len(plots) && plotRing(plots[end]) == plotRing(plots[first]) {
			end++
		}
		if i := slices.IndexFunc(plots[first:end], func(p contracts.Plot) bool { return !used[p] }); i >= 0 {
			return plots[first+i], true
		}
		if i := slices.IndexFunc(plots[first:end], isPast); i >= 0 {
			return plots[first+i], true
		}
		first = end
	}
	return plot, false
}

// plotRing returns the ring of a plot. The innermost ring surrounds the garden and includes the
// house.
func plotRing(p contracts.Plot) int {
	return max(p[0], p[1], contracts.GardenPlot[0]+1)
}

// openRoom opens a studio and returns its id. An annex, which is a further room for the same key,
// has the accent of the first one. If a studio with another key has the same name, the sign also
// names the parent folder.
func (a *act) openRoom(key string, plot contracts.Plot) string {
	taken, accent := []string{contracts.HouseAccent}, ""
	var own, others []string // labels
	for _, r := range a.w.Rooms() {
		taken = append(taken, r.Accent)
		if r.Key == key {
			accent, own = r.Accent, append(own, r.Label)
		} else {
			others = append(others, r.Label)
		}
	}
	elements, n := 1, 1
	if slices.Contains(others, contracts.RoomLabel(key, elements, n)) {
		elements = 2
	}
	for slices.Contains(own, contracts.RoomLabel(key, elements, n)) {
		n++
	}
	if accent == "" {
		accent = contracts.AccentFor(key, taken)
	}
	room := contracts.Room{RoomID: contracts.RoomID(a.w.RoomsMade() + 1), Key: key, Label: contracts.RoomLabel(key, elements, n),
		Module: contracts.ModuleStudio, Plot: plot, Accent: accent, Desks: 1}
	a.emit(&contracts.Event{Name: contracts.EventRoomOpened, Room: &room, Meta: &contracts.Meta{Title: "A studio opened", Summary: room.Label}})
	return room.RoomID
}

// addDesks extends a room with the desk modules that contain its guests' desks.
func (a *act) addDesks(roomID string) {
	room := a.w.Room(roomID)
	if room == nil {
		return
	}
	more := room.Room
	for i, desk := range a.w.Scene().POIsIn(roomID, contracts.POIDevDesk) {
		if a.deskOwner(desk.NavAnchors[0].ID) != nil {
			more.Desks = max(more.Desks, i/contracts.DeskSeats+1)
		}
	}
	if more.Desks > room.Desks {
		a.emit(&contracts.Event{Name: contracts.EventRoomChanged, Room: &more})
	}
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

// closesAt returns when a room closes; ok is false while the room is in use. A room closes
// immediately if studios are turned off or if its plot is not on the campus.
func (a *act) closesAt(r *world.Room) (at int64, ok bool) {
	if !a.cfg.Studios || !a.w.HasPlot(r.Plot) {
		return 0, true
	}
	return r.EmptySince + contracts.StudioIdle.Milliseconds(), r.EmptySince != 0
}

// closeRoom closes a room. Agents that are still in the room, or in the garden that disappears with
// the last room, re-enter through the door of the house; offline agents stay at the door.
func (a *act) closeRoom(r *world.Room) {
	var inside []*world.Agent
	for _, ag := range a.w.Agents() {
		if ag.RoomID == r.RoomID {
			inside = append(inside, ag)
		}
	}
	a.emit(&contracts.Event{Name: contracts.EventRoomClosed, RoomID: r.RoomID, Meta: &contracts.Meta{Title: "A studio closed", Summary: r.Label}})
	for _, ag := range a.w.Agents() { // the garden is removed with the last room
		if _, _, ok := a.w.Scene().Anchor(ag.Goal.Goal.AnchorID); !ok && ag.Goal.Goal.AnchorID != "" && !slices.Contains(inside, ag) {
			inside = append(inside, ag)
		}
	}
	for _, ag := range inside {
		if ag.Goal.State != contracts.StateOffline {
			a.enter(ag)
			continue
		}
		at := a.standNear(ag, a.w.Scene().Manifest().Spawns.Player)
		a.goal(ag, at, intent{kind: contracts.GoalIdle, state: contracts.StateOffline, why: ag.Goal.Why}, []contracts.Vec3{at.pos})
	}
}
