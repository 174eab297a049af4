package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	office "github.com/bullpen-office/bullpen/client"
	"github.com/bullpen-office/bullpen/trust"
)

// The owner token is never sent to a server with another certificate or to an address given with
// --url.
func TestOwnerTokenGoesOnlyToItsServer(t *testing.T) {
	var sent []string
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent = append(sent, r.Header.Get("Authorization"))
		_, _ = w.Write([]byte(`{}`))
	}))
	defer srv.Close()
	own := trust.Hash(srv.Certificate().Raw)
	for hash, trusted := range map[string]bool{own: true, strings.Repeat("0", 64): false} {
		c := dial(office.Config{URL: srv.URL, Token: "secret", Pin: hash})
		var out map[string]any
		if err := c.get(t.Context(), "/", &out); (err == nil) != trusted {
			t.Errorf("trusted=%v: %v", trusted, err)
		}
		c.office.Close()
	}
	if len(sent) != 1 {
		t.Errorf("the token was sent %d times", len(sent))
	}
	typed, err := newClient(newSettings(), srv.URL)
	if err != nil || typed.cfg.Token != "" {
		t.Errorf("an address given by hand gets a token: %v", err)
	}
}
