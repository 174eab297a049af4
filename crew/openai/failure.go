package openai

import (
	"errors"
	"fmt"
	"time"

	"github.com/openai/openai-go/v3/packages/ssestream"

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
func failureFrom(err error, w *wire, address string) error {
	if w.failed != nil {
		return w.failed
	}
	var broken *ssestream.StreamError
	if errors.As(err, &broken) {
		return &failure{reason: "the endpoint failed in the middle of its answer: " + contracts.Clip(contracts.CleanLine(broken.Message), contracts.LimitPreview), passing: true}
	}
	return &failure{reason: fmt.Sprintf("the connection to %s failed: %s", address, contracts.Clip(contracts.CleanLine(err.Error()), contracts.LimitPreview)), passing: true}
}
