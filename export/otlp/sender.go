package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/backoff"
	"github.com/bullpen-office/bullpen/contracts"
)

// errRefused means that the receiver permanently rejects these spans.
var errRefused = errors.New("the trace receiver rejected the spans")

// retryableError means that the receiver did not accept the spans but a retry may succeed.
type retryableError struct {
	after time.Duration // the wait that the receiver requested; 0 if none
	cause error
}

func (e *retryableError) Error() string { return e.cause.Error() }
func (e *retryableError) Unwrap() error { return e.cause }

// sender posts spans to the receiver.
type sender struct {
	cfg    Config
	prefix []byte
	log    *slog.Logger
}

const requestEnd = `]}]}]}`

func newSender(cfg Config) sender {
	var attrs attributes
	attrs.text("service.name", "bullpen")
	attrs.text("service.version", cfg.Version)
	attrs.text("service.instance.id", cfg.Ledger.ID())
	resource, _ := json.Marshal(attrs) // text only
	scope, _ := json.Marshal(map[string]string{"name": "github.com/bullpen-office/bullpen/export/otlp", "version": cfg.Version}, json.Deterministic(true))
	prefix := `{"resourceSpans":[{"resource":{"attributes":` + string(resource) + `},"scopeSpans":[{"scope":` + string(scope) + `,"spans":[`
	return sender{cfg: cfg, prefix: []byte(prefix), log: cfg.Log}
}

// send returns once the receiver has accepted the spans or permanently rejected them, or with an
// error when ctx is done. It halves a rejected batch until the rejected span is alone, and drops
// only that span.
func (s *sender) send(ctx context.Context, spans []jsontext.Value) error {
	retry, logged := backoff.Backoff{First: contracts.OTLPRetryMin, Max: contracts.OTLPRetryMax}, false
	for {
		err := s.try(ctx, spans)
		switch {
		case err == nil:
			if logged {
				s.log.Info("trace receiver available again")
			}
			return nil
		case errors.Is(err, errRefused) && len(spans) > 1:
			half := len(spans) / 2
			if err := s.send(ctx, spans[:half]); err != nil {
				return err
			}
			return s.send(ctx, spans[half:])
		case errors.Is(err, errRefused):
			s.log.Error("trace receiver rejected a span; skipping it", "error", err, "span", contracts.Clip(string(spans[0]), contracts.LimitPreview))
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		}
		if !logged {
			logged = true
			s.log.Warn("trace receiver unavailable; retrying", "url", s.cfg.URL, "error", err)
		}
		if err := s.cfg.Wait(ctx, nextPause(err, retry.Next())); err != nil {
			return err
		}
	}
}

// nextPause returns the wait that the receiver requested, capped at OTLPRetryAfterMax, or pause if
// it requested none.
func nextPause(err error, pause time.Duration) time.Duration {
	var retryable *retryableError
	if errors.As(err, &retryable) && retryable.after > 0 {
		return min(retryable.after, contracts.OTLPRetryAfterMax)
	}
	return pause
}

// outlive returns a context that outlives ctx by contracts.OTLPShutdown: a request in flight at
// shutdown should receive its response, because otherwise its spans would be sent again.
func outlive(ctx context.Context) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(contracts.OTLPShutdown, cancel) })
	return longer, func() { stop(); cancel() }
}

// try posts the spans once. If the receiver does not accept them, the error is errRefused or a
// *retryableError.
func (s *sender) try(ctx context.Context, spans []jsontext.Value) error {
	ctx, done := outlive(ctx)
	defer done()
	body, err := s.encode(spans)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.cfg.URL, bytes.NewReader(body))
	if err != nil {
		return &retryableError{cause: err}
	}
	maps.Copy(req.Header, s.cfg.Header)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Content-Encoding", "gzip")
	req.Header.Set("User-Agent", "bullpen/"+s.cfg.Version)
	resp, err := s.cfg.Client.Do(req)
	if err != nil {
		return &retryableError{cause: err}
	}
	defer resp.Body.Close()
	answer, _ := io.ReadAll(io.LimitReader(resp.Body, contracts.LimitOTLPResponse))
	return s.checkResponse(resp, answer)
}

// checkResponse returns nil on success, errRefused for bad data, and a *retryableError for
// everything else, which can be fixed at the receiver.
func (s *sender) checkResponse(resp *http.Response, answer []byte) error {
	switch code := resp.StatusCode; {
	case code >= 200 && code < 300:
		s.partial(answer)
		return nil
	case code == http.StatusBadRequest, code == http.StatusRequestEntityTooLarge, code == http.StatusUnprocessableEntity:
		return fmt.Errorf("%w: %s: %s", errRefused, resp.Status, contracts.Clip(contracts.CleanLine(string(answer)), contracts.LimitPreview))
	default:
		return &retryableError{after: retryAfter(resp.Header.Get("Retry-After"), s.cfg.Now()), cause: fmt.Errorf("HTTP status %s", resp.Status)}
	}
}

// partial logs a response that accepts only some of the spans. OTLP forbids retrying the others.
func (s *sender) partial(answer []byte) {
	var r struct {
		Partial struct {
			Rejected jsontext.Value `json:"rejectedSpans"` // a number or, as is usual for 64-bit numbers in JSON, a string
			Message  string         `json:"errorMessage"`
		} `json:"partialSuccess"`
	}
	if json.Unmarshal(answer, &r) != nil {
		return // most responses have no body
	}
	rejected := string(bytes.Trim(r.Partial.Rejected, `"`))
	if (rejected != "" && rejected != "0") || r.Partial.Message != "" {
		s.log.Warn("trace receiver accepted only some of the spans", "rejected_spans", rejected, "message", contracts.Clip(contracts.CleanLine(r.Partial.Message), contracts.LimitNote))
	}
}

func (s *sender) encode(spans []jsontext.Value) ([]byte, error) {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, _ = z.Write(s.prefix) // writing to memory cannot fail
	for i, span := range spans {
		if i > 0 {
			_, _ = z.Write([]byte{','})
		}
		_, _ = z.Write(span)
	}
	_, _ = z.Write([]byte(requestEnd))
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("compress spans: %w", err)
	}
	return out.Bytes(), nil
}

// retryAfter parses a Retry-After header, in seconds or as a date. It returns 0 if the header is
// neither.
func retryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseInt(text, 10, 32); err == nil {
		return time.Duration(max(seconds, 0)) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}
