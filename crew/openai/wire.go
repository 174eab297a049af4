package openai

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/openai/openai-go/v3/option"

	"github.com/bullpen-office/bullpen/contracts"
)

// limitProblem is how much of an endpoint's complaint is read.
const limitProblem = 64 << 10

// wire stands between the client and the endpoint: it notices every byte, turns
// complaints into failures that say what to do, and whole answers into streams,
// for endpoints that do not stream.
type wire struct {
	touch  func()
	secret string
	plain  bool     // not a stream
	failed *failure // what went wrong, as the endpoint said it
}

func (w *wire) trip(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	resp, err := next(req)
	if err != nil {
		return nil, err
	}
	w.touch()
	if resp.StatusCode >= http.StatusMultipleChoices {
		defer resp.Body.Close()
		body, _ := io.ReadAll(io.LimitReader(resp.Body, limitProblem))
		w.failed = w.complaint(resp, body)
		return nil, w.failed
	}
	if w.plain {
		return resp, nil
	}
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch media {
	case "text/event-stream":
		resp.Body = &touching{resp.Body, w.touch}
		return resp, nil
	case "application/json":
		return w.streamed(resp)
	}
	resp.Body.Close()
	w.failed = &failure{reason: fmt.Sprintf("the endpoint answers with %q instead of a stream: is base_url right, with its /v1?", contracts.Clip(contracts.CleanLine(media), contracts.LimitName))}
	return nil, w.failed
}

// touching notices every byte that comes.
type touching struct {
	io.ReadCloser
	touch func()
}

func (t *touching) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	if n > 0 {
		t.touch()
	}
	return n, err
}

// streamed makes a stream of one piece out of a whole answer.
func (w *wire) streamed(resp *http.Response) (*http.Response, error) {
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(&touching{resp.Body, w.touch}, contracts.LimitModelAnswer))
	if err != nil {
		return nil, err
	}
	var whole struct {
		Model   string         `json:"model"`
		Usage   jsontext.Value `json:"usage,omitzero"`
		Error   jsontext.Value `json:"error,omitzero"`
		Choices []struct {
			Index   int            `json:"index"`
			Finish  string         `json:"finish_reason"`
			Message jsontext.Value `json:"message"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(body, &whole); err != nil || len(whole.Choices) == 0 && whole.Error == nil {
		w.failed = &failure{reason: "the endpoint answers with JSON that is no chat completion: is base_url right, with its /v1?", passing: err != nil}
		return nil, w.failed
	}
	if whole.Error != nil {
		w.failed = w.complaint(resp, body)
		w.failed.passing = true
		return nil, w.failed
	}
	var choices []map[string]any
	for _, c := range whole.Choices {
		choices = append(choices, map[string]any{"index": c.Index, "finish_reason": c.Finish, "delta": c.Message})
	}
	chunk := map[string]any{"model": whole.Model, "choices": choices}
	if whole.Usage != nil {
		chunk["usage"] = whole.Usage
	}
	piece, err := json.Marshal(chunk)
	if err != nil {
		return nil, err
	}
	resp.Header.Set("Content-Type", "text/event-stream")
	resp.Body = io.NopCloser(bytes.NewReader(fmt.Appendf(nil, "data: %s\n\ndata: [DONE]\n\n", piece)))
	return resp, nil
}

// complaint reads an answer that is no answer.
func (w *wire) complaint(resp *http.Response, body []byte) *failure {
	var problem struct {
		Error struct {
			Message string         `json:"message"`
			Code    jsontext.Value `json:"code"`
		} `json:"error"`
	}
	_ = json.Unmarshal(body, &problem, jsontext.AllowInvalidUTF8(true))
	text := problem.Error.Message
	if w.secret != "" {
		text = strings.ReplaceAll(text, w.secret, "[key]")
	}
	said := contracts.Clip(contracts.CleanLine(text), contracts.LimitPreview)
	if said != "" {
		said = ": " + said
	}
	f := &failure{status: resp.StatusCode, after: retryAfter(resp.Header)}
	status := resp.StatusCode
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden: // what it says may hold a part of the key
		f.reason = fmt.Sprintf("the endpoint does not accept the key (%d): correct it where the office is started", status)
	case status == http.StatusNotFound:
		f.reason = fmt.Sprintf("the endpoint knows no such model or address (404)%s: correct model or base_url", said)
	case status == http.StatusTooManyRequests && strings.Contains(unquote(string(problem.Error.Code)), "quota"):
		f.reason = fmt.Sprintf("the account's quota is used up (429)%s: see to it there", said)
	case status == http.StatusTooManyRequests:
		f.reason, f.passing, f.limited = "the endpoint limits the rate (429)"+said, true, true
	case status == http.StatusRequestTimeout || status == http.StatusConflict || status >= http.StatusInternalServerError:
		f.reason, f.passing = fmt.Sprintf("the endpoint failed (%d)%s", status, said), true
	case status == http.StatusBadRequest || status == http.StatusUnprocessableEntity:
		f.reason, f.format = fmt.Sprintf("the endpoint does not take the request (%d)%s", status, said), true
	default:
		f.reason = fmt.Sprintf("the endpoint answers with status %d%s", status, said)
	}
	return f
}

// retryAfter is how long an endpoint asks to wait, zero when it does not.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 && ms < 1e9 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	text := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(text, 64); err == nil && s > 0 && s < 1e6 {
		return time.Duration(s * float64(time.Second))
	}
	at, err := http.ParseTime(text)
	sent, other := http.ParseTime(h.Get("Date"))
	if err != nil || other != nil {
		return 0
	}
	return max(at.Sub(sent), 0)
}
