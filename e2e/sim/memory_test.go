package sim

import (
	"context"
	"testing"

	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/ledgertest"
)

func TestContract(t *testing.T) {
	ledgertest.Run(t, func(*testing.T) ledgertest.Opener {
		m := NewMemory()
		return func(context.Context) (ledger.Ledger, error) { return m.Open(), nil }
	})
}
