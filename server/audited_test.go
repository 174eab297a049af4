package server

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
)

// Logins, exports and revocations are records that everybody sees in Events, with
// who did it and no secret.
func TestAuditRecords(t *testing.T) {
	r := startRig(t, Config{})
	link := r.Server.Link()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Get("http://" + r.addr + link)
	if err != nil || res.StatusCode != http.StatusSeeOther {
		t.Fatalf("%v, %v", res, err)
	}
	res.Body.Close()
	if res, err = client.Get("http://" + r.addr + "/v1/export"); err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", res, err)
	}
	res.Body.Close()
	_, giveBack := r.gate.Lend("agent_dev_1")
	giveBack() // a program that ends is not a revocation
	r.revoked("tok_gone")
	var kinds []string
	recs, err := r.ledger.Read(t.Context(), 0, 1000, contracts.KindEvent)
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range recs {
		body, err := rec.Decode()
		if err != nil {
			t.Fatal(err)
		}
		e := body.(*contracts.Event)
		if e.Name != contracts.EventAudited {
			continue
		}
		kinds = append(kinds, e.Kind)
		if e.By == "" || e.Meta == nil || e.Meta.Title == "" || strings.Contains(string(rec.Body), link[len(gate.OpenPath+"?code="):]) {
			t.Errorf("%s", rec.Body)
		}
	}
	if !slices.Equal(kinds, []string{contracts.AuditLogin, contracts.AuditExport, contracts.AuditRevocation}) {
		t.Errorf("audited %v", kinds)
	}
}
