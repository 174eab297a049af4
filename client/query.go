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

// StatusError is an unusable response: its status is not a success, or its body is not the
// expected JSON.
type StatusError struct {
	Path    string
	Status  int
	Body    []byte
	Refusal *contracts.Refusal // nil if the body is not a refusal

	err error // why the body of a successful response cannot be read
}

func (e *StatusError) Error() string {
	switch {
	case e.Refusal != nil:
		return fmt.Sprintf("%s: %v", e.Path, e.Refusal)
	case e.err != nil:
		return fmt.Sprintf("%s: HTTP %d: %v", e.Path, e.Status, e.err)
	}
	return fmt.Sprintf("%s: HTTP %d", e.Path, e.Status)
}

func (e *StatusError) Unwrap() error {
	if e.Refusal == nil {
		return e.err
	}
	return e.Refusal
}

// TooLargeError means that a response exceeds the limit.
type TooLargeError struct{ Limit int64 }

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("response exceeds %d bytes", e.Limit)
}

// Request returns an HTTP request to the office, with the token set.
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

// Get sends a GET request and decodes the JSON response into out, unless out is nil.
func (c *Client) Get(ctx context.Context, path string, out any) error {
	return c.Send(ctx, http.MethodGet, path, nil, out)
}

// Send sends a request and reads the JSON response into out, unless out is nil. The request body is
// the value of in as JSON; if in is nil, there is no body.
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
	return c.Exchange(req, out)
}

// Exchange sends a request and reads the JSON response into out, unless out is nil.
func (c *Client) Exchange(req *http.Request, out any) error {
	answer, err := c.read(req, contracts.LimitBody)
	if err != nil || out == nil {
		return err
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return &StatusError{Path: req.URL.Path, Status: http.StatusOK, Body: answer, err: &MessageError{answer, err}}
	}
	return nil
}

// Read sends a GET request and returns the body of the response. The error is a *TooLargeError if
// the body exceeds limit bytes.
func (c *Client) Read(ctx context.Context, path string, limit int64) ([]byte, error) {
	req, err := c.Request(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	return c.read(req, limit)
}

func (c *Client) read(req *http.Request, limit int64) ([]byte, error) {
	if c.cfg.Timeout > 0 {
		ctx, cancel := context.WithTimeout(req.Context(), c.cfg.Timeout)
		defer cancel()
		req = req.WithContext(ctx)
	}
	resp, err := c.open(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the response from %s: %w", req.URL.Path, err)
	case int64(len(answer)) > limit:
		return nil, &TooLargeError{limit}
	}
	return answer, nil
}

// Open sends a GET request and returns the response, whose body can be read until ctx is done. The
// caller must close the body.
func (c *Client) Open(ctx context.Context, path string) (*http.Response, error) {
	req, err := c.Request(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, err
	}
	return c.open(req)
}

func (c *Client) open(req *http.Request) (*http.Response, error) {
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, &DialError{err}
	}
	if resp.StatusCode >= 200 && resp.StatusCode <= 299 {
		return resp, nil
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, contracts.LimitBody))
	if err != nil {
		return nil, fmt.Errorf("read the response from %s: %w", req.URL.Path, err)
	}
	failed := &StatusError{Path: req.URL.Path, Status: resp.StatusCode, Body: answer}
	var refusal contracts.Refusal
	if json.Unmarshal(answer, &refusal) == nil && refusal.Message != "" {
		failed.Refusal = &refusal
	}
	return nil, failed
}
