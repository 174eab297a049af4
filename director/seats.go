package director

import (
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// studioWorkplace returns where a guest on a campus works: at its host's seat if it is a sub-agent,
// otherwise at its own desk. A guest without its own desk works at a free desk in the house or, if
// there is none, in any other seat.
func (a *act) studioWorkplace(ag *world.Agent) place {
	if host := a.host(ag); host != nil {
		return a.perch(ag, host)
	}
	if own, ok := a.ownDesk(ag); ok {
		return own
	}
	if desk, ok := a.chair(ag, a.desks("")); ok {
		return desk
	}
	return a.restingPlace(ag)
}

// restingPlace returns where an agent without work sits. On a campus, a guest of the house takes a
// free desk in the house before it gets one in a studio, and no guest stands while any seat is
// free.
func (a *act) restingPlace(ag *world.Agent) place {
	if !a.cfg.Studios {
		return a.seatOrStand(ag, a.homes(ag)...)
	}
	if host := a.host(ag); host != nil {
		return a.perch(ag, host)
	}
	if seat, ok := a.freeSeat(ag); ok {
		return seat
	}
	if ag.Guest() && ag.RoomID == "" {
		if desk, ok := a.chair(ag, a.desks("")); ok {
			return desk
		}
	}
	if ag.Guest() && a.giveDesk(ag) {
		if own, ok := a.ownDesk(ag); ok {
			return own
		}
	}
	return a.seatOrStand(ag, a.homes(ag)...)
}

// freeSeat returns a free seat for an agent without work: in the lounge of its room, in the garden,
// at its own desk or in the house, in that order. Crew members stay in the house.
func (a *act) freeSeat(ag *world.Agent) (place, bool) {
	if ag.Guest() {
		var lounge []*contracts.POI
		if ag.RoomID != "" {
			lounge = a.w.Scene().POIsIn(ag.RoomID, contracts.POILounge)
		}
		for _, pois := range [...][]*contracts.POI{lounge, a.w.Scene().POIsIn(contracts.GardenScene, contracts.POIGarden)} {
			if seat, ok := a.chair(ag, pois); ok {
				return seat, true
			}
		}
		if own, ok := a.ownDesk(ag); ok {
			return own, true
		}
	}
	for _, home := range a.homes(ag) {
		if seat, ok := a.chair(ag, []*contracts.POI{home}); ok {
			return seat, true
		}
	}
	return place{}, false
}

// askingSeat returns where an agent that needs a person sits while the stage is full: the seat that
// it has or is walking to, if that seat is in its room, otherwise its own desk, otherwise any seat.
func (a *act) askingSeat(ag *world.Agent) place {
	if host := a.host(ag); host != nil {
		return a.perch(ag, host)
	}
	anchor, poi, ok := a.w.Scene().Anchor(ag.Goal.Goal.AnchorID)
	sits := ok && anchor.Seated && a.free(ag, anchor)
	if sits && slices.Contains(a.w.Scene().POIsIn(ag.RoomID, poi.Type), poi) {
		return anchorPlace(poi, anchor)
	}
	if own, ok := a.ownDesk(ag); ok {
		return own
	}
	if sits {
		return anchorPlace(poi, anchor)
	}
	return a.restingPlace(ag)
}

// chair returns a free seat in the given places: the first seat where the agent faces the overview
// camera, otherwise the first of the other seats.
func (a *act) chair(ag *world.Agent, pois []*contracts.POI) (place, bool) {
	for _, face := range [...]bool{true, false} {
		for _, poi := range pois {
			for i := range poi.NavAnchors {
				anchor := &poi.NavAnchors[i]
				if anchor.Seated && a.w.Scene().ShowsFace(anchor) == face && a.free(ag, anchor) {
					return anchorPlace(poi, anchor), true
				}
			}
		}
	}
	return place{}, false
}

// ownDesk returns the seat at a guest's own desk. It returns false if the guest has no desk, or if
// the seat is not free.
func (a *act) ownDesk(ag *world.Agent) (place, bool) {
	anchor, poi, ok := a.w.Scene().Anchor(ag.SeatID)
	if !ok || !a.free(ag, anchor) {
		return place{}, false
	}
	return anchorPlace(poi, anchor), true
}

// deskOwner returns the guest whose own desk has the given anchor, or nil if there is none.
func (a *act) deskOwner(anchorID string) *world.Agent {
	for _, ag := range a.w.Agents() {
		if ag.SeatID == anchorID {
			return ag
		}
	}
	return nil
}

// freeDesk returns the desk that the next guest of a room gets, or nil if all desks have an owner.
// Desks are assigned row by row; within a row, desks where guests face the overview camera come
// first.
func (a *act) freeDesk(roomID string) *contracts.POI {
	if roomID == "" {
		return nil
	}
	desks := a.w.Scene().POIsIn(roomID, contracts.POIDevDesk)
	for row := range slices.Chunk(desks, contracts.StudioRow*contracts.DeskSeats) {
		for _, face := range [...]bool{true, false} {
			for _, desk := range row {
				if anchor := &desk.NavAnchors[0]; a.w.Scene().ShowsFace(anchor) == face && a.deskOwner(anchor.ID) == nil {
					return desk
				}
			}
		}
	}
	return nil
}

// emptiestRoom returns the room with the fewest owned desks among the rooms that have a free desk,
// or nil if there is none.
func (a *act) emptiestRoom() *world.Room {
	owned := map[string]int{}
	for _, ag := range a.w.Agents() {
		if ag.SeatID != "" {
			owned[ag.RoomID]++
		}
	}
	var best *world.Room
	for i := range a.w.Rooms() {
		if r := &a.w.Rooms()[i]; a.freeDesk(r.RoomID) != nil && (best == nil || owned[r.RoomID] < owned[best.RoomID]) {
			best = r
		}
	}
	return best
}
