package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/ledgertest"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
)

func TestContractOnDisk(t *testing.T) {
	ledgertest.Run(t, func(t *testing.T) ledgertest.Opener {
		path := filepath.Join(t.TempDir(), "data", "ledger.db")
		return func(ctx context.Context) (ledger.Ledger, error) {
			return sqlite.Open(ctx, sqlite.Config{Path: path})
		}
	})
}

func TestContractInMemory(t *testing.T) {
	ledgertest.Run(t, func(t *testing.T) ledgertest.Opener {
		return func(ctx context.Context) (ledger.Ledger, error) {
			return sqlite.Open(ctx, sqlite.Config{})
		}
	})
}
