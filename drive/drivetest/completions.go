package drivetest

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Completions is a fake endpoint with OpenAI's chat completions API. Script returns the answer to
// each call; a nil Script means OfficeScript.
type Completions struct {
	Script func(c Call) Answer
	Names  []string      // names of the listed models; default: only model-a
	Key    string        // key that callers must send; default: none
	Pause  time.Duration // pause between chunks of text

	mu    sync.Mutex
	calls []Call
}

// Call is a request to the endpoint.
type Call struct {
	N      int // number of the request, starting at 1
	Model  string
	System string
	Prompt string // last user message
	Turns  int    // number of messages
	Format string // json_schema, json_object, or empty
	Shape  string // name of the schema
	Stream bool
	Usage  bool // the caller requested usage
	Key    string
	Body   jsontext.Value // the whole request

	Tools   []string // names of the tools that the model may call
	Results []string // results of tool calls since the model's last answer
}

// Answer is the endpoint's response. Its zero value is an empty answer.
type Answer struct {
	Text    string
	Thought string // reasoning, separate from the answer
	Tool    string // tool that the model calls, without arguments
	Calls   []ToolCall
	Refusal string
	Finish  string // default stop

	In, Out, Cached int  // tokens; if all are zero, no usage is reported
	Whole           bool // not streamed, even if streaming was requested

	Status int               // HTTP status, with Text as the message; default 200
	Code   string            // error code
	Header map[string]string // response headers
	Raw    string            // the exact body; its Content-Type is in Header

	Stall bool   // send nothing after Text until the caller disconnects
	Cut   bool   // drop the connection after Text
	Break string // send an error event with this message after Text
}

// Calls returns the requests received so far.
func (m *Completions) Calls() []Call {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Call(nil), m.calls...)
}

type completionsRequest struct {
	Model    string `json:"model"`
	Stream   bool   `json:"stream"`
	Messages []struct {
		Role    string         `json:"role"`
		Content jsontext.Value `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	} `json:"tools"`
	Options struct {
		Usage bool `json:"include_usage"`
	} `json:"stream_options"`
	Format struct {
		Type   string `json:"type"`
		Schema struct {
			Name string `json:"name"`
		} `json:"json_schema"`
	} `json:"response_format"`
}

func (m *Completions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if m.Key != "" && key != m.Key {
		writeError(w, Answer{Status: http.StatusUnauthorized, Text: "Incorrect API key provided: " + key})
		return
	}
	if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/models") {
		m.list(w)
		return
	}
	var req completionsRequest
	var body jsontext.Value
	err := json.UnmarshalRead(r.Body, &body)
	if err == nil {
		err = json.Unmarshal(body, &req)
	}
	if err != nil || !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		writeError(w, Answer{Status: http.StatusNotFound, Text: "Unknown request URL"})
		return
	}
	call := m.note(req, key, body)
	script := m.Script
	if script == nil {
		script = OfficeScript
	}
	out := &completionStream{w: w, r: r, call: call, answer: script(call), pause: m.Pause}
	out.send()
}

func (m *Completions) list(w http.ResponseWriter) {
	names := m.Names
	if names == nil {
		names = []string{"model-a"}
	}
	var data []any
	for _, n := range names {
		data = append(data, map[string]any{"id": n, "object": "model", "created": 1, "owned_by": "nobody"})
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.MarshalWrite(w, map[string]any{"object": "list", "data": data})
}

func (m *Completions) note(req completionsRequest, key string, body jsontext.Value) Call {
	c := Call{Model: req.Model, Turns: len(req.Messages), Stream: req.Stream, Usage: req.Options.Usage, Format: req.Format.Type, Shape: req.Format.Schema.Name, Key: key, Body: body}
	for _, msg := range req.Messages {
		var text string
		_ = json.Unmarshal(msg.Content, &text)
		switch msg.Role {
		case "system":
			c.System = text
		case "user":
			c.Prompt = text
		case "assistant":
			c.Results = nil
		case "tool":
			c.Results = append(c.Results, text)
		}
	}
	for _, tool := range req.Tools {
		c.Tools = append(c.Tools, tool.Function.Name)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	c.N = len(m.calls) + 1
	m.calls = append(m.calls, c)
	return c
}

// writeError responds with the answer's error status and message, in OpenAI's format.
func writeError(w http.ResponseWriter, a Answer) {
	for k, v := range a.Header {
		w.Header().Set(k, v)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(a.Status)
	_ = json.MarshalWrite(w, map[string]any{"error": map[string]any{"message": a.Text, "type": "error", "param": nil, "code": a.Code}})
}

// completionStream writes one answer.
type completionStream struct {
	w      http.ResponseWriter
	r      *http.Request
	call   Call
	answer Answer
	pause  time.Duration
}

func (s *completionStream) send() {
	a := s.answer
	switch {
	case a.Raw != "":
		s.raw()
		return
	case a.Status != 0 && a.Status != http.StatusOK:
		writeError(s.w, a)
		return
	case a.Whole || !s.call.Stream:
		s.whole()
		return
	}
	s.w.Header().Set("Content-Type", "text/event-stream")
	s.chunk(map[string]any{"role": "assistant", "content": ""}, "")
	if a.Thought != "" {
		s.chunk(map[string]any{"reasoning_content": a.Thought}, "")
	}
	const piece = 24
	for text := []rune(a.Text); len(text) > 0; text = text[min(piece, len(text)):] {
		s.chunk(map[string]any{"content": string(text[:min(piece, len(text))])}, "")
		time.Sleep(s.pause)
	}
	s.calls()
	if a.Refusal != "" {
		s.chunk(map[string]any{"refusal": a.Refusal}, "")
	}
	if s.fail() {
		return
	}
	s.chunk(map[string]any{}, s.finish())
	if u := s.usage(); u != nil && s.call.Usage {
		s.event(map[string]any{"id": s.id(), "object": "chat.completion.chunk", "model": s.call.Model, "choices": []any{}, "usage": u})
	}
	s.line("[DONE]")
}

// fail simulates the answer's failure, if it has one, and reports whether it did.
func (s *completionStream) fail() bool {
	switch {
	case s.answer.Stall:
		<-s.r.Context().Done()
	case s.answer.Cut:
		panic(http.ErrAbortHandler)
	case s.answer.Break != "":
		s.event(map[string]any{"error": map[string]any{"message": s.answer.Break, "type": "server_error"}})
		s.line("[DONE]")
	default:
		return false
	}
	return true
}

func (s *completionStream) raw() {
	for k, v := range s.answer.Header {
		s.w.Header().Set(k, v)
	}
	if s.answer.Status != 0 {
		s.w.WriteHeader(s.answer.Status)
	}
	_, _ = s.w.Write([]byte(s.answer.Raw))
}

func (s *completionStream) whole() {
	msg := map[string]any{"role": "assistant", "content": s.answer.Text}
	if s.answer.Refusal != "" {
		msg["refusal"] = s.answer.Refusal
	}
	var calls []any
	for _, c := range s.answer.calls() {
		calls = append(calls, map[string]any{"id": c.ID, "type": "function", "function": map[string]any{"name": c.Name, "arguments": c.Args}})
	}
	if calls != nil {
		msg["tool_calls"] = calls
	}
	out := map[string]any{"id": s.id(), "object": "chat.completion", "model": s.call.Model, "choices": []any{
		map[string]any{"index": 0, "message": msg, "finish_reason": s.finish()}}}
	if u := s.usage(); u != nil {
		out["usage"] = u
	}
	s.w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.MarshalWrite(s.w, out)
}

func (s *completionStream) id() string { return "chatcmpl-" + strconv.Itoa(s.call.N) }

func (s *completionStream) finish() string {
	switch {
	case s.answer.Finish != "":
		return s.answer.Finish
	case len(s.answer.calls()) > 0:
		return "tool_calls"
	}
	return "stop"
}

func (s *completionStream) usage() map[string]any {
	a := s.answer
	if a.In+a.Out+a.Cached == 0 {
		return nil
	}
	return map[string]any{"prompt_tokens": a.In, "completion_tokens": a.Out, "total_tokens": a.In + a.Out, "prompt_tokens_details": map[string]any{"cached_tokens": a.Cached}}
}

func (s *completionStream) chunk(delta map[string]any, finish string) {
	choice := map[string]any{"index": 0, "delta": delta, "finish_reason": nil}
	if finish != "" {
		choice["finish_reason"] = finish
	}
	s.event(map[string]any{"id": s.id(), "object": "chat.completion.chunk", "model": s.call.Model, "choices": []any{choice}})
}

func (s *completionStream) event(v any) {
	b, _ := json.Marshal(v)
	s.line(string(b))
}

func (s *completionStream) line(data string) {
	fmt.Fprintf(s.w, "data: %s\n\n", data)
	if f, ok := s.w.(http.Flusher); ok {
		f.Flush()
	}
}
