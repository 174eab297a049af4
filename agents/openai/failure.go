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

// failure is a call that did not come to an answer.
type failure struct {
	reason  string
	status  int           // of HTTP; 0 when there was none
	after   time.Duration // that the endpoint asked to wait
	passing bool          // it may work in a moment
	limited bool          // the endpoint is well, but wants less
	stalled bool
	format  bool // less structure may be taken
}

func (f *failure) Error() string { return f.reason }

// final is the failure once it is given up.
func (f *failure) final(attempts int) error {
	if attempts < 2 {
		return f
	}
	return fmt.Errorf("%w; it was tried %d times: try again later, or give the work to another runner", f, attempts)
}

func failureOf(err error) *failure {
	var f *failure
	errors.As(err, &f)
	return f
}

// failureFrom says what happened to a call: what the endpoint said, else what the
// connection did.
func failureFrom(err error, client *completions.Client) error {
	var refused *completions.StatusError
	var broken *completions.StreamError
	var other *completions.ProtocolError
	switch {
	case errors.Is(err, completions.ErrStalled):
		return &failure{reason: fmt.Sprintf("the endpoint sent nothing for %s", client.Stall), passing: true, stalled: true}
	case errors.As(err, &refused):
		return complaint(refused)
	case errors.As(err, &broken):
		return &failure{reason: "the endpoint failed in the middle of its answer: " + broken.Message, passing: true}
	case errors.As(err, &other):
		return &failure{reason: other.Reason, passing: other.Temporary}
	}
	return &failure{reason: fmt.Sprintf("the connection to %s failed: %s", client.BaseURL, contracts.Clip(contracts.CleanLine(err.Error()), contracts.LimitPreview)), passing: true}
}

// complaint says what to do about a status, and whether the same call may work in
// a moment.
func complaint(e *completions.StatusError) *failure {
	said := ""
	if e.Message != "" {
		said = ": " + e.Message
	}
	f := &failure{status: e.Status, after: e.RetryAfter}
	switch {
	case e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden: // what it says may hold a part of the key
		f.reason = fmt.Sprintf("the endpoint does not accept the key (%d): correct it where the office is started", e.Status)
	case e.Status == http.StatusNotFound:
		f.reason = fmt.Sprintf("the endpoint knows no such model or address (404)%s: correct model or base_url", said)
	case e.Status == http.StatusTooManyRequests && strings.Contains(e.Code, "quota"):
		f.reason = fmt.Sprintf("the account's quota is used up (429)%s: see to it there", said)
	case e.Status == http.StatusTooManyRequests:
		f.reason, f.passing, f.limited = "the endpoint limits the rate (429)"+said, true, true
	case e.Status == http.StatusRequestTimeout || e.Status == http.StatusConflict || e.Status >= http.StatusInternalServerError:
		f.reason, f.passing = fmt.Sprintf("the endpoint failed (%d)%s", e.Status, said), true
	case e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity:
		f.reason, f.format = fmt.Sprintf("the endpoint does not take the request (%d)%s", e.Status, said), true
	default:
		f.reason = fmt.Sprintf("the endpoint answers with status %d%s", e.Status, said)
	}
	return f
}
