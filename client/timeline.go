package client

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/backoff"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/trust"
)

// Find returns a client of the office. It is called before each attempt, because an office that was
// restarted may be listening on another port.
type Find func() (*Client, error)

// Await returns a decision once it is resolved or cancelled. It retries while the office is
// unreachable.
func (find Find) Await(ctx context.Context, decisionID string) (d contracts.Decision, err error) {
	path := "/v1/decisions/" + url.PathEscape(decisionID) + "?wait=" + contracts.DecisionWait.String()
	for retry := newRetry(); ; {
		asked := time.Now()
		if err = find.get(ctx, path, &d); err == nil && d.Status != contracts.DecisionOpen {
			return d, nil
		}
		switch {
		case ctx.Err() != nil:
			return d, context.Cause(ctx)
		case err == nil && time.Since(asked) >= time.Second: // a server that ignores ?wait= answers immediately
			retry.Reset()
			continue
		case err != nil && refused(err):
			return d, err
		}
		if err := retry.Wait(ctx); err != nil {
			return d, err
		}
	}
}

// get is like Client.Get, but allows for a response that takes up to contracts.DecisionWait.
func (find Find) get(ctx context.Context, path string, out any) error {
	c, err := find()
	if err != nil {
		return err
	}
	slow := &Client{cfg: c.cfg, http: c.http}
	slow.cfg.Timeout = contracts.DecisionWait + contracts.BodyTimeout
	return slow.Get(ctx, path, out)
}

// Timeline follows the recorded messages of an office from a cursor. After a lost connection or a
// restart, it resumes without duplicates. It reports gaps (D1).
type Timeline struct {
	Find    Find
	Kinds   []string // kinds of records; default all
	After   uint64   // seq of the last known record
	Epoch   string   // epoch of the ledger that After belongs to; default any
	Segment string   // segment that After belongs to, or a later one; default any

	OnUnreachable func(error)           // called when the first attempt fails or the connection is lost; Follow retries
	OnGap         func(contracts.Event) // called with the reason when records after Event.LastSeq are missing
}

// limitSilence is how long a stream may be silent; the office sends heartbeats more often than
// that.
const limitSilence = 3 * contracts.StreamKeepAlive

// Follow calls fn with each message until ctx is done or fn fails. If fn fails, the message counts
// as not delivered. If the office refuses the request, Follow returns the error.
func (t *Timeline) Follow(ctx context.Context, fn func(Message) error) error {
	for retry, reported := newRetry(), false; ; {
		began := t.After
		connected, err := t.session(ctx, fn)
		var stop *callbackError
		switch {
		case errors.As(err, &stop):
			return stop.error
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case refused(err):
			return err
		}
		if (connected || !reported) && t.OnUnreachable != nil {
			t.OnUnreachable(err)
		}
		reported = true
		if t.After != began {
			retry.Reset()
		}
		if err := retry.Wait(ctx); err != nil {
			return err
		}
	}
}

// session reads from one connection until the connection ends, and reports whether it was ever
// established.
func (t *Timeline) session(ctx context.Context, fn func(Message) error) (connected bool, err error) {
	c, err := t.Find()
	if err != nil {
		return false, err
	}
	defer c.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	q := url.Values{"after": {strconv.FormatUint(t.After, 10)}, "kind": t.Kinds}
	if t.Epoch != "" {
		q.Set("epoch", t.Epoch)
	}
	q.Set("segment", t.Segment) // even if it is empty, so that the ids include the segment
	silence := time.AfterFunc(limitSilence, cancel)
	defer silence.Stop()
	resp, err := c.Open(ctx, "/v1/events/stream?"+q.Encode())
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	t.Epoch, t.Segment = resp.Header.Get(contracts.HeaderEpoch), resp.Header.Get(contracts.HeaderSegment)
	return true, t.read(bufio.NewReaderSize(resp.Body, 64<<10), func() { silence.Reset(limitSilence) }, fn)
}

// read parses server-sent events, each with an id and a message.
func (t *Timeline) read(in *bufio.Reader, alive func(), fn func(Message) error) error {
	var data []byte
	id := ""
	for {
		line, err := readLine(in, contracts.LimitExportLine)
		if err != nil {
			return err
		}
		alive()
		switch {
		case len(line) == 0:
			if err := t.deliver(id, data, fn); err != nil {
				return err
			}
			id, data = "", nil
		case bytes.HasPrefix(line, []byte("id: ")):
			id = string(line[len("id: "):])
		case bytes.HasPrefix(line, []byte("data: ")):
			data = bytes.Clone(line[len("data: "):])
		}
	}
}

// deliver passes a message to fn and advances the cursor. An event with only an id replaces the
// cursor, because the old cursor may not be valid in the office's ledger.
func (t *Timeline) deliver(id string, data []byte, fn func(Message) error) error {
	number, segment, _ := strings.Cut(id, ".")
	t.Segment = cmp.Or(segment, t.Segment)
	if len(data) == 0 {
		if number != "" {
			t.After, _ = strconv.ParseUint(number, 10, 64)
		}
		return nil
	}
	m, err := Parse(data)
	switch {
	case err != nil:
		return err
	case m.Seq == 0:
		var e contracts.Event
		if t.OnGap != nil && m.Decode(&e) == nil && e.Name == contracts.EventResyncFallback {
			t.OnGap(e)
		}
		return nil
	case m.Seq <= t.After:
		return nil
	}
	if err := fn(m); err != nil {
		return &callbackError{err}
	}
	t.After = m.Seq
	return nil
}

// readLine returns the next line without its line break. The result is valid until the next read.
func readLine(in *bufio.Reader, limit int) ([]byte, error) {
	line, err := in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return bytes.TrimRight(line, "\r\n"), err
	}
	whole := bytes.Clone(line)
	for errors.Is(err, bufio.ErrBufferFull) {
		if len(whole) > limit {
			return nil, fmt.Errorf("a line of the event stream exceeds %d bytes", limit)
		}
		line, err = in.ReadSlice('\n')
		whole = append(whole, line...)
	}
	return bytes.TrimRight(whole, "\r\n"), err
}

// refused reports whether a retry would fail too, because the office rejects the request or a
// secure connection is impossible. After any other error, the office may just be down or
// restarting.
func refused(err error) bool {
	var status *StatusError
	if !errors.As(err, &status) {
		return trust.Explain(err, "") != nil
	}
	switch {
	case status.Status == http.StatusUnauthorized, status.Status == http.StatusForbidden:
		return true
	case status.Refusal != nil:
		return status.Refusal.Code != contracts.CodeRateLimited && status.Refusal.Code != contracts.CodeInternal
	}
	return trust.ExplainAnswer(status.Status, status.Body, "http://") != nil
}

// newRetry returns the backoff for an unreachable office.
func newRetry() backoff.Backoff {
	return backoff.Backoff{First: contracts.ClientRetry, Max: contracts.ClientRetryMax}
}
