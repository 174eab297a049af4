package gate

import (
	"context"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// notifyEnded calls OnEnded for a credential that is no longer valid.
func (g *Gate) notifyEnded(id string) {
	if g.cfg.OnEnded != nil {
		g.cfg.OnEnded(id)
	}
}

func (g *Gate) notifyRevoked(id, says string) {
	g.cfg.Log.Info("a token is no longer valid", "principal", id, "reason", says)
	g.notifyEnded(id)
	if g.cfg.OnRevoked != nil {
		g.cfg.OnRevoked(id, says)
	}
}

// Watch reports revoked and expired credentials until ctx is done. It is needed for sockets that
// are already open; every new request is checked anyway.
func (g *Gate) Watch(ctx context.Context) {
	tick := time.NewTicker(contracts.RevokeCheck)
	defer tick.Stop()
	owner := g.owner.current()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := g.tokens.Refresh(); err != nil {
			g.cfg.Log.Error("tokens cannot be read; all tokens are rejected", "error", err)
		}
		before := owner
		switch owner = g.owner.current(); {
		case owner == before:
		case before == "": // the first token that this loop sees may already be a replacement
			g.notifyEnded(OwnerID)
		case owner == "":
			g.notifyRevoked(OwnerID, "The owner token was revoked")
		default:
			g.notifyRevoked(OwnerID, "The owner token was replaced")
		}
		g.tokens.expire(g.cfg.Now())
	}
}
