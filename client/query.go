package client

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
)

// StatusError is an HTTP answer that is not a success. It wraps a *contracts.Refusal
// when the office sent one.
type StatusError struct {
	Path    string
	Status  int
	Refusal *contracts.Refusal // nil when the answer was something else
}

func (e *StatusError) Error() string {
	if e.Refusal != nil {
		return fmt.Sprintf("%s: %v", e.Path, e.Refusal)
	}
	return fmt.Sprintf("%s: HTTP %d", e.Path, e.Status)
}

func (e *StatusError) Unwrap() error {
	if e.Refusal == nil {
		return nil
	}
	return e.Refusal
}

// Request makes a request to a path of the office, with its credential.
func (c *Client) Request(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.cfg.URL+path, body)
	if err != nil {
		return nil, err
	}
	if c.cfg.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.cfg.Token)
	}
	return req, nil
}

// Read returns the answer of a path, of at most limit bytes.
func (c *Client) Read(ctx context.Context, path string, limit int64) ([]byte, error) {
	req, err := c.Request(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	return c.exchange(req, limit)
}

// Get reads the JSON answer of a path into out.
func (c *Client) Get(ctx context.Context, path string, out any) error {
	return c.Send(ctx, http.MethodGet, path, nil, out)
}

// Send sends in as JSON, unless it is nil, and reads the JSON answer into out, unless
// that is nil.
func (c *Client) Send(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("encode the request to %s: %w", path, err)
		}
		body = bytes.NewReader(text)
	}
	req, err := c.Request(ctx, method, path, body)
	if err != nil {
		return err
	}
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	answer, err := c.exchange(req, contracts.LimitBody)
	if err != nil || out == nil {
		return err
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return &MessageError{answer, err}
	}
	return nil
}

// TooLargeError is an answer beyond the limit.
type TooLargeError struct{ Limit int64 }

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the answer has more than %d bytes", e.Limit)
}

func (c *Client) exchange(req *http.Request, limit int64) ([]byte, error) {
	resp, err := c.cfg.HTTP.Do(req)
	if err != nil {
		return nil, &DialError{err}
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the answer of %s: %w", req.URL.Path, err)
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		failed := &StatusError{Path: req.URL.Path, Status: resp.StatusCode}
		var refusal contracts.Refusal
		if json.Unmarshal(answer, &refusal) == nil && refusal.Message != "" {
			failed.Refusal = &refusal
		}
		return nil, failed
	case int64(len(answer)) > limit:
		return nil, &TooLargeError{limit}
	}
	return answer, nil
}
