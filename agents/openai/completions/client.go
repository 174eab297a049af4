// Package completions is a client for endpoints that support OpenAI's chat
// completions API.
//
// It guarantees: one call is one request; an answer arrives in chunks as it is written, or as one
// chunk from an endpoint that does not stream; a call ends when its context is done or when the
// endpoint sends nothing for too long; everything that is read has a limit; no error contains the
// key. It never retries; the caller decides.
package completions

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
)

// Client calls one endpoint. BaseURL and HTTP are required.
type Client struct {
	BaseURL string        // usually ends with /v1
	Key     string        // default: no key is sent
	HTTP    *http.Client  // must not have a timeout, because answers are streamed
	Stall   time.Duration // ends a call when nothing arrives for this long; default: never
}

// Stream sends req and calls take with every chunk of the answer, in order. If it fails, it returns
// a *StatusError, *StreamError or *ProtocolError, ErrStalled, the first error from take, the cause
// of ctx, or the connection error. Once ctx is done, take is not called.
func (c *Client) Stream(ctx context.Context, req Request, take func(Chunk) error) error {
	body, err := req.encode()
	if err != nil {
		return err
	}
	ctx, watch := c.watch(ctx)
	defer watch.stop()
	err = c.stream(ctx, watch, body, func(piece Chunk) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return take(piece)
	})
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func (c *Client) stream(ctx context.Context, watch *watch, body []byte, take func(Chunk) error) error {
	resp, err := c.send(ctx, http.MethodPost, "chat/completions", body)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	watch.touch()
	in := &touching{resp.Body, watch}
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch media {
	case "text/event-stream":
		if err := c.events(in, take); err != nil {
			return err
		}
		c.drain(resp.Body, watch)
		return nil
	case "application/json":
		return c.readResponse(in, take)
	}
	return &ProtocolError{Reason: fmt.Sprintf("the endpoint returned %q instead of a stream; check base_url, which usually ends with /v1", contracts.Clip(contracts.CleanLine(media), contracts.LimitName))}
}

// drain reads the rest of the stream so that the connection can be reused. If the endpoint does not
// end the stream, drain stops after ModelDrain.
func (c *Client) drain(body io.Reader, watch *watch) {
	defer time.AfterFunc(contracts.ModelDrain, func() { watch.cancel(nil) }).Stop()
	_, _ = io.CopyN(io.Discard, body, drainBytes)
}

const drainBytes = 4 << 10 // limit for drain; the rest of a stream is shorter

// Models returns the ids of the endpoint's models.
func (c *Client) Models(ctx context.Context) ([]string, error) {
	ctx, watch := c.watch(ctx)
	defer watch.stop()
	resp, err := c.send(ctx, http.MethodGet, "models", nil)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := readAll(resp.Body, contracts.LimitModelList)
	if err != nil {
		return nil, err
	}
	var page struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &page, lenient); err != nil {
		return nil, &ProtocolError{Reason: "the endpoint did not return a list of models; check base_url, which usually ends with /v1"}
	}
	names := make([]string, 0, len(page.Data))
	for _, m := range page.Data {
		names = append(names, m.ID)
	}
	return names, nil
}

// send makes one request and returns the response, or a *StatusError if the status is an error.
func (c *Client) send(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	base, err := url.Parse(c.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("base_url: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, method, base.JoinPath(path).String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "bullpen")
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Accept", "text/event-stream, application/json")
		req.Header.Set("Content-Type", "application/json")
	}
	if c.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.Key)
	}
	resp, err := c.HTTP.Do(req)
	if err != nil {
		if wrapped, ok := errors.AsType[*url.Error](err); ok { // the caller adds the address
			err = wrapped.Err
		}
		return nil, err
	}
	if resp.StatusCode < http.StatusMultipleChoices {
		return resp, nil
	}
	defer resp.Body.Close()
	problem, _ := io.ReadAll(io.LimitReader(resp.Body, contracts.LimitModelProblem))
	return nil, c.statusError(resp, problem)
}

// watch ends a call when the endpoint sends nothing for too long.
type watch struct {
	cancel context.CancelCauseFunc
	stall  time.Duration
	timer  *time.Timer
}

func (c *Client) watch(ctx context.Context) (context.Context, *watch) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &watch{cancel: cancel, stall: c.Stall}
	if c.Stall > 0 {
		w.timer = time.AfterFunc(c.Stall, func() { cancel(ErrStalled) })
	}
	return ctx, w
}

// touch restarts the stall timeout. It is called whenever data arrives.
func (w *watch) touch() {
	if w.timer != nil {
		w.timer.Reset(w.stall)
	}
}

func (w *watch) stop() {
	if w.timer != nil {
		w.timer.Stop()
	}
	w.cancel(nil)
}

// touching is a reader that calls touch after every read that returns data.
type touching struct {
	io.Reader
	watch *watch
}

func (t *touching) Read(p []byte) (int, error) {
	n, err := t.Reader.Read(p)
	if n > 0 {
		t.watch.touch()
	}
	return n, err
}

// readAll reads a body; it returns a *ProtocolError if the body exceeds limit bytes.
func readAll(r io.Reader, limit int64) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(body)) > limit {
		err = &ProtocolError{Reason: fmt.Sprintf("the response exceeds %d bytes", limit)}
	}
	return body, err
}
