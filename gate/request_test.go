package gate

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"testing/iotest"
	"time"
)

// stopwatch is a response writer that records its read deadline.
type stopwatch struct {
	*httptest.ResponseRecorder
	until time.Time
}

func (s *stopwatch) SetReadDeadline(t time.Time) error {
	s.until = t
	return nil
}

// The deadline of a body is cleared only when the body is complete, because the server reads the
// rest of an incomplete body before it responds.
func TestBodyDeadline(t *testing.T) {
	for name, c := range map[string]struct {
		body   io.Reader
		lifted bool
	}{
		"whole": {http.NoBody, true},
		"slow":  {iotest.ErrReader(os.ErrDeadlineExceeded), false},
	} {
		w := &stopwatch{ResponseRecorder: httptest.NewRecorder()}
		r := httptest.NewRequest(http.MethodPost, "/", io.NopCloser(c.body))
		r.Body = io.NopCloser(c.body)
		limitBody(w, r)
		if w.until.IsZero() {
			t.Fatalf("%s: a body has no deadline", name)
		}
		if _, err := io.ReadAll(r.Body); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error(err)
		}
		if w.until.IsZero() != c.lifted {
			t.Errorf("%s: the deadline is %v", name, w.until)
		}
	}
}
