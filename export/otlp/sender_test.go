package otlp

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// The target of a redirect receives neither the spans nor the key.
func TestNoRedirects(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the key %q was sent elsewhere", r.Header.Get("X-Api-Key"))
	}))
	defer elsewhere.Close()
	here := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusTemporaryRedirect))
	defer here.Close()
	r := newRig(t)
	cfg := Config{Ledger: r.store, URL: here.URL, Header: http.Header{"X-Api-Key": {"k"}}}.withDefaults()
	defer cfg.Client.CloseIdleConnections()
	s := newSender(cfg)
	if err := s.try(t.Context(), []jsontext.Value{jsontext.Value("{}")}); err == nil {
		t.Error("a redirect counts as accepted")
	}
}
