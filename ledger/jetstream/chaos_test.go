//go:build chaos

package jetstream_test

import (
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/ledger/jetstream/natstest"
	"github.com/bullpen-office/bullpen/ledger/ledgertest"
)

// The contract holds while the leaders of all streams move from server to server.
func TestContractWhileLeadersChange(t *testing.T) {
	c := natstest.Start(t, 3)
	c.MoveLeaders(300 * time.Millisecond)
	ledgertest.Run(t, func(t *testing.T) ledgertest.Opener { return opener(t, c) })
}
