package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	office "github.com/bullpen-office/bullpen/client"
	"github.com/bullpen-office/bullpen/server"
)

// A proxy's error page is an error, even if its JSON looks like an empty response. Only a 503 from
// an office that is not ready counts as a response.
func TestProxyErrorIsNotAResponse(t *testing.T) {
	status := http.StatusBadGateway
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, `{"error":"bad gateway"}`)
	}))
	defer proxy.Close()
	c := dial(office.Config{URL: proxy.URL})
	for _, status = range []int{http.StatusBadGateway, http.StatusServiceUnavailable} {
		var out struct{ Agents []string }
		if c.get(t.Context(), "/v1/agents", &out) == nil || c.send(t.Context(), http.MethodPost, "/v1/redact", out, &out) == nil || c.post(t.Context(), "/v1/events", typeJSON, "{}", "", &out) == nil {
			t.Errorf("HTTP %d was taken for a response", status)
		}
	}
	var ready server.Readiness
	if err := c.get(t.Context(), readyPath, &ready); err != nil {
		t.Error(err)
	}
}
