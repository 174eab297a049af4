//go:build unix

package e2e_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// commands maps a person's prompts to the commands that a model runs.
type commands map[string]string

// newModelServer serves a model until the test ends.
func newModelServer(t *testing.T, h http.HandlerFunc) (url string) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

// newCommandModel returns the URL of an OpenAI endpoint whose model runs commands with the named tool.
func newCommandModel(t *testing.T, tool string, list commands) string {
	t.Helper()
	var calls []string
	for prompt, command := range list {
		script := jsonText("CALL " + tool + " " + jsonText(toolInput(command)) + " END")
		calls = append(calls, prompt, strings.Trim(script, `"`))
	}
	scripted := strings.NewReplacer(calls...)
	return newModelServer(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if bytes.Contains(body, []byte(`"tools":`)) { // a request without tools asks for a title
			body = []byte(scripted.Replace(string(body)))
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		serveClawModel(w, r)
	}) + "/v1"
}

func toolInput(command string) message {
	return message{"command": command, "description": "t", "is_background": false}
}
