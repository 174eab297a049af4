package server

import (
	"context"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hub"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
	"github.com/bullpen-office/bullpen/office"
	"github.com/bullpen-office/bullpen/view"
)

// officeParts is the office as edges see it: each method of their interfaces is that of
// one part.
type officeParts struct {
	*office.Office // Record, Tell
	*view.View     // Await, Orders
	*sqlite.Ledger // PutBlob
	*hub.Hub       // PublishStream
	*intake.Roster // Admit, Witness
}

func parts(s *Server) officeParts {
	return officeParts{s.office, s.view, s.ledger, s.hub, s.roster}
}

// watched is the office as watchers see it.
type watched struct{ officeParts }

// Open is what the office has of a source.
func (w watched) Open(_ context.Context, source string) (out agents.Open, _ error) {
	out.Begun = w.View.Opened(source)
	out.Agents, out.Decisions = w.View.Of(source)
	return out, nil
}

// Orders passes on the orders for agents of a source.
func (w watched) Orders(ctx context.Context, source string, fn func(contracts.HUD) error) error {
	return w.View.Orders(ctx, source, func(rec contracts.Record) error {
		order, ok, err := rec.Order()
		if err != nil || !ok {
			return err // a message, which no watcher delivers
		}
		return fn(*order)
	})
}
