package director

import (
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// host returns the agent whose seat a sub-agent shares: the sub-agent's first ancestor without a
// parent in the office. It returns nil if the office has no studios, if the agent has no parent in
// the office, or if its ancestors form a cycle.
func (a *act) host(ag *world.Agent) *world.Agent {
	if !a.cfg.Studios || !ag.Guest() {
		return nil
	}
	host := ag
	for range a.w.Agents() {
		parent := a.w.Agent(host.ParentID)
		if parent == nil || offline(parent) || !parent.Guest() && parent.Goal.State == contracts.StateOffline {
			if host == ag {
				return nil
			}
			return host
		}
		host = parent
	}
	return nil
}

// perch returns a sub-agent's place: at the host's own desk, otherwise at the seat that the host
// has booked. If the host has no seat, a sub-agent that already perches with the host stays where
// it is; any other sub-agent goes to the host.
func (a *act) perch(ag, host *world.Agent) place {
	for _, id := range [...]string{host.SeatID, host.Goal.Goal.AnchorID} {
		if anchor, poi, ok := a.w.Scene().Anchor(id); ok && anchor.Seated {
			at := anchorPlace(poi, anchor)
			at.perchOf = host.AgentID
			return at
		}
	}
	if g := &ag.Goal; g.Goal.PerchOf == host.AgentID {
		if _, ok := a.w.Scene().POI(g.Goal.POIID); ok {
			return place{poiID: g.Goal.POIID, perchOf: host.AgentID, pos: ag.Destination(), facing: g.Facing}
		}
	}
	return place{perchOf: host.AgentID, pos: host.Destination(), facing: host.Goal.Facing}
}

// offPerch reports whether a sub-agent is away from its perch or has lost it.
func (a *act) offPerch(ag *world.Agent) bool {
	host := a.host(ag)
	if host == nil {
		return ag.Goal.Goal.PerchOf != ""
	}
	return ag.Goal.Goal.PerchOf != host.AgentID || ag.RoomID != host.RoomID || ag.SeatID != "" || ag.Destination() != a.perch(ag, host).pos
}

// lostPerch reports whether an agent is still perched at a seat although its host is gone.
func (a *act) lostPerch(ag *world.Agent) bool {
	return ag.Goal.Goal.PerchOf != "" && a.host(ag) == nil
}
