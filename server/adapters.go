package server

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/world"
)

// openWatchers makes the watcher of every vendor that has one.
func (s *Server) openWatchers() error {
	home, _ := os.UserHomeDir() // without one, paths are shown whole
	s.watchers = map[string]agents.Watcher{}
	for _, a := range s.cfg.Adapters {
		if a.Watch == nil {
			continue
		}
		source := a.Source.Source
		w, err := a.Watch(agents.Watching{
			Office: watched{turns{s}}, Roster: s.roster, Options: s.cfg.Options[source], DataDir: s.cfg.DataDir, Durable: s.cfg.ledgerPath() != "", Home: home, Version: s.cfg.Version,
			Ours: s.conversations.Ours, Principal: gate.PrincipalFrom, KeepThinking: s.cfg.KeepThinking, Price: s.cfg.Staff.Estimate,
			Now: s.cfg.Now, Log: s.cfg.Log, Metrics: s.metrics,
		})
		if err != nil {
			return fmt.Errorf("watch %s: %w", a.Label, err)
		}
		s.watchers[source] = w
	}
	return nil
}

// openWatcherDoors lets agents and operators report; viewers may not.
func (s *Server) openWatcherDoors(mux *http.ServeMux) {
	for _, w := range s.watchers {
		for pattern, h := range w.Doors() {
			mux.HandleFunc(pattern, gate.Needs(h, contracts.AccessOperator, contracts.AccessAgent))
		}
	}
}

// links are the connections that watchers keep, in the order of the adapters.
func (s *Server) links() (list []agents.Link) {
	for _, a := range s.cfg.Adapters {
		if w := s.watchers[a.Source.Source]; w != nil {
			list = append(list, w.Links()...)
		}
	}
	return list
}

// watched is the office as watchers see it.
type watched struct{ turns }

// Open is what the office has of a source.
func (s watched) Open(_ context.Context, source string) (out agents.Open, _ error) {
	out.Begun = s.watched(source)
	state := s.state()
	for _, a := range state.Agents {
		if a.Source == source {
			out.Agents = append(out.Agents, a)
		}
	}
	for _, d := range state.Decisions {
		if d.Status == contracts.DecisionOpen && slices.ContainsFunc(out.Agents, func(a contracts.Agent) bool { return a.AgentID == d.AskedBy }) {
			out.Decisions = append(out.Decisions, d)
		}
	}
	return out, nil
}

// Orders passes on the orders for agents of a source. An agent that the view does not
// have yet may be of any source: watchers know their own.
func (s watched) Orders(ctx context.Context, source string, fn func(contracts.HUD) error) error {
	return s.ledger.Follow(ctx, s.ledger.Head(), func(recs []contracts.Record) error {
		return agents.Orders(recs, func(h contracts.HUD) error {
			if p, ok := s.profile(h.AgentID); ok && p.Source != source {
				return nil
			}
			return fn(h)
		})
	})
}

// watched is what this office sees of a source that has begun and not ended.
func (s *Server) watched(source string) (open []contracts.Opened) {
	s.view.Look(func(w *world.World) { open = w.Open(contracts.WatchID(source, node)) })
	return open
}
