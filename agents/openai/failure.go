package openai

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/agents/openai/completions"
	"github.com/bullpen-office/bullpen/contracts"
)

// failure is the error from a call that returned no answer.
type failure struct {
	reason    string
	status    int           // HTTP status; 0 if there was none
	after     time.Duration // delay that the endpoint requests before a retry
	temporary bool          // a retry may succeed
	limited   bool          // the endpoint is healthy, but limits the request rate
	stalled   bool
	format    bool // the endpoint may accept a simpler form
	tools     bool // the endpoint's message is about tools
}

func (f *failure) Error() string { return f.reason }

// final returns the error after the last attempt, with the number of attempts.
func (f *failure) final(attempts int) error {
	if attempts < 2 {
		return f
	}
	return fmt.Errorf("%w (tried %d times); try again later, or use another runner", f, attempts)
}

func failureOf(err error) *failure {
	var f *failure
	errors.As(err, &f)
	return f
}

// failureFrom converts an error from the endpoint or the connection to a failure.
func failureFrom(err error, client *completions.Client) error {
	var refused *completions.StatusError
	var broken *completions.StreamError
	var other *completions.ProtocolError
	switch {
	case errors.Is(err, completions.ErrStalled):
		return &failure{reason: fmt.Sprintf("the endpoint sent nothing for %s", client.Stall), temporary: true, stalled: true}
	case errors.As(err, &refused):
		return statusFailure(refused)
	case errors.As(err, &broken):
		return &failure{reason: "the endpoint failed while answering: " + broken.Message, temporary: true}
	case errors.As(err, &other):
		return &failure{reason: other.Reason, temporary: other.Temporary}
	}
	return &failure{reason: fmt.Sprintf("the connection to %s failed: %s", client.BaseURL, contracts.Clip(contracts.CleanLine(err.Error()), contracts.LimitPreview)), temporary: true}
}

// statusFailure converts an HTTP error status to a failure that explains what to do and whether a
// retry may succeed.
func statusFailure(e *completions.StatusError) *failure {
	detail := ""
	if e.Message != "" {
		detail = ": " + e.Message
	}
	f := &failure{status: e.Status, after: e.RetryAfter}
	switch {
	case e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden:
		// The endpoint's message may contain part of the key, so the message is not repeated.
		f.reason = fmt.Sprintf("the endpoint rejected the key (%d): fix the runner's key and restart the office", e.Status)
	case e.Status == http.StatusNotFound:
		f.reason = fmt.Sprintf("no such model or URL (404)%s: fix model or base_url", detail)
	case e.Status == http.StatusTooManyRequests && strings.Contains(e.Code, "quota"):
		f.reason = fmt.Sprintf("the account's quota is exhausted (429)%s: ask the provider to raise it", detail)
	case e.Status == http.StatusTooManyRequests:
		f.reason, f.temporary, f.limited = "rate limited by the endpoint (429)"+detail, true, true
	case e.Status == http.StatusRequestTimeout || e.Status == http.StatusConflict || e.Status >= http.StatusInternalServerError:
		f.reason, f.temporary = fmt.Sprintf("the endpoint failed (%d)%s", e.Status, detail), true
	case e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity:
		f.reason, f.format = fmt.Sprintf("the endpoint rejected the request (%d)%s", e.Status, detail), true
	default:
		f.reason = fmt.Sprintf("the endpoint returned status %d%s", e.Status, detail)
	}
	// Endpoints report missing support for tools with different statuses, even 404 and 500.
	f.tools = !f.limited && strings.Contains(strings.ToLower(e.Message), "tool")
	return f
}
