// Package drivetest provides fakes of the models behind agents: small servers that implement a
// vendor's protocol with scripted answers. Everything around them in a test is real.
package drivetest

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Block is a part of a model's answer: text, thinking or a tool call.
type Block struct {
	Text     string
	Thinking string
	Tool     string
	Input    any
	Until    <-chan struct{} // the block is held back until this channel is closed
}

// Messages is a fake implementation of the Messages API that Claude Code calls. Script returns the
// answer to the newest prompt; step counts the rounds of tool results since that prompt.
type Messages struct {
	Script func(prompt string, step int) []Block
	Pause  time.Duration // pause between chunks of text

	mu    sync.Mutex
	calls int
}

// Calls returns the number of answers sent so far.
func (m *Messages) Calls() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.calls
}

type messagesRequest struct {
	Model    string `json:"model"`
	Stream   bool   `json:"stream"`
	Messages []struct {
		Role    string         `json:"role"`
		Content jsontext.Value `json:"content"`
	} `json:"messages"`
}

// newest returns the last prompt that is not a tool result, and the number of rounds of tool
// results since then.
func (r *messagesRequest) newest() (prompt string, step int) {
	for _, m := range r.Messages {
		if m.Role != "user" {
			continue
		}
		var text string
		if json.Unmarshal(m.Content, &text) == nil {
			prompt, step = text, 0
			continue
		}
		var parts []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}
		_ = json.Unmarshal(m.Content, &parts)
		results, said := false, []string{}
		for _, p := range parts {
			results = results || p.Type == "tool_result"
			if p.Type == "text" && !strings.HasPrefix(p.Text, "<system-reminder") && !strings.HasPrefix(p.Text, "[Request interrupted") {
				said = append(said, p.Text)
			}
		}
		switch {
		case len(said) > 0: // a prompt may come with the tool results of a stopped turn
			prompt, step = strings.Join(said, "\n"), 0
		case results:
			step++
		}
	}
	return prompt, step
}

func (m *Messages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var req messagesRequest
	if r.Method != http.MethodPost || !strings.HasPrefix(r.URL.Path, "/v1/messages") || json.UnmarshalRead(r.Body, &req) != nil {
		_, _ = w.Write([]byte(`{}`))
		return
	}
	if strings.HasSuffix(r.URL.Path, "/count_tokens") {
		_, _ = w.Write([]byte(`{"input_tokens":10}`))
		return
	}
	m.mu.Lock()
	m.calls++
	n := m.calls
	m.mu.Unlock()
	blocks := m.Script(req.newest())
	out := &messageStream{w: w, pause: m.Pause, n: n, model: req.Model}
	if !req.Stream {
		out.whole(blocks)
		return
	}
	out.send(blocks)
}

// messageStream writes one answer.
type messageStream struct {
	w     http.ResponseWriter
	pause time.Duration
	n     int
	model string
}

func (s *messageStream) content(i int, b Block) map[string]any {
	switch {
	case b.Tool != "":
		return map[string]any{"type": "tool_use", "id": fmt.Sprintf("toolu_%04d_%d", s.n, i), "name": b.Tool, "input": b.Input}
	case b.Thinking != "":
		return map[string]any{"type": "thinking", "thinking": b.Thinking, "signature": "c2ln"}
	}
	return map[string]any{"type": "text", "text": b.Text}
}

func (s *messageStream) message(content []any) map[string]any {
	return map[string]any{
		"id": fmt.Sprintf("msg_%04d", s.n), "type": "message", "role": "assistant", "model": s.model, "content": content, "stop_reason": nil, "stop_sequence": nil,
		"usage": map[string]any{"input_tokens": 100, "cache_creation_input_tokens": 7, "cache_read_input_tokens": 50, "output_tokens": 1},
	}
}

func stopReason(blocks []Block) string {
	for _, b := range blocks {
		if b.Tool != "" {
			return "tool_use"
		}
	}
	return "end_turn"
}

func (s *messageStream) whole(blocks []Block) {
	var content []any
	for i, b := range blocks {
		content = append(content, s.content(i, b))
	}
	m := s.message(content)
	m["stop_reason"] = stopReason(blocks)
	s.w.Header().Set("Content-Type", "application/json")
	_ = json.MarshalWrite(s.w, m)
}

func (s *messageStream) event(kind string, body map[string]any) {
	body["type"] = kind
	data, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	fmt.Fprintf(s.w, "event: %s\ndata: %s\n\n", kind, data)
	_ = http.NewResponseController(s.w).Flush()
}

func (s *messageStream) send(blocks []Block) {
	s.w.Header().Set("Content-Type", "text/event-stream")
	s.event("message_start", map[string]any{"message": s.message([]any{})})
	for i, b := range blocks {
		s.block(i, b)
	}
	s.event("message_delta", map[string]any{"delta": map[string]any{"stop_reason": stopReason(blocks), "stop_sequence": nil}, "usage": map[string]any{"output_tokens": 42}})
	s.event("message_stop", map[string]any{})
}

func (s *messageStream) block(i int, b Block) {
	if b.Until != nil {
		<-b.Until
	}
	start := s.content(i, b)
	delta := func(d map[string]any) { s.event("content_block_delta", map[string]any{"index": i, "delta": d}) }
	switch {
	case b.Tool != "":
		start["input"] = map[string]any{}
	case b.Thinking != "":
		start["thinking"], start["signature"] = "", ""
	default:
		start["text"] = ""
	}
	s.event("content_block_start", map[string]any{"index": i, "content_block": start})
	switch {
	case b.Tool != "":
		input, _ := json.Marshal(b.Input)
		delta(map[string]any{"type": "input_json_delta", "partial_json": string(input)})
	case b.Thinking != "":
		delta(map[string]any{"type": "thinking_delta", "thinking": b.Thinking})
		delta(map[string]any{"type": "signature_delta", "signature": "c2ln"})
	default:
		for _, word := range strings.SplitAfter(b.Text, " ") {
			delta(map[string]any{"type": "text_delta", "text": word})
			time.Sleep(s.pause)
		}
	}
	s.event("content_block_stop", map[string]any{"index": i})
}
