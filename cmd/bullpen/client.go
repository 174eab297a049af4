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
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/instance"
	"github.com/bullpen-office/bullpen/trust"
	"github.com/bullpen-office/bullpen/tui/model"
)

// A connection is there soon or never; an office that is busy answers late.
const (
	connectTimeout = 5 * time.Second
	clientTimeout  = 30 * time.Second
)

// client asks a running server. The owner's token goes only to the server that
// this data directory belongs to, never to another address that somebody typed.
type client struct {
	base  string // where it asks
	shown string // where people find the server
	own   bool   // it is the server of the data directory
	token string
	given bool // the token is that of BULLPEN_TOKEN
	http  *http.Client
}

// newClient finds the server of the data directory, or takes the address given. A
// credential in BULLPEN_TOKEN is used before any other, for every server; without
// one the owner asks the server of the data directory.
func newClient(s *settings, address string) (*client, error) {
	base := strings.TrimRight(address, "/")
	if err := checkAddress(base); err != nil {
		return nil, err
	}
	given := strings.TrimSpace(os.Getenv(tokenVariable))
	in, err := instance.Read(s.data)
	switch {
	case base != "" && (err != nil || base != in.Local && base != in.URL):
		secure, err := trust.Config(s.cacert)
		if err != nil {
			return nil, usageError("%w", err)
		}
		c := plainClient(base, secure)
		c.token, c.given = given, given != ""
		return c, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, notRunning(s, fmt.Errorf("there is no %s", instance.Path(s.data)))
	case err != nil:
		return nil, err
	case given != "":
		c := localClient(in)
		c.token, c.given = given, true
		return c, nil
	}
	return ownClient(s, in)
}

// checkAddress says what is missing in an address that somebody typed.
func checkAddress(base string) error {
	if base == "" {
		return nil
	}
	u, err := url.Parse(base)
	switch {
	case !strings.Contains(base, "://"):
		return usageError("the address %q is not right: http:// or https:// is missing in front, as in http://%s", base, defaultAddr)
	case err != nil:
		return usageError("the address %q is not right: %w", base, err)
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return usageError("the address %q is not right: use one like http://%s", base, defaultAddr)
	}
	return nil
}

// localClient asks the server of the data directory, as nobody yet.
func localClient(in instance.Instance) *client {
	c := plainClient(in.Local, nil)
	c.shown, c.own = in.URL, true
	if in.Cert != "" {
		c.http.Transport = newTransport(trust.Pinned(in.Cert))
	}
	return c
}

// ownClient asks the server of the data directory, as its owner.
func ownClient(s *settings, in instance.Instance) (c *client, err error) {
	c = localClient(in)
	c.token, err = gate.ReadOwnerToken(s.tokenFile)
	return c, err
}

func plainClient(base string, secure *tls.Config) *client {
	return &client{base: base, shown: base, http: &http.Client{
		Timeout:       clientTimeout,
		Transport:     newTransport(secure),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// tls is how the certificate of the office is checked; nil means the usual way.
func (c *client) tls() *tls.Config { return c.http.Transport.(*http.Transport).TLSClientConfig }

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
	if json.Unmarshal(answer, out) != nil {
		return resp.StatusCode, c.stranger(fmt.Sprintf("%s gave HTTP %d and %q", req.URL.Path, resp.StatusCode, excerpt(answer)))
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
	req, err := c.office().Request(ctx, method, path, content)
	if err != nil {
		return nil, usageError("%s%s is not an address: %w", c.base, path, err)
	}
	if content != nil {
		req.Header.Set("Content-Type", kind)
	}
	return req, nil
}

// limitExcerpt is how many cells of a strange answer are shown.
const limitExcerpt = 60

func excerpt(answer []byte) string {
	return ansi.Truncate(model.Line(string(answer)), limitExcerpt, "…")
}

// stranger says that something else answers at the address.
func (c *client) stranger(saw string) error {
	return fmt.Errorf("what answers at %s is not Bullpen, or not of this version (%s): %s; look at the address", c.base, currentVersion().Version, saw)
}

// unreachable says that nobody answers; a person who gave up is told nothing else.
func (c *client) unreachable(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	if why := trust.Explain(err, c.base); why != nil {
		return &exitError{code: exitTLS, err: why}
	}
	if inner := errors.Unwrap(err); inner != nil {
		err = inner
	}
	return &exitError{code: exitNotRunning, err: fmt.Errorf("no server answers at %s (%w); start one with `bullpen serve`", c.base, err)}
}

// refused is the error in an answer, nil when it is none.
func (c *client) refused(path string, status int, answer []byte) error {
	if why := trust.ExplainAnswer(status, answer, c.base); why != nil {
		return &exitError{code: exitTLS, err: why}
	}
	var no contracts.Refusal
	if status < http.StatusBadRequest || json.Unmarshal(answer, &no) != nil || no.Code == "" {
		return nil
	}
	return c.denied(httpRefusal(c.base, path, status, no))
}

// denied tells whose credential was refused, where it is not the usual one.
func (c *client) denied(err error) error {
	var coded *exitError
	if c.given && errors.As(err, &coded) && coded.code == exitDenied {
		coded.err = fmt.Errorf("%w; the token was taken from %s", coded.err, tokenVariable)
	}
	return err
}
