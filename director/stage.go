package director

import (
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// stepStage moves one crew member that is asking elsewhere onto the stage of the house, if a place
// there has become free. It reports whether it moved anyone. moveGuest does the same for guests.
func (a *act) stepStage() bool {
	for _, ag := range a.w.Agents() {
		if !ag.Guest() && awaits(&ag.Goal) && a.mayGoOnStage(ag) {
			a.seekPerson(ag, ag.TaskID, ag.Goal.Why)
			return true
		}
	}
	return false
}

// awaits reports whether an agent is waiting for a person or is on its way to one.
func awaits(g *contracts.AgentGoal) bool {
	return seeks(g) || g.State == contracts.StateWaiting
}

// onStage reports whether an agent has booked a place on a stage.
func (a *act) onStage(ag *world.Agent) bool {
	_, poi, ok := a.w.Scene().Anchor(ag.Goal.Goal.AnchorID)
	return ok && poi.Type == contracts.POIStage
}

// mayGoOnStage reports whether an agent that is asking from somewhere else can move to a free place
// on the stage of its room.
func (a *act) mayGoOnStage(ag *world.Agent) bool {
	if !a.w.Asks(ag) || a.onStage(ag) {
		return false
	}
	_, ok := a.seat(ag, a.w.Scene().POIsIn(ag.RoomID, contracts.POIStage)...)
	return ok
}

// waitsSeated reports whether a guest is waiting for a person but has no question that can be
// answered in the office. With studios, the guest waits in a seat, because the stage is for agents
// that ask.
func (a *act) waitsSeated(ag *world.Agent) bool {
	return a.cfg.Studios && !a.w.Asks(ag)
}

// waitingSeat returns the seat for a guest without an open question: in the lounge of the guest's
// room if a seat is free there, otherwise the seat where the guest would ask.
func (a *act) waitingSeat(ag *world.Agent) place {
	if ag.RoomID != "" && a.host(ag) == nil {
		if seat, ok := a.chair(ag, a.w.Scene().POIsIn(ag.RoomID, contracts.POILounge)); ok {
			return seat
		}
	}
	return a.askingSeat(ag)
}
