package server

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// An unknown path of another API is refused in that API's format, whatever key the caller sends and
// even if a token is required; the office's own endpoints keep their format.
func TestUnknownPathIsRefusedInTheAPIsFormat(t *testing.T) {
	for _, cfg := range []Config{{}, {DataDir: t.TempDir(), RequireToken: true}} {
		r := startRig(t, cfg)
		for _, c := range []struct {
			method, path, key string
			status            int
			says              string
		}{
			{"POST", "/v1/embeddings", "sk-any", 404, `{"error":{`},
			{"POST", "/v1/embeddings", "", 404, `"code":"unknown_url"`},
			{"GET", "/v1/embeddings", "bullpen_wrong", 404, `"type":"invalid_request_error"`},
			{"POST", "/v1/completions", "sk-any", 404, `/v1/chat/completions`},
			{"POST", "/v1/audio/speech", "sk-any", 404, `{"error":{`},
			{"PATCH", "/v1/embeddings", "sk-any", 405, `"code":"method_not_allowed"`},
			{"POST", "/v1/link", "bullpen_wrong", 401, `{"code":`},
			{"GET", "/v1/state", "bullpen_wrong", 401, `{"code":`},
		} {
			req, err := http.NewRequestWithContext(t.Context(), c.method, "http://"+r.addr+c.path, strings.NewReader(`{}`))
			if err != nil {
				t.Fatal(err)
			}
			if c.key != "" {
				req.Header.Set("Authorization", "Bearer "+c.key)
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if resp.StatusCode != c.status || !strings.Contains(string(body), c.says) {
				t.Errorf("%s %s: %d %s", c.method, c.path, resp.StatusCode, body)
			}
		}
	}
	r := startRig(t, Config{})
	for _, path := range []string{"/v1/chat/completions", "/v1/responses", "/v1/models", "/v1/models/x"} {
		resp, body := r.do("DELETE", path, "")
		if resp.StatusCode != http.StatusMethodNotAllowed || !strings.HasPrefix(body, `{"error":{`) || resp.Header.Get("Allow") == "" {
			t.Errorf("%s: %d %s", path, resp.StatusCode, body)
		}
	}
	if resp, body := r.do("DELETE", "/v1/state", ""); resp.StatusCode != http.StatusMethodNotAllowed || !strings.HasPrefix(body, `{"code":`) {
		t.Errorf("an endpoint of the office: %d %s", resp.StatusCode, body)
	}
}
