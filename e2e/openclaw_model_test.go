//go:build unix

package e2e_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// newClawModel starts a stub of an OpenAI endpoint. The stub makes the tool call between "CALL" and
// "END" in a message, and its answer to "SLOW" never finishes.
func newClawModel(t *testing.T) (url string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(serveClawModel))
	t.Cleanup(s.Close)
	return s.URL + "/v1"
}

func serveClawModel(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Messages []message `json:"messages"`
	}
	if err := json.UnmarshalRead(r.Body, &q); err != nil {
		fmt.Fprint(w, `{"object":"list","data":[{"id":"stub","object":"model","created":1,"owned_by":"x"}]}`)
		return
	}
	asked, answered := "", false
	for _, m := range q.Messages {
		text := jsonOf(m["content"])
		switch {
		case m.str("role") == "tool":
			answered = true
		case m.str("role") == "user" && !strings.Contains(text, "BEGIN_OPENCLAW_INTERNAL_CONTEXT"):
			asked, answered = text, false
		}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	chunk := func(delta message, finish any) {
		fmt.Fprintf(w, "data: %s\n\n", jsonOf(message{"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "stub", "choices": []any{message{"index": 0, "delta": delta, "finish_reason": finish}}}))
		w.(http.Flusher).Flush()
	}
	chunk(message{"role": "assistant", "content": ""}, nil)
	chunk(message{"reasoning_content": "Let me think."}, nil)
	_, script, call := strings.Cut(asked, "CALL ")
	switch {
	case strings.Contains(asked, "SLOW"):
		for r.Context().Err() == nil {
			chunk(message{"content": "word "}, nil)
			time.Sleep(100 * time.Millisecond)
		}
		return
	case call && !answered:
		script, _, _ = strings.Cut(script, " END")
		name, args, _ := strings.Cut(strings.ReplaceAll(script, `\"`, `"`), " ")
		id := fmt.Sprintf("call_%d", time.Now().UnixNano())
		chunk(message{"tool_calls": []any{message{"index": 0, "id": id, "type": "function", "function": message{"name": name, "arguments": args}}}}, nil)
		chunk(message{}, "tool_calls")
	default:
		chunk(message{"content": "All done."}, nil)
		chunk(message{}, "stop")
	}
	fmt.Fprintf(w, "data: %s\n\ndata: [DONE]\n\n", jsonOf(message{"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "stub", "choices": []any{}, "usage": message{"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}}))
}
