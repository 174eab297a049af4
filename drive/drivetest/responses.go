package drivetest

import (
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Responses is a fake of the Responses API that Codex calls. Script returns the answer to the newest
// prompt; step counts the tool results since that prompt. A tool in a namespace is named
// NAMESPACE.NAME.
type Responses struct {
	Script func(prompt string, step int) []Block

	mu    sync.Mutex
	calls int
}

type responsesRequest struct {
	Model string `json:"model"`
	Input []struct {
		Type    string         `json:"type"`
		Role    string         `json:"role"`
		Content jsontext.Value `json:"content"`
	} `json:"input"`
}

// newest returns the last prompt and the number of tool results since then.
func (r *responsesRequest) newest() (prompt string, step int) {
	for _, in := range r.Input {
		switch {
		case strings.HasSuffix(in.Type, "_output"):
			step++
		case in.Role == "user":
			var blocks []struct {
				Text string `json:"text"`
			}
			if json.Unmarshal(in.Content, &blocks) == nil && len(blocks) > 0 && !strings.HasPrefix(blocks[0].Text, "<") {
				prompt, step = blocks[len(blocks)-1].Text, 0
			}
		}
	}
	return prompt, step
}

func (m *Responses) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var req responsesRequest
	if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/responses") || json.UnmarshalRead(r.Body, &req) != nil {
		_, _ = w.Write([]byte(`{}`))
		return
	}
	m.mu.Lock()
	m.calls++
	s := &responseStream{w: w, n: m.calls, model: req.Model}
	m.mu.Unlock()
	s.send(r, m.Script(req.newest()))
}

// responseStream writes one answer.
type responseStream struct {
	w     http.ResponseWriter
	n     int
	model string
	seq   int
}

func (s *responseStream) event(kind string, body map[string]any) {
	body["type"], body["sequence_number"] = kind, s.seq
	s.seq++
	data, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(s.w, "event: %s\ndata: %s\n\n", kind, data)
	_ = http.NewResponseController(s.w).Flush()
}

// send writes the blocks. It stops waiting for a block if the caller disconnects.
func (s *responseStream) send(r *http.Request, blocks []Block) {
	s.w.Header().Set("Content-Type", "text/event-stream")
	response := map[string]any{"id": fmt.Sprintf("resp_%d", s.n), "object": "response", "model": s.model, "status": "in_progress", "output": []any{}}
	s.event("response.created", map[string]any{"response": response})
	var output []any
	for i, b := range blocks {
		if b.Until != nil {
			select {
			case <-b.Until:
			case <-r.Context().Done():
				return
			}
		}
		item := s.item(i, b)
		s.event("response.output_item.added", map[string]any{"output_index": i, "item": item})
		if b.Text != "" {
			s.event("response.output_text.delta", map[string]any{"item_id": item["id"], "output_index": i, "content_index": 0, "delta": b.Text})
		}
		s.event("response.output_item.done", map[string]any{"output_index": i, "item": item})
		output = append(output, item)
	}
	response["status"], response["output"] = "completed", output
	response["usage"] = map[string]any{"input_tokens": 150, "input_tokens_details": map[string]any{"cached_tokens": 50}, "output_tokens": 20, "output_tokens_details": map[string]any{"reasoning_tokens": 0}, "total_tokens": 170}
	s.event("response.completed", map[string]any{"response": response})
}

func (s *responseStream) item(i int, b Block) map[string]any {
	id := fmt.Sprintf("%d_%d", s.n, i)
	if b.Tool != "" {
		input, _ := json.Marshal(b.Input)
		call := map[string]any{"type": "function_call", "id": "fc_" + id, "call_id": "call_" + id, "name": b.Tool, "arguments": string(input), "status": "completed"}
		if namespace, name, ok := strings.Cut(b.Tool, "."); ok {
			call["namespace"], call["name"] = namespace, name
		}
		return call
	}
	return map[string]any{"type": "message", "id": "msg_" + id, "role": "assistant", "status": "completed", "content": []any{map[string]any{"type": "output_text", "text": b.Text, "annotations": []any{}}}}
}
