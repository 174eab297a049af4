package server

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/bullpen-office/bullpen/contracts"
)

// TestUpkeepRemovesOldActivity: activity goes by age, the office's history stays.
func TestUpkeepRemovesOldActivity(t *testing.T) {
	r := startRig(t, Config{Upkeep: time.Millisecond, KeepActivity: time.Nanosecond})
	before, err := r.ledger.Stats(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	seen := contracts.HUDSeen{HUD: contracts.HUD{UUID: uuid.NewString(), Event: contracts.HUDTurnStart, CorrelationID: "c1", AgentID: contracts.AgentBD}}
	if err := r.office.Record(t.Context(), seen); err != nil {
		t.Fatal(err)
	}
	after := before
	r.untilTrue("old activity is removed", func() bool {
		if after, err = r.ledger.Stats(t.Context()); err != nil {
			t.Fatal(err)
		}
		return after.ByKind[contracts.KindHUD] == 0 && r.ledger.Floor() > 0
	})
	if after.ByKind[contracts.KindEvent] < before.ByKind[contracts.KindEvent] {
		t.Errorf("before %v, after %v", before.ByKind, after.ByKind)
	}
}
