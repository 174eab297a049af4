package completions

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

// ErrStalled means that the endpoint sent nothing for too long.
var ErrStalled = errors.New("the endpoint sent nothing for too long")

// StatusError is a response with an HTTP status that is not 2xx.
type StatusError struct {
	Status     int
	Message    string        // one short line from the endpoint, without the key
	Code       string        // error code from the endpoint
	RetryAfter time.Duration // delay that the endpoint requests; 0 if it requests none
}

func (e *StatusError) Error() string { return fmt.Sprintf("status %d: %s", e.Status, e.Message) }

// StreamError is a failure that the endpoint reports in its answer.
type StreamError struct{ Message string }

func (e *StreamError) Error() string { return e.Message }

// ProtocolError is a response that is not a chat completion.
type ProtocolError struct {
	Reason    string
	Temporary bool // a retry may succeed
}

func (e *ProtocolError) Error() string { return e.Reason }

func (c *Client) statusError(resp *http.Response, body []byte) *StatusError {
	var problem struct {
		Error jsontext.Value `json:"error"`
	}
	_ = json.Unmarshal(body, &problem, lenient)
	var detail struct {
		Code String `json:"code"`
	}
	if problem.Error.Kind() == jsontext.KindBeginObject {
		_ = json.Unmarshal(problem.Error, &detail, lenient)
	}
	return &StatusError{
		Status: resp.StatusCode, Message: c.message(problem.Error), Code: string(detail.Code), RetryAfter: retryAfter(resp.Header),
	}
}

// message returns the text of an error member as one short line without the API key. The member is
// a string or an object with a message.
func (c *Client) message(member jsontext.Value) string {
	var detail struct {
		Message String `json:"message"`
	}
	var text String
	switch member.Kind() {
	case jsontext.KindBeginObject:
		_ = json.Unmarshal(member, &detail, lenient)
		text = detail.Message
	case jsontext.KindString:
		_ = json.Unmarshal(member, &text, lenient)
	}
	clean := string(text)
	if c.Key != "" {
		clean = strings.ReplaceAll(clean, c.Key, "[key]")
	}
	return contracts.Clip(contracts.CleanLine(clean), contracts.LimitPreview)
}

// retryAfter returns the delay that the endpoint requests before a retry, or 0 if it requests none.
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
