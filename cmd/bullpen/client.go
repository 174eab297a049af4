package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
)

const clientTimeout = 5 * time.Second

// client asks a running server. The owner's token goes only to the server that
// this data directory belongs to, never to an address somebody typed.
type client struct {
	base  string // where it asks
	shown string // where people find the server
	token string
	http  *http.Client
}

// newClient finds the server of the data directory, or takes the address given.
func newClient(s *settings, url string) (*client, error) {
	c := &client{base: strings.TrimRight(url, "/"), http: &http.Client{
		Timeout:       clientTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	if c.shown = c.base; url != "" {
		return c, nil
	}
	in, err := readInstance(s.data)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, notRunning(s, fmt.Errorf("there is no %s", instancePath(s.data)))
	}
	if err != nil {
		return nil, err
	}
	c.base, c.shown = in.Local, in.URL
	if in.Cert != "" {
		c.http.Transport = pinned(in.Cert)
	}
	c.token, err = gate.ReadOwnerToken(s.tokenFile)
	return c, err
}

// pinned trusts the one certificate that the server was started with: it names
// the public host, so the usual check would fail here, and this one is stricter.
func pinned(hash string) *http.Transport {
	return &http.Transport{TLSClientConfig: &tls.Config{
		InsecureSkipVerify: true, //nolint:gosec // VerifyConnection decides
		VerifyConnection: func(cs tls.ConnectionState) error {
			if certificateHash(cs.PeerCertificates[0].Raw) != hash {
				return errors.New("the certificate is not that of the server this data directory belongs to")
			}
			return nil
		},
	}}
}

func notRunning(s *settings, cause error) error {
	return &exitError{code: exitNotRunning, err: fmt.Errorf("no server is running for %s (%w); start one with `bullpen serve`", s.data, cause)}
}

// call asks and decodes the answer into out, whatever its status; it returns the
// status. An answer that is a refusal is an error unless out can hold it.
func (c *client) call(ctx context.Context, method, path string, out any) (int, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, nil)
	if err != nil {
		return 0, usageError("the address %q is not right: %w", c.base, err)
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return 0, &exitError{code: exitNotRunning, err: fmt.Errorf("no server answers at %s (%w); start one with `bullpen serve`", c.base, errors.Unwrap(err))}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, contracts.LimitBody))
	if err != nil {
		return resp.StatusCode, fmt.Errorf("read the answer of %s: %w", c.base, err)
	}
	var refusal contracts.Refusal
	if resp.StatusCode >= 400 && json.Unmarshal(body, &refusal) == nil && refusal.Code != "" {
		return resp.StatusCode, fmt.Errorf("%s refused %s: %s", c.base, path, refusal.Message)
	}
	if err := json.Unmarshal(body, out); err != nil {
		return resp.StatusCode, fmt.Errorf("what answers at %s is not Bullpen: %w", c.base, err)
	}
	return resp.StatusCode, nil
}
