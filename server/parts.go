package server

import (
	"context"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/repo/repofile"
	"github.com/bullpen-office/bullpen/view"
)

// officeParts implements the interfaces through which other packages use the office.
type officeParts struct {
	officeAPI      // Record
	*view.View     // Await, Orders
	store          // PutBlob
	streams        // PublishStream
	*intake.Roster // Admit, AddEvidence
	repos          *repofile.Reader
}

// Tell forwards facts and adds the rules of local agents' repositories to permission requests.
func (p officeParts) Tell(ctx context.Context, facts ...contracts.Fact) []contracts.Reply {
	return p.officeAPI.Tell(ctx, p.repos.Tighten(facts)...)
}

func parts(s *Server) officeParts {
	return officeParts{s.office, s.view, s.ledger, s.streams(), s.roster, new(repofile.Reader)}
}

// watcherOffice implements the office interface that watchers use.
type watcherOffice struct{ officeParts }

// SourceState returns the open turns, calls and questions of a source.
func (w watcherOffice) SourceState(_ context.Context, source string) (out agents.SourceState, _ error) {
	out.Begun = w.View.Opened(source)
	out.Agents, out.Decisions = w.View.AgentsOf(source)
	return out, nil
}

// Orders calls fn with each order for a source's agents.
func (w watcherOffice) Orders(ctx context.Context, source string, fn func(contracts.HUD) error) error {
	return w.View.Orders(ctx, source, func(rec contracts.Record) error {
		order, ok, err := rec.Order()
		if err != nil || !ok {
			return err // a message; watchers do not deliver messages
		}
		return fn(*order)
	})
}
