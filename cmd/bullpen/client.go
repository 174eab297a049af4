package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/intake/hooks"
)

// A connection is there soon or never; an office that is busy answers late.
const (
	connectTimeout = 5 * time.Second
	clientTimeout  = 30 * time.Second
)

// client asks a running server. The owner's token goes only to the server that
// this data directory belongs to, never to an address somebody typed.
type client struct {
	base  string // where it asks
	shown string // where people find the server
	own   bool   // it is the server of the data directory
	token string
	http  *http.Client
}

// newClient finds the server of the data directory, or takes the address given.
// Whoever gives an address gives the credential for it in BULLPEN_TOKEN.
func newClient(s *settings, url string) (*client, error) {
	base := strings.TrimRight(url, "/")
	in, err := readInstance(s.data)
	if url != "" && (err != nil || base != in.Local && base != in.URL) {
		c := plainClient(base)
		c.token = strings.TrimSpace(os.Getenv(hooks.TokenVariable))
		return c, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, notRunning(s, fmt.Errorf("there is no %s", instancePath(s.data)))
	}
	if err != nil {
		return nil, err
	}
	return ownClient(s, in)
}

// ownClient asks the server of the data directory, as its owner.
func ownClient(s *settings, in instance) (c *client, err error) {
	c = plainClient(in.Local)
	c.shown, c.own = in.URL, true
	if in.Cert != "" {
		c.http.Transport = pinned(in.Cert)
	}
	c.token, err = gate.ReadOwnerToken(s.tokenFile)
	return c, err
}

func plainClient(base string) *client {
	return &client{base: base, shown: base, http: &http.Client{
		Timeout:       clientTimeout,
		Transport:     newTransport(nil),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// pinned trusts the one certificate that the server was started with: it names
// the public host, so the usual check would fail here, and this one is stricter.
func pinned(hash string) *http.Transport {
	return newTransport(&tls.Config{
		InsecureSkipVerify: true, //nolint:gosec // VerifyConnection decides
		VerifyConnection: func(cs tls.ConnectionState) error {
			if certificateHash(cs.PeerCertificates[0].Raw) != hash {
				return errors.New("the certificate is not that of the server this data directory belongs to")
			}
			return nil
		},
	})
}

func newTransport(secure *tls.Config) *http.Transport {
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: (&net.Dialer{Timeout: connectTimeout}).DialContext,
		TLSClientConfig: secure, IdleConnTimeout: clientTimeout, // whoever waits for long finds the office anew, again and again
	}
}

func notRunning(s *settings, cause error) error {
	return &exitError{code: exitNotRunning, err: fmt.Errorf("no server is running for %s (%w); start one with `bullpen serve`", s.data, cause)}
}

// call asks and decodes the answer into out, whatever its status; it returns the
// status. An answer that is a refusal is an error unless out can hold it.
func (c *client) call(ctx context.Context, method, path string, out any) (int, error) {
	return c.send(ctx, method, path, nil, out)
}

// send is call with a body: a text, or JSON where it is a jsontext.Value.
func (c *client) send(ctx context.Context, method, path string, body any, out any) (int, error) {
	req, err := c.request(ctx, method, path, body)
	if err != nil {
		return 0, err
	}
	return c.do(req, out)
}

func (c *client) do(req *http.Request, out any) (int, error) {
	resp, err := c.http.Do(req)
	if err != nil {
		return 0, c.unreachable(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, contracts.LimitBody))
	if err != nil {
		return resp.StatusCode, fmt.Errorf("read the answer of %s: %w", c.base, err)
	}
	if err := c.refused(req.URL.Path, resp.StatusCode, answer); err != nil {
		return resp.StatusCode, err
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return resp.StatusCode, fmt.Errorf("what answers at %s is not Bullpen: %w", c.base, err)
	}
	return resp.StatusCode, nil
}

func (c *client) request(ctx context.Context, method, path string, body any) (*http.Request, error) {
	var content io.Reader
	kind := "text/plain; charset=utf-8"
	switch b := body.(type) {
	case jsontext.Value:
		content, kind = bytes.NewReader(b), "application/json"
	case string:
		content = strings.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, content)
	if err != nil {
		return nil, usageError("the address %q is not right: %w", c.base, err)
	}
	if content != nil {
		req.Header.Set("Content-Type", kind)
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	return req, nil
}

// unreachable says that nobody answers; a person who gave up is told nothing else.
func (c *client) unreachable(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	if inner := errors.Unwrap(err); inner != nil {
		err = inner
	}
	return &exitError{code: exitNotRunning, err: fmt.Errorf("no server answers at %s (%w); start one with `bullpen serve`", c.base, err)}
}

// refused is the error in an answer, nil when it is none.
func (c *client) refused(path string, status int, answer []byte) error {
	var no contracts.Refusal
	if status < http.StatusBadRequest || json.Unmarshal(answer, &no) != nil || no.Code == "" {
		return nil
	}
	return httpRefusal(c.base, path, status, no)
}
