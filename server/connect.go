package server

import (
	"net/http"
	"strings"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/connect"
	"github.com/bullpen-office/bullpen/gate"
)

// connectRoutes returns the handlers for connecting agents on this machine, by pattern.
func (s *Server) connectRoutes() map[string]http.HandlerFunc {
	cfg := s.cfg.Connect
	cfg.Vendors, cfg.Office, cfg.Outposts = s.cfg.Adapters, s.connectOffice, s.outposts.Health
	return connect.NewDoor(connect.New(cfg), s.cfg.Log).Doors()
}

// connectOffice returns what a search for agents on this machine needs to know about this office.
func (s *Server) connectOffice() agents.Running {
	o := agents.Running{
		URL:  "http" + strings.TrimSuffix(strings.TrimPrefix(s.address, "ws"), gate.BridgePath),
		Crew: s.cfg.Crew, Guests: s.view.Guests(), Links: map[string][]agents.Link{},
	}
	for _, name := range s.cfg.Staff.Used() {
		if r, ok := s.cfg.Staff.Runner(name); ok {
			o.Kinds = append(o.Kinds, string(r.Kind))
		}
	}
	for source, w := range s.watchers {
		o.Links[source] = w.Links()
	}
	return o
}
