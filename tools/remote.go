package tools

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/bullpen-office/bullpen/backoff"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/trust"
)

// Endpoint is where the office's MCP tools are served.
type Endpoint struct {
	URL string      // such as http://127.0.0.1:4777/mcp
	TLS *tls.Config // nil means Go's default verification
}

// RemoteConfig names the office that a Remote passes calls to. Find and Token are required.
type RemoteConfig struct {
	// Find returns the office's endpoint. It is called before each tool call, because a restarted office
	// may have a different address. An error means that no office is running.
	Find    func() (Endpoint, error)
	Token   string // the agent's token
	Version string

	Retry time.Duration // first wait before a call is sent again; default backoff.DefaultFirst
}

// Remote passes calls on to an office. A call is sent again, with the same request id, if the
// office does not answer; after contracts.LimitToolAttempts attempts the error is ErrUnreachable.
type Remote struct{ cfg RemoteConfig }

// NewRemote returns a Remote, which opens a new connection for each call.
func NewRemote(cfg RemoteConfig) *Remote { return &Remote{cfg} }

func (r *Remote) Ask(ctx context.Context, q Question) (Answer, error) {
	q.WaitSeconds = new(0)
	return send[Answer](ctx, r, "ask_person", q, 0)
}

func (r *Remote) Answer(ctx context.Context, questionID string, wait time.Duration) (Answer, error) {
	return send[Answer](ctx, r, "read_answer", AnswerRequest{QuestionID: questionID, WaitSeconds: wholeSeconds(wait)}, wait)
}

func (r *Remote) Board(ctx context.Context, q BoardRequest) (Board, error) {
	return send[Board](ctx, r, "read_board", q, 0)
}

func (r *Remote) Take(ctx context.Context, q TakeRequest) (Work, error) {
	return send[Work](ctx, r, "take_task", q, contracts.ToolWalk)
}

func (r *Remote) Progress(ctx context.Context, p Progress) (Done, error) {
	return send[Done](ctx, r, "report_progress", p, 0)
}

func (r *Remote) Deliver(ctx context.Context, d Delivery) (Delivered, error) {
	return send[Delivered](ctx, r, "deliver", d, 0)
}

func (r *Remote) Messages(ctx context.Context, wait time.Duration) (Messages, error) {
	return send[Messages](ctx, r, "read_messages", MessagesRequest{WaitSeconds: wholeSeconds(wait)}, wait)
}

func (r *Remote) Say(ctx context.Context, m Message) (Done, error) {
	return send[Done](ctx, r, "send_message", m, 0)
}

// wholeSeconds rounds d up to whole seconds, so that a short wait does not become 0.
func wholeSeconds(d time.Duration) *int { return new(int((d + time.Second - 1) / time.Second)) }

// send calls one of the office's tools; waits is how long the tool itself may wait before it
// answers.
func send[Out any](ctx context.Context, r *Remote, tool string, args any, waits time.Duration) (out Out, err error) {
	retry := backoff.Backoff{First: cmp.Or(r.cfg.Retry, backoff.DefaultFirst)}
	for attempt := 1; ; attempt++ {
		var result *mcp.CallToolResult
		if result, err = r.once(ctx, tool, args, waits); err == nil {
			return decode[Out](result)
		}
		if !errors.Is(err, ErrUnreachable) || attempt == contracts.LimitToolAttempts || retry.Wait(ctx) != nil {
			return out, err
		}
	}
}

// once makes one attempt at a call. Each attempt uses a new session, so no state is lost if the
// office restarts.
func (r *Remote) once(ctx context.Context, tool string, args any, waits time.Duration) (*mcp.CallToolResult, error) {
	ctx, cancel := context.WithTimeout(ctx, contracts.ToolCallTimeout+waits)
	defer cancel()
	at, err := r.cfg.Find()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	transport := &authTransport{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: at.TLS}, url: at.URL, token: r.cfg.Token}
	defer transport.CloseIdleConnections()
	client := mcp.NewClient(&mcp.Implementation{Name: "bullpen", Version: r.cfg.Version}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: at.URL, HTTPClient: &http.Client{Transport: transport, CheckRedirect: noRedirect}, MaxRetries: -1, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		return nil, transport.explain(err)
	}
	defer session.Close()
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return nil, transport.explain(err)
	}
	return result, nil
}

// noRedirect keeps the token from being sent elsewhere.
func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// decode returns the structured result of a call, or the error that its text describes.
func decode[Out any](result *mcp.CallToolResult) (out Out, err error) {
	if result.IsError {
		var text []string
		for _, c := range result.Content {
			if t, ok := c.(*mcp.TextContent); ok {
				text = append(text, t.Text)
			}
		}
		return out, errors.New(strings.Join(text, "\n"))
	}
	b, err := json.Marshal(result.StructuredContent)
	if err == nil {
		err = json.Unmarshal(b, &out)
	}
	if err != nil {
		return out, fmt.Errorf("the office's answer cannot be read: %w; this program and the office may be different versions", err)
	}
	return out, nil
}

// authTransport sends the requests of one call, with the token, and keeps the office's refusal,
// which the SDK does not report.
type authTransport struct {
	*http.Transport
	url, token string
	refusal    *contracts.Refusal
}

func (t *authTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+t.token)
	resp, err := t.Transport.RoundTrip(r)
	if err != nil || resp.StatusCode < http.StatusBadRequest || resp.StatusCode >= http.StatusInternalServerError || resp.StatusCode == http.StatusTooManyRequests {
		return resp, err
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, contracts.LimitText))
	resp.Body.Close()
	if err != nil {
		return nil, err
	}
	var refusal contracts.Refusal
	if json.Unmarshal(body, &refusal) == nil && refusal.Message != "" {
		t.refusal = &refusal
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// explain returns the reason for a failed call: the office's refusal, an untrusted certificate, or
// ErrUnreachable.
func (t *authTransport) explain(err error) error {
	if t.refusal != nil {
		return t.refusal
	}
	if why := trust.Explain(err, t.url); why != nil {
		return why
	}
	return fmt.Errorf("%w at %s: start it with `bullpen serve`, then call the tool again (%w)", ErrUnreachable, t.url, err)
}
