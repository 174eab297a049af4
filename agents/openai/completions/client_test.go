package completions

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/drivetest"
	"github.com/bullpen-office/bullpen/e2e/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const (
	eventStream = "text/event-stream"
	secret      = "sk-secret-key"
)

// serve starts an endpoint that responds to every call with body, and returns a client for it.
func serve(t *testing.T, media, body string, more ...func(w http.ResponseWriter, r *http.Request)) *Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", media)
		for _, do := range more {
			do(w, r)
		}
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return &Client{BaseURL: server.URL + "/v1/", Key: secret, HTTP: server.Client()}
}

// read makes one call and returns the answer's text, its chunks, and the call's error.
func read(c *Client) (text string, chunks []Chunk, err error) {
	err = c.Stream(context.Background(), Request{Model: "m"}, func(chunk Chunk) error {
		chunks = append(chunks, chunk)
		for _, choice := range chunk.Choices {
			text += string(choice.Delta.Content)
		}
		return nil
	})
	return text, chunks, err
}

func event(content string) string {
	return fmt.Sprintf(`{"choices":[{"index":0,"delta":{"content":%q}}]}`, content)
}

// Stream accepts the variants that real endpoints send. An invalid response results in a
// descriptive error.
func TestStreamsOfRealEndpoints(t *testing.T) {
	for name, tt := range map[string]struct {
		media, body string
		text, err   string
	}{
		"events":             {eventStream, "data: " + event("a") + "\n\ndata: " + event("b") + "\n\ndata: [DONE]\n\n", "ab", ""},
		"no space, CRLF":     {eventStream + "; charset=utf-8", "data:" + event("a") + "\r\n\r\ndata:[DONE]\r\n\r\n", "a", ""},
		"comments, fields":   {eventStream, ": beat\n\nevent: message\nid: 1\nretry: 5\ndata: " + event("a") + "\n\n", "a", ""},
		"data in two lines":  {eventStream, "data: {\"choices\":\ndata: [{\"delta\":{\"content\":\"a\"}}]}\n\n", "a", ""},
		"after the last":     {eventStream, "data: " + event("a") + "\n\ndata: [DONE]\n\ndata: " + event("b") + "\n\n", "a", ""},
		"cut in an event":    {eventStream, "data: " + event("a") + "\n\ndata: " + event("b"), "a", ""},
		"content is a list":  {eventStream, `data: {"choices":[{"delta":{"content":[{"type":"thinking"}]}},{"delta":{"content":"a"}}]}` + "\n\n", "a", ""},
		"names twice":        {eventStream, `data: {"choices":[],"choices":[{"delta":{"content":"a"}}]}` + "\n\n", "a", ""},
		"half a character":   {eventStream, "data: {\"choices\":[{\"delta\":{\"content\":\"a\xc3\"}}]}\n\n", "a\uFFFD", ""},
		"not JSON":           {eventStream, "data: hello\n\n", "", "not a chat completion chunk"},
		"too deep":           {eventStream, "data: " + strings.Repeat("[", 100_000) + "\n\n", "", "not a chat completion chunk"},
		"another structure":  {eventStream, "data: {\"choices\":7}\n\n", "", "not a chat completion chunk"},
		"an error":           {eventStream, "data: {\"error\":{\"message\":\"no " + secret + "\\n!\"}}\n\n", "", "no [key] !"},
		"an error as text":   {eventStream, "event: error\ndata: {\"error\":\"busy\"}\n\n", "", "busy"},
		"no error":           {eventStream, `data: {"error":null,"choices":[{"delta":{"content":"a"}}]}` + "\n\n", "a", ""},
		"a long line":        {eventStream, "data: " + strings.Repeat("x", contracts.LimitModelEvent), "", "an event larger than"},
		"a long event":       {eventStream, strings.Repeat("data: "+strings.Repeat("x", contracts.LimitModelEvent/2)+"\n", 3), "", "an event larger than"},
		"whole":              {"application/json", `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`, "a", ""},
		"whole, an error":    {"application/json", `{"error":{"message":"busy"}}`, "", "busy"},
		"whole, too long":    {"application/json", strings.Repeat(" ", contracts.LimitModelEvent+1), "", "exceeds"},
		"whole, cut":         {"application/json", `{"choices":[{"mess`, "", "not a chat completion"},
		"whole, nothing":     {"application/json", `{}`, "", "not a chat completion"},
		"something else":     {"text/html", "<html>", "", `returned "text/html" instead of a stream`},
		"no type of content": {"", "", "", `returned "" instead of a stream`},
	} {
		t.Run(name, func(t *testing.T) {
			text, _, err := read(serve(t, tt.media, tt.body))
			if text != tt.text || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%q, %v", text, err)
			}
		})
	}
}

// endless is an infinite stream of keep-alive comments.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	n := copy(p, ":"+strings.Repeat(" beat", 800)+"\n\n")
	for n < len(p) {
		n += copy(p[n:], p[:n])
	}
	return n, nil
}

// An endless stream is abandoned after a limited number of bytes.
func TestEndlessStreamIsAbandoned(t *testing.T) {
	var broken *ProtocolError
	err := (&Client{}).events(endless{}, func(Chunk) error { return nil })
	if !errors.As(err, &broken) || !strings.Contains(broken.Reason, "stream exceeds") || broken.Temporary {
		t.Errorf("%v", err)
	}
}

// Every member of a chunk is read; numbers out of range are clamped.
func TestChunk(t *testing.T) {
	_, got, err := read(serve(t, eventStream, `data: {"model":"m","choices":[{"index":1,"finish_reason":"tool_calls","delta":{"refusal":"r","reasoning":"t",`+
		`"tool_calls":[{"index":2,"id":"c","function":{"name":"f","arguments":"{}"}}]}}],`+
		`"usage":{"prompt_tokens":1e300,"completion_tokens":-4,"total_tokens":"many","prompt_tokens_details":{"cached_tokens":3.0}}}`+"\n\n"))
	if err != nil {
		t.Fatal(err)
	}
	call := ToolCall{Index: 2, ID: "c"}
	call.Function.Name, call.Function.Arguments = "f", "{}"
	usage := &Usage{PromptTokens: contracts.LimitModelTokens}
	usage.PromptDetails.CachedTokens = 3
	want := []Chunk{{Model: "m", Usage: usage, Choices: []Choice{{Index: 1, Finish: "tool_calls", Delta: Delta{Refusal: "r", Reasoning: "t", ToolCalls: []ToolCall{call}}}}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestRequest(t *testing.T) {
	var asked *http.Request
	var body []byte
	client := serve(t, eventStream, "", func(_ http.ResponseWriter, r *http.Request) {
		asked = r
		body, _ = io.ReadAll(r.Body)
	})
	err := client.Stream(t.Context(), Request{
		Model: "m", Usage: true, Messages: []Message{Text("user", "a\xff")},
		Parameters: map[string]any{"response_format": JSONSchema("s", map[string]any{}), "stream": false, "temperature": 0.5},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"messages":[{"content":"a` + "\uFFFD" + `","role":"user"}],"model":"m","response_format":{"json_schema":{"name":"s","schema":{},"strict":true},"type":"json_schema"},` +
		`"stream":true,"stream_options":{"include_usage":true},"temperature":0.5}`
	if got := string(body); got != want || asked.URL.Path != "/v1/chat/completions" || asked.Header.Get("Authorization") != "Bearer "+secret {
		t.Errorf("%s %s %v", asked.URL.Path, got, asked.Header)
	}
}

func TestStatusError(t *testing.T) {
	for name, tt := range map[string]struct {
		body string
		want StatusError
	}{
		"OpenAI's":  {`{"error":{"message":"wait, ` + secret + `","code":"slow_down"}}`, StatusError{Message: "wait, [key]", Code: "slow_down"}},
		"code is 7": {`{"error":{"message":"wait","code":7}}`, StatusError{Message: "wait"}},
		"text":      {`{"error":"wait"}`, StatusError{Message: "wait"}},
		"a page":    {`<html>`, StatusError{}},
		"long":      {`{"error":{"message":"` + strings.Repeat("x", contracts.LimitModelProblem) + `"}}`, StatusError{}},
	} {
		t.Run(name, func(t *testing.T) {
			tt.want.Status, tt.want.RetryAfter = http.StatusTooManyRequests, 7*time.Second
			_, _, err := read(serve(t, "application/json", tt.body, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", "7")
				w.WriteHeader(http.StatusTooManyRequests)
			}))
			var got *StatusError
			if !errors.As(err, &got) {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, *got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The stream is read to its end, so that the next call reuses the connection.
func TestConnectionIsReused(t *testing.T) {
	seen := map[string]bool{}
	client := serve(t, eventStream, "data: [DONE]\n\n", func(_ http.ResponseWriter, r *http.Request) { seen[r.RemoteAddr] = true })
	for range 3 {
		if _, _, err := read(client); err != nil {
			t.Fatal(err)
		}
	}
	if len(seen) != 1 {
		t.Errorf("three calls needed %d connections", len(seen))
	}
}

// The call succeeds if the endpoint keeps the stream open after [DONE], and fails with ErrStalled
// if the endpoint goes silent before that; cancelling the context ends the call.
func TestSilentEndpointEndsTheCall(t *testing.T) {
	const stall = time.Minute
	leave := errors.New("no longer wanted")
	for name, tt := range map[string]struct {
		first string
		want  error
		took  time.Duration
	}{
		"after the last event":  {"data: [DONE]\n\n", nil, contracts.ModelDrain},
		"in the middle":         {"data: " + event("a") + "\n\n", ErrStalled, stall},
		"before the first byte": {"", ErrStalled, stall},
		"until the caller left": {"", leave, stall / 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				wire := drivetest.NewWire()
				server := &httptest.Server{Listener: wire, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if tt.first != "" {
						w.Header().Set("Content-Type", eventStream)
						_, _ = io.WriteString(w, tt.first)
						w.(http.Flusher).Flush()
					}
					_, _ = io.Copy(io.Discard, r.Body)
					<-r.Context().Done()
				})}}
				server.Start()
				t.Cleanup(server.Close)
				client := &Client{BaseURL: server.URL, Stall: stall, HTTP: &http.Client{Transport: &http.Transport{DialContext: wire.Dial, DisableKeepAlives: true}}}
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				if tt.want == leave {
					time.AfterFunc(tt.took, func() { cancel(leave) })
				}
				began := time.Now()
				err := client.Stream(ctx, Request{Model: "m"}, func(Chunk) error { return nil })
				if took := time.Since(began); !errors.Is(err, tt.want) || took != tt.took {
					t.Errorf("%v after %v", err, took)
				}
			})
		})
	}
}

// If take returns an error, the call ends and returns that error.
func TestErrorOfTakeEndsTheCall(t *testing.T) {
	enough := errors.New("enough")
	taken := 0
	client := serve(t, eventStream, strings.Repeat("data: "+event("a")+"\n\n", 3))
	err := client.Stream(t.Context(), Request{Model: "m"}, func(Chunk) error { taken++; return enough })
	if !errors.Is(err, enough) || taken != 1 {
		t.Errorf("%v after %d pieces", err, taken)
	}
}

// Once the context is done, for example because of a budget, buffered chunks are not passed on.
func TestNothingAfterTheContextHasEnded(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	over := errors.New("used up")
	taken := 0
	client := serve(t, eventStream, strings.Repeat("data: "+event("a")+"\n\n", 3))
	err := client.Stream(ctx, Request{Model: "m"}, func(Chunk) error { taken++; cancel(over); return nil })
	if !errors.Is(err, over) || taken != 1 {
		t.Errorf("%v after %d pieces", err, taken)
	}
}

func TestModels(t *testing.T) {
	names, err := serve(t, "application/json", `{"data":[{"id":"a"},{"id":"b","more":{}}]}`).Models(t.Context())
	if diff := cmp.Diff([]string{"a", "b"}, names); diff != "" || err != nil {
		t.Error(diff, err)
	}
	for _, body := range []string{"<html>", `{"data":7}`, strings.Repeat(" ", contracts.LimitModelList+1)} {
		if names, err := serve(t, "application/json", body).Models(t.Context()); err == nil {
			t.Errorf("%.20q is a list: %q", body, names)
		}
	}
}

// No stream makes the reader panic, exceed its limits, or return an error that contains the key.
func FuzzEvents(f *testing.F) {
	f.Add("data: " + event("a") + "\n\ndata: [DONE]\n\n")
	f.Add("data: {\"error\":{}}\n\n")
	f.Add(":\n\ndata\n\ndata:\n\n\r\n")
	f.Fuzz(func(t *testing.T, stream string) {
		c := &Client{Key: secret}
		err := c.events(strings.NewReader(stream), func(chunk Chunk) error {
			if u := chunk.Usage; u != nil && (u.PromptTokens < 0 || u.PromptTokens > contracts.LimitModelTokens) {
				t.Errorf("%d tokens", u.PromptTokens)
			}
			return nil
		})
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("the error contains the key: %v", err)
		}
	})
}
