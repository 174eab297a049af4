//go:build unix

package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// newGeminiModel returns the URL of a Gemini endpoint whose model runs commands with the named tool.
func newGeminiModel(t *testing.T, tool string, list commands) string {
	t.Helper()
	return newModelServer(t, func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Contents []struct {
				Role  string `json:"role"`
				Parts []struct {
					Text     string  `json:"text"`
					Response message `json:"functionResponse"`
				} `json:"parts"`
			} `json:"contents"`
		}
		if err := json.UnmarshalRead(r.Body, &q); err != nil {
			fmt.Fprint(w, "{}")
			return
		}
		asked, answered := "", false
		for _, c := range q.Contents {
			for _, p := range c.Parts {
				switch {
				case p.Response != nil:
					answered = true
				case c.Role == "user":
					asked, answered = p.Text, false
				}
			}
		}
		stream := strings.Contains(r.URL.Path, ":streamGenerateContent")
		send := func(part message, finish any) {
			text := jsonText(message{"candidates": []any{message{"index": 0, "content": message{"role": "model", "parts": []any{part}}, "finishReason": finish}},
				"modelVersion": "stub-model", "usageMetadata": message{"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120}})
			if stream {
				text = "data: " + text + "\r\n\r\n"
			}
			fmt.Fprint(w, text)
			w.(http.Flusher).Flush()
		}
		if stream {
			w.Header().Set("Content-Type", "text/event-stream")
		}
		command, call := list[asked]
		switch {
		case strings.Contains(asked, "SLOW") && stream:
			for r.Context().Err() == nil {
				send(message{"text": "word "}, nil)
				time.Sleep(100 * time.Millisecond)
			}
		case call && !answered && stream:
			send(message{"functionCall": message{"name": tool, "args": toolInput(command)}}, "STOP")
		default:
			send(message{"text": "All done."}, "STOP")
		}
	})
}
