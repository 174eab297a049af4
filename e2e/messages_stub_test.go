//go:build unix

package e2e_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json"
)

// block is one part of a model's reply.
type block struct {
	text  string
	tool  string
	input message
	hang  bool // start a reply, then send nothing until the client disconnects
	mute  bool // send nothing at all
}

// reply is the model's response to one request.
type reply []block

func says(text string) reply { return reply{{text: text}} }

func calls(tool string, input message) block { return block{tool: tool, input: input} }

// model is a local stub of the Messages API, the only fake in these tests. A prompt names its
// script in brackets, as in "[read] look at it", and each request of that turn receives the
// script's next reply.
type model struct {
	url     string
	scripts map[string][]reply
	asked   atomic.Int64

	// other returns the reply to a prompt without a script; if other is nil, the reply says that
	// nothing is scripted.
	other func(prompt string, step int) reply

	// play answers every request in place of the scripts; nil means that the scripts do.
	play func(head http.Header, messages []map[string]any) reply

	mu       sync.Mutex
	requests []string          // names of the requested scripts, in order
	given    map[string]string // last request for each script, as JSON
	offered  []string          // names of the tools in the newest request
}

// Usage reported in every reply, so that totals can be computed.
const (
	stubTokensIn   = 100
	stubTokensOut  = 20
	stubCacheRead  = 5
	stubCacheWrite = 7
)

func newModel(t *testing.T, scripts map[string][]reply) *model {
	t.Helper()
	m := &model{scripts: scripts, given: map[string]string{}}
	server := httptest.NewServer(m)
	m.url = server.URL
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return m
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/messages" {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"input_tokens":10}`) // count_tokens requests and probes
		return
	}
	var req struct {
		Model    string           `json:"model"`
		Messages []map[string]any `json:"messages"`
		Tools    []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if err := json.UnmarshalRead(r.Body, &req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	m.mu.Lock()
	m.offered = nil
	for _, tool := range req.Tools {
		m.offered = append(m.offered, tool.Name)
	}
	m.mu.Unlock()
	s := &stream{w: w, n: m.asked.Add(1)}
	var answer reply
	if m.play != nil {
		answer = m.play(r.Header, req.Messages)
	} else {
		answer = m.next(req.Messages)
	}
	if answer[0].mute {
		<-r.Context().Done()
		return
	}
	s.open(req.Model)
	stop := "end_turn"
	for i, b := range answer {
		if b.tool != "" {
			stop = "tool_use"
		}
		if s.block(i, b); b.hang {
			<-r.Context().Done()
			return
		}
	}
	s.close(stop)
}

var scriptName = regexp.MustCompile(`\[(\w+)\]`)

// next returns the next reply in the script of the newest prompt.
func (m *model) next(messages []map[string]any) reply {
	name, prompt, step := "", "", 0
	for _, msg := range messages {
		if msg["role"] == "assistant" {
			step++
			continue
		}
		text := promptText(msg["content"])
		prompt += text + "\n"
		for _, found := range scriptName.FindAllStringSubmatch(text, -1) {
			if _, scripted := m.scripts[found[1]]; scripted {
				name, step = found[1], 0
			}
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.given[name] = jsonText(messages)
	m.requests = append(m.requests, fmt.Sprintf("%s/%d", name, step))
	if script := m.scripts[name]; step < len(script) {
		return script[step]
	}
	if m.other != nil {
		return m.other(prompt, step)
	}
	return says("Nothing is scripted for this.")
}

// lastRequest returns the last request for a script, as JSON.
func (m *model) lastRequest(script string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.given[script]
}

// offers reports whether the newest request offered a tool.
func (m *model) offers(tool string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Contains(m.offered, tool)
}

func (m *model) log() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return strings.Join(m.requests, " ")
}

// promptText returns a person's text: the message without the reminders that the client adds.
func promptText(content any) string {
	if s, ok := content.(string); ok {
		return s
	}
	var texts []string
	blocks, _ := content.([]any)
	for _, b := range blocks {
		part, _ := b.(map[string]any)
		if s, ok := part["text"].(string); ok && !strings.HasPrefix(s, "<system-reminder>") {
			texts = append(texts, s)
		}
	}
	return strings.Join(texts, "\n")
}

// stream writes a reply as server-sent events.
type stream struct {
	w http.ResponseWriter
	n int64
}

func (s *stream) send(kind string, data message) {
	data["type"] = kind
	b, err := json.Marshal(map[string]any(data))
	if err != nil {
		panic(err) // cannot fail: only strings and numbers
	}
	fmt.Fprintf(s.w, "event: %s\ndata: %s\n\n", kind, b)
	_ = http.NewResponseController(s.w).Flush()
}

func (s *stream) open(name string) {
	s.w.Header().Set("Content-Type", "text/event-stream")
	s.send("message_start", message{"message": message{
		"id": fmt.Sprintf("msg_stub_%d", s.n), "type": "message", "role": "assistant", "model": name, "content": []any{},
		"stop_reason": nil, "stop_sequence": nil,
		"usage": message{"input_tokens": stubTokensIn, "output_tokens": 1, "cache_read_input_tokens": stubCacheRead, "cache_creation_input_tokens": stubCacheWrite},
	}})
}

func (s *stream) block(i int, b block) {
	start, delta := message{"type": "text", "text": ""}, message{"type": "text_delta", "text": b.text}
	if b.tool != "" {
		input, _ := json.Marshal(map[string]any(b.input))
		start = message{"type": "tool_use", "id": fmt.Sprintf("toolu_stub_%d_%d", s.n, i), "name": b.tool, "input": message{}}
		delta = message{"type": "input_json_delta", "partial_json": string(input)}
	}
	s.send("content_block_start", message{"index": i, "content_block": start})
	s.send("content_block_delta", message{"index": i, "delta": delta})
	if !b.hang {
		s.send("content_block_stop", message{"index": i})
	}
}

func (s *stream) close(stop string) {
	s.send("message_delta", message{"delta": message{"stop_reason": stop, "stop_sequence": nil}, "usage": message{"output_tokens": stubTokensOut}})
	s.send("message_stop", message{})
}
