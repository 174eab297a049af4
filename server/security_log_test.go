package server

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
)

// Logins, exports and revocations are recorded with the principal but without any secret, and
// everyone sees the records in Events.
func TestAuditRecords(t *testing.T) {
	cfg := Config{Crew: CrewNone, DataDir: t.TempDir()}
	r := startRig(t, cfg)
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
	_, revoke := r.gate.Issue("agent_dev_1")
	revoke() // the end of a program is not recorded as a revocation
	if status, _, _ := r.get("/v1/backup", cfg.ownerToken(t)); status != http.StatusOK {
		t.Fatalf("backup: %d", status)
	}
	r.revoked("tok_gone", "The token tok_gone was revoked")
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
	if !slices.Equal(kinds, []string{contracts.AuditLogin, contracts.AuditExport, contracts.AuditExport, contracts.AuditRevocation}) {
		t.Errorf("audited %v", kinds)
	}
}

// An answer records which principal gave it and how it was authenticated, whatever name
// the client sends.
func TestAnswersRecordTheirPrincipal(t *testing.T) {
	cfg := Config{Crew: CrewNone, DataDir: t.TempDir()}
	r := startRig(t, cfg)
	store, err := gate.OpenTokens(cfg.DataDir)
	if err != nil {
		t.Fatal(err)
	}
	desk, secret, err := store.Create(gate.Token{Role: contracts.AccessOperator, Name: "front\ndesk"})
	if err != nil {
		t.Fatal(err)
	}
	session := func(link string) string {
		t.Helper()
		resp, _ := r.do("GET", link, "")
		if len(resp.Cookies()) != 1 {
			t.Fatalf("no session: %d", resp.StatusCode)
		}
		return resp.Cookies()[0].Value
	}
	_, made := r.do("POST", gate.LinkPath, secret)
	var link gate.LinkReply
	if err := json.Unmarshal([]byte(made), &link); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ token, by, via string }{
		{"", gate.LocalID, "this machine, without a token"},
		{cfg.ownerToken(t), gate.OwnerID, "the owner token"},
		{secret, desk.ID, "token “front desk”"},
		{session(r.Server.Link()), "tok_", "a browser session of the owner"},
		{session(link.Path), "tok_", "a browser session of token “front desk”"},
	} {
		v := r.dial(c.token)
		ask := r.emit("/v1/ui/ask", "Go?")
		v.command(contracts.CmdResolveDecision, contracts.ResolveDecision{DecisionID: ask.DecisionID, Choice: "yes"})
		e := v.untilEvent(func(e contracts.Event) bool {
			return e.Name == contracts.EventDecisionResolved && e.DecisionID == ask.DecisionID
		})
		if !strings.HasPrefix(e.By, c.by) || e.Via != c.via {
			t.Errorf("by %q via %q, want %q via %q", e.By, e.Via, c.by, c.via)
		}
	}
}
