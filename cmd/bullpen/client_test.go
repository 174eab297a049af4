package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/trust"
)

// TestTokenGoesOnlyToTheOwnServer: another certificate, or an address that
// somebody typed, never sees the owner's token.
func TestTokenGoesOnlyToTheOwnServer(t *testing.T) {
	var sent []string
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent = append(sent, r.Header.Get("Authorization"))
		_, _ = w.Write([]byte(`{}`))
	}))
	defer srv.Close()
	own := trust.Hash(srv.Certificate().Raw)
	for hash, trusted := range map[string]bool{own: true, strings.Repeat("0", 64): false} {
		transport := newTransport(trust.Pinned(hash))
		c := &client{base: srv.URL, token: "secret", http: &http.Client{Transport: transport}}
		var out map[string]any
		if _, err := c.call(t.Context(), http.MethodGet, "/", &out); (err == nil) != trusted {
			t.Errorf("trusted=%v: %v", trusted, err)
		}
		transport.CloseIdleConnections()
	}
	if len(sent) != 1 {
		t.Errorf("the token was sent %d times", len(sent))
	}
	typed, err := newClient(newSettings(), srv.URL)
	if err != nil || typed.token != "" {
		t.Errorf("a typed address gets a token: %v", err)
	}
}
