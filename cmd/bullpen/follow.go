package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	office "github.com/bullpen-office/bullpen/client"
	"github.com/bullpen-office/bullpen/contracts"
)

// envelope is a message of the office.
type envelope = office.Message

// entry is one message of the timeline, as it was sent.
type entry struct {
	envelope
	seq uint64
	raw []byte
}

// newEntry reads a message. What has no seq moves no cursor.
func newEntry(raw []byte) (e entry, err error) {
	if err = json.Unmarshal(raw, &e.envelope); err != nil {
		return e, fmt.Errorf("the office sent something that is no message: %w", err)
	}
	var at struct {
		Seq uint64 `json:"seq"`
	}
	err = json.Unmarshal(e.Payload, &at)
	e.seq, e.raw = at.Seq, raw
	return e, err
}

// follower reads the timeline from a cursor on. A connection that breaks and an
// office that starts again cost nothing: it goes on where it was, without a gap
// and without a duplicate (D1).
type follower struct {
	find    func() (*client, error) // looked up anew after each loss: the port may be another
	kinds   []string
	after   uint64
	epoch   string // the ledger that after belongs to; empty: whichever it is
	segment string // the chain segment that after was read in
	note    func(format string, args ...any)
}

// silence is how long nothing may come: the office sends a sign more often.
const silence = 3 * contracts.StreamKeepAlive

// run hands over what comes until ctx ends or fn fails. The caller has spoken with
// the office: one that is away, from the first moment on, is waited for.
func (f *follower) run(ctx context.Context, fn func(entry) error) error {
	for retry, told := newRedial(), false; ; {
		began := f.after
		connected, err := f.session(ctx, fn)
		var stop *stopError
		switch {
		case errors.As(err, &stop):
			return stop.err
		case ctx.Err() != nil:
			return ctx.Err()
		case final(err):
			return err
		}
		if connected || !told {
			f.note("the office is away; waiting for it")
			told = true
		}
		if f.after != began {
			retry.Reset()
		}
		if err := retry.Wait(ctx); err != nil {
			return err
		}
	}
}

// stopError carries the end that the reader wants through a session.
type stopError struct{ err error }

func (e *stopError) Error() string { return "stopped by the reader" }

// session is one connection.
func (f *follower) session(ctx context.Context, fn func(entry) error) (connected bool, err error) {
	c, err := f.find()
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	q := url.Values{"after": {strconv.FormatUint(f.after, 10)}, "kind": f.kinds}
	if f.epoch != "" {
		q.Set("epoch", f.epoch)
	}
	if f.segment != "" {
		q.Set("segment", f.segment)
	}
	req, err := c.request(ctx, http.MethodGet, "/v1/events/stream?"+q.Encode(), nil)
	if err != nil {
		return false, err
	}
	watch := time.AfterFunc(silence, cancel)
	defer watch.Stop()
	patient := &http.Client{Transport: c.http.Transport, CheckRedirect: c.http.CheckRedirect}
	resp, err := patient.Do(req)
	if err != nil {
		return false, c.unreachable(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		answer, _ := io.ReadAll(io.LimitReader(resp.Body, contracts.LimitBody))
		if err := c.refused("/v1/events/stream", resp.StatusCode, answer); err != nil {
			return false, err
		}
		return false, fmt.Errorf("what answers at %s is not Bullpen: HTTP %d", c.base, resp.StatusCode)
	}
	f.epoch, f.segment = resp.Header.Get(contracts.HeaderEpoch), resp.Header.Get(contracts.HeaderSegment)
	return true, f.read(bufio.NewReaderSize(resp.Body, 64<<10), func() { watch.Reset(silence) }, fn)
}

// read takes server-sent events apart: an id and a message each.
func (f *follower) read(in *bufio.Reader, alive func(), fn func(entry) error) error {
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
			if err := f.take(id, data, fn); err != nil {
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

// take moves the cursor with a message. An id alone sets it anew: the ledger is
// another one, or does not reach as far.
func (f *follower) take(id string, data []byte, fn func(entry) error) error {
	if len(data) == 0 {
		if number, _, _ := strings.Cut(id, "."); number != "" {
			f.after, _ = strconv.ParseUint(number, 10, 64)
		}
		return nil
	}
	e, err := newEntry(data)
	switch {
	case err != nil:
		return err
	case e.seq == 0:
		f.missing(&e)
		return nil
	case e.seq <= f.after:
		return nil
	}
	if err := fn(e); err != nil {
		return &stopError{err}
	}
	f.after = e.seq
	return nil
}

// missing says that something is not there any more.
func (f *follower) missing(e *entry) {
	var ev contracts.Event
	if json.Unmarshal(e.Payload, &ev) != nil || ev.Name != contracts.EventResyncFallback {
		return
	}
	if ev.Reason == string(contracts.ResumeCursorUnknown) {
		f.note("the office has another ledger now; going on from its newest record")
		return
	}
	f.note("some of what happened after %d is not kept any more; going on with what is", ev.LastSeq)
}

// readLine reads a line without its end. The result is good until the next read.
func readLine(in *bufio.Reader, most int) ([]byte, error) {
	line, err := in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return bytes.TrimRight(line, "\r\n"), err
	}
	whole := bytes.Clone(line)
	for errors.Is(err, bufio.ErrBufferFull) {
		if len(whole) > most {
			return nil, fmt.Errorf("a line is longer than %d bytes", most)
		}
		line, err = in.ReadSlice('\n')
		whole = append(whole, line...)
	}
	return bytes.TrimRight(whole, "\r\n"), err
}
