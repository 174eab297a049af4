package server

import (
	"github.com/bullpen-office/bullpen/crew"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/staff"
	"github.com/bullpen-office/bullpen/turn"
	"github.com/bullpen-office/bullpen/world"
)

// program finds who answers for an agent that nobody dialled in for: the program of a
// member of the crew in a conversation of the caller's own, everybody else of the crew as
// it answers a chat, and for other agents a program that is started.
func (s *Server) program(k turn.Key) (turn.Route, bool) {
	id, name, found := intake.AgentID(k.Agent), "", false
	route := turn.Route{AgentID: id}
	s.view.Look(func(w *world.World) {
		a := w.Agent(id)
		if a == nil {
			return
		}
		route.Number = a.Sessions
		name, found = a.Runner, !a.Guest()
	})
	if !found || s.crew == nil {
		return s.spawner(route, k.Agent)
	}
	w, ok := s.crew.Workers[name]
	if !ok {
		name = s.crew.Default
		w, ok = s.crew.Workers[name]
	}
	if !ok {
		return turn.Route{}, false
	}
	if drive.TakesOf(w.Driver).Work {
		route.Driver = w.Driver
		return route, true
	}
	return s.visitor(route, name, w)
}

// visitor lets callers talk to the program of a member of the crew. It is false for one
// that only dials in by itself: the bridge would have found it.
func (s *Server) visitor(route turn.Route, name string, w crew.Worker) (turn.Route, bool) {
	r, ok := s.cfg.Staff.Runner(name)
	if !ok || r.Kind == staff.Peer && r.Command == "" {
		return turn.Route{}, false
	}
	route.Runner, route.Driver, route.Acquire = name, w.Driver, w.Acquire
	route.Place = func(workspace string) (root, dir string, err error) {
		switch {
		case workspace != "":
			return s.cfg.confine(workspace)
		case w.Place != nil:
			dir, err = w.Place(route.AgentID)
		}
		return "", dir, err
	}
	return route, true
}
