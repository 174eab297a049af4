//go:build unix

package e2e_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/server"
)

// B1: an office answers every bad request with the right status, in OpenAI's format, and a crew
// member still answers the next request.
func TestOpenAIBadRequests(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	d := startOpenAI(t, server.Config{Workspaces: []string{root}})
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	post := func(body string, header ...string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.url()+"/chat/completions", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i+1 < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(b)
	}
	good := `{"model":"bullpen/agent_bd","messages":[{"role":"user","content":"What is going on?"}]}`
	owner(t, d.data) // wait until the office is ready
	for _, c := range []struct {
		name, body string
		header     []string
		status     int
		code       string
	}{
		{"no JSON", `What is going on?`, nil, 400, "invalid_value"},
		{"cut off", good[:40], nil, 400, "invalid_value"},
		{"no messages", `{"model":"bullpen/agent_bd","messages":[]}`, nil, 400, "invalid_value"},
		{"ten megabytes", `{"messages":[{"role":"user","content":"` + strings.Repeat("x", 10<<20) + `"}]}`, nil, 413, ""},
		{"unknown model", strings.Replace(good, "agent_bd", "gpt-4o", 1), nil, 404, "model_not_found"},
		{"wrong token", good, []string{"Authorization", "Bearer bullpen_wrong"}, 401, "invalid_api_key"},
		{"workspace outside of the roots", good, []string{"X-Openclaw-Workspace", "/etc"}, 400, "invalid_value"},
		{"workspace outside the roots", good, []string{"X-Openclaw-Workspace", root + "/../"}, 400, "invalid_value"},
		{"relative workspace", good, []string{"X-Openclaw-Workspace", "src"}, 400, "invalid_value"},
		{"agent not connected", good, []string{"X-Openclaw-Agent-Id", "ghost"}, 503, "agent_unavailable"},
	} {
		status, body := post(c.body, c.header...)
		if status != c.status || !strings.HasPrefix(body, `{"error":{`) || c.code != "" && !strings.Contains(body, `"code":"`+c.code+`"`) {
			t.Errorf("%s: %d %.300s", c.name, status, body)
		}
		if status, body := post(good, "X-Openclaw-Workspace", root); status != http.StatusOK || !strings.Contains(body, `"role":"assistant"`) {
			t.Fatalf("after %s: %d %.300s", c.name, status, body)
		}
	}
}
