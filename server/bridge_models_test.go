package server

import (
	"net/http"
	"strings"
	"testing"
)

// B1: clients can request a single model, and errors are in OpenAI's format.
func TestOpenAIModelLookup(t *testing.T) {
	r := startRig(t, Config{})
	for _, c := range []struct {
		method, path string
		status       int
		says         string
	}{
		{http.MethodGet, "/v1/models/bullpen%2Fagent_bd", http.StatusOK, `"id":"bullpen/agent_bd"`},
		{http.MethodGet, "/v1/models/bullpen/agent_bd", http.StatusOK, `"object":"model"`},
		{http.MethodGet, "/v1/models/agent_bd", http.StatusOK, `"id":"bullpen/agent_bd"`},
		{http.MethodGet, "/v1/models/bullpen", http.StatusOK, `"id":"bullpen"`},
		{http.MethodGet, "/v1/models/gpt-4o", http.StatusNotFound, `"code":"model_not_found"`},
		{http.MethodDelete, "/v1/models/agent_bd", http.StatusMethodNotAllowed, `"code":"method_not_allowed"`},
		{http.MethodPost, "/v1/models", http.StatusMethodNotAllowed, `use GET`},
		{http.MethodGet, "/v1/chat/completions", http.StatusMethodNotAllowed, `use POST`},
	} {
		resp, text := r.do(c.method, c.path, "")
		if resp.StatusCode != c.status || !strings.Contains(text, c.says) || c.status != http.StatusOK && !strings.HasPrefix(text, `{"error":{`) {
			t.Errorf("%s %s: %d %s", c.method, c.path, resp.StatusCode, text)
		}
	}
}
