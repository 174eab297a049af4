package server

import (
	"io"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/ledger"
)

// Only operators can export the whole ledger.
func TestOnlyOperatorsExportTheLedger(t *testing.T) {
	cfg := Config{DataDir: t.TempDir(), RequireToken: true}
	r := startRig(t, cfg)
	owner := cfg.ownerToken(t)
	store, err := gate.OpenTokens(cfg.DataDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, role := range []contracts.AccessRole{contracts.AccessViewer, contracts.AccessAgent} {
		_, secret, err := store.Create(gate.Token{Role: role})
		if err != nil {
			t.Fatal(err)
		}
		if status, body, _ := r.get("/v1/export", secret); status != 403 || strings.Contains(body, ledger.ArchiveFormat) {
			t.Errorf("%s: %d", role, status)
		}
	}
	for query, field := range map[string]string{"?after=x": "after", "?after=-1": "after", "?kinds=event,nonsense": "kinds"} {
		if status, body, _ := r.get("/v1/export"+query, owner); status != 400 || !strings.Contains(body, field) {
			t.Errorf("%s: %d %s", query, status, body)
		}
	}
	status, body, header := r.get("/v1/export", owner)
	if status != 200 || header.Get("Content-Type") != "application/x-ndjson" {
		t.Fatalf("%d %v", status, header)
	}
	a, err := ledger.ReadArchive(strings.NewReader(body))
	for err == nil {
		_, err = a.Next()
	}
	if err != io.EOF || a.Header.LedgerID != r.ledger.ID() || a.End.Records == 0 {
		t.Errorf("%+v %v", a, err)
	}
	if _, body, _ := r.get("/v1/export?kinds=event&after=1&content=0", owner); strings.Contains(body, `"kind":"agent_goal"`) || !strings.Contains(body, `"after":1`) {
		t.Error("the filters are not applied")
	}
}
