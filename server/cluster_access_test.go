package server

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/ledger/jetstream/natstest"
)

// sharedStore returns the token store of an office, as the command line opens it.
func sharedStore(t *testing.T, r *rig) *gate.TokenStore {
	t.Helper()
	store, err := gate.OpenTokenDocument(r.vault)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// A token works on every node. After it is revoked, every node refuses it and closes the sockets
// that were opened with it, and the revocation is recorded once.
func TestTokensWorkOnAllNodes(t *testing.T) {
	c := natstest.Start(t, 1)
	a, _ := startNode(t, c, "a")
	b, _ := startNode(t, c, "b")
	nodes := []*rig{a, b}
	store := sharedStore(t, a)
	for role, want := range map[contracts.AccessRole]int{
		contracts.AccessOperator: http.StatusOK, contracts.AccessAgent: http.StatusForbidden, contracts.AccessOutpost: http.StatusForbidden,
	} {
		_, secret, err := store.Create(gate.Token{Role: role, Name: "laptop", Created: time.Now()})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range nodes {
			if status, body, _ := r.get("/v1/state", secret); status != want {
				t.Errorf("%s on %s: %d %s", role, r.cfg.node(), status, body)
			}
		}
	}
	token, secret, err := store.Create(gate.Token{Role: contracts.AccessViewer, Created: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	viewers := []*viewer{a.dial(secret), b.dial(secret)}
	if err := sharedStore(t, b).Revoke(token.ID); err != nil {
		t.Fatal(err)
	}
	for i, v := range viewers {
		code := contracts.CloseCode(0)
		for code == 0 {
			_, code = v.read()
		}
		if code != contracts.CloseRevoked {
			t.Errorf("closed with %d", code)
		}
		if status, _, _ := nodes[i].get("/v1/state", secret); status != http.StatusUnauthorized {
			t.Errorf("%s accepts a revoked token: %d", nodes[i].cfg.node(), status)
		}
		nodes[i].revoked(token.ID, "The token was revoked") // returns after some node has recorded the revocation
	}
	if got := a.revocations(token.ID); got != 1 {
		t.Errorf("the revocation was recorded %d times", got)
	}
}

// revocations counts the records of the revocation of the token with this id.
func (r *rig) revocations(id string) (n int) {
	r.t.Helper()
	recs, err := r.ledger.Read(r.t.Context(), 0, 1000, contracts.KindEvent)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, rec := range recs {
		if text := string(rec.Body); strings.Contains(text, contracts.AuditRevocation) && strings.Contains(text, `"`+id+`"`) {
			n++
		}
	}
	return n
}

// A one-time link works on any node, but only once; the browser session that it starts works on all
// nodes.
func TestLinksAndSessionsWorkOnAllNodes(t *testing.T) {
	c := natstest.Start(t, 1)
	a, _ := startNode(t, c, "a")
	b, _ := startNode(t, c, "b")
	_, secret, err := sharedStore(t, a).Create(gate.Token{Role: contracts.AccessOperator, Created: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	newLink := func(r *rig) string {
		t.Helper()
		var link gate.LinkReply
		resp, body := r.do("POST", gate.LinkPath, secret)
		if err := json.Unmarshal([]byte(body), &link); err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%d %s", resp.StatusCode, body)
		}
		return link.Path
	}
	path := newLink(a)
	resp, body := b.do("GET", path, "")
	if resp.StatusCode != http.StatusSeeOther || len(resp.Cookies()) != 1 {
		t.Fatalf("a link of node a on node b: %d %s", resp.StatusCode, body)
	}
	for _, r := range []*rig{a, b} {
		if resp, _ := r.do("GET", path, ""); resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("a used link on %s: %d", r.cfg.node(), resp.StatusCode)
		}
		if status, body, _ := r.get("/v1/state", resp.Cookies()[0].Value); status != http.StatusOK {
			t.Errorf("the session on %s: %d %s", r.cfg.node(), status, body)
		}
	}
	path = newLink(b)
	statuses := make([]int, 2)
	var opening sync.WaitGroup
	for i, r := range []*rig{a, b} {
		opening.Go(func() { statuses[i], _, _ = r.get(path, "") })
	}
	opening.Wait()
	if statuses[0]+statuses[1] != http.StatusSeeOther+http.StatusUnauthorized {
		t.Errorf("a link that two nodes open: %v", statuses)
	}
}
