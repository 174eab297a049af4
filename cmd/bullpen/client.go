package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/agents"
	office "github.com/bullpen-office/bullpen/client"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/instance"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/trust"
)

// clientTimeout is the timeout for one request to the office.
const clientTimeout = contracts.BodyTimeout

// client talks to a running office. The owner token is sent only to the data directory's office,
// never to another address given with --url.
type client struct {
	office *office.Client
	cfg    office.Config
	base   string // address of the office
	shown  string // address for people and browsers
	data   string // the office's data directory, empty for the default; only if own is true
	own    bool   // the office uses this data directory, so it may receive the owner token
	given  bool   // the token came from BULLPEN_TOKEN
}

// with returns a copy of the client with other timeouts for connecting and for a request. Zero
// means the default timeout, and a negative value means no timeout.
func (c client) with(connect, timeout time.Duration) *client {
	c.cfg.Connect, c.cfg.Timeout = connect, timeout
	c.office = office.New(c.cfg)
	return &c
}

// newClient returns a client for the office at address, or for the data directory's office if
// address is empty. It uses the token in BULLPEN_TOKEN or, only for the data directory's office,
// the owner token.
func newClient(s *settings, address string) (*client, error) {
	base := strings.TrimRight(address, "/")
	if err := checkAddress(base); err != nil {
		return nil, err
	}
	given, err := givenToken()
	if err != nil {
		return nil, err
	}
	in, err := instance.Read(s.data)
	switch {
	case base != "" && (err != nil || base != in.Local && base != in.URL):
		secure, err := trust.Config(s.cacert)
		if err != nil {
			return nil, usageError("%w", err)
		}
		c := dial(office.Config{URL: base, TLS: secure, Token: given})
		c.given = given != ""
		return c, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, &exitError{code: exitNotRunning, err: fmt.Errorf("no office is running for %s; start one with `%s`", s.data, s.line("serve"))}
	case err != nil:
		return nil, err
	}
	token := given
	if given == "" {
		if token, err = gate.ReadOwnerToken(s.tokenFile); err != nil {
			return nil, err
		}
	}
	c := ownClient(in, token)
	c.data, c.given = s.otherData(), given != ""
	return c, nil
}

// givenToken returns the token in BULLPEN_TOKEN, or "" if the variable is not set.
func givenToken() (string, error) {
	token := strings.TrimSpace(os.Getenv(tokenVariable))
	what := ""
	switch {
	case strings.ContainsAny(token, "\r\n"):
		what = "a line break"
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		what = "a character that no token contains"
	default:
		return token, nil
	}
	return "", &exitError{code: exitDenied, err: fmt.Errorf("%s is not a token: it contains %s; set it to the token only", tokenVariable, what)}
}

// checkAddress validates the value of --url; an empty value is valid.
func checkAddress(base string) error {
	if base == "" {
		return nil
	}
	u, err := url.Parse(base)
	switch {
	case !strings.Contains(base, "://"):
		return usageError("invalid address %q: add http:// or https://, as in http://%s", base, defaultAddr)
	case err != nil:
		return usageError("invalid address %q: %w", base, err)
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return usageError("invalid address %q: use an address such as http://%s", base, defaultAddr)
	}
	return nil
}

// ownClient returns a client for the data directory's office.
func ownClient(in instance.Instance, token string) *client {
	c := dial(office.Config{URL: in.Local, Token: token, Pin: in.Cert})
	c.shown, c.own = in.URL, true
	return c
}

// dial returns a client that connects on first use.
func dial(cfg office.Config) *client {
	cfg.Name, cfg.Build = "bullpen", currentVersion().Version
	if cfg.TLS == nil && cfg.Pin != "" {
		cfg.TLS = trust.Pinned(cfg.Pin)
	}
	return &client{office: office.New(cfg), cfg: cfg, base: cfg.URL, shown: cfg.URL}
}

// checkData returns an error if the data directory is needed and does not exist, so that a typo in
// --data does not look like an office without data.
func (s *settings) checkData() error {
	if _, err := os.Stat(s.data); errors.Is(err, fs.ErrNotExist) && !s.inCluster() {
		return &exitError{code: exitNotRunning, err: fmt.Errorf("there is no office in %s; check --data", s.data)}
	}
	return nil
}

// line returns a bullpen command line for the office. It includes --data or --url unless the
// office is the one in the default data directory.
func (c *client) line(verb, rest string) string {
	if !c.own {
		rest = strings.TrimSpace("--url " + agents.ShellWord(c.base) + " " + rest)
	}
	return (&agents.Machine{DataDir: c.data}).Command(verb, rest)
}

// line returns a bullpen command line with --data, unless the data directory is the default.
func (s *settings) line(verb string) string {
	return (&agents.Machine{DataDir: s.otherData()}).Command(verb, "")
}

// get decodes the JSON response to a GET request into out. A refusal, or a response that does not
// match out, is an error.
func (c *client) get(ctx context.Context, path string, out any) error {
	return c.checkResponse(c.office.Get(ctx, path, out), out)
}

// send is like get, but with another method and, unless body is nil, a JSON body.
func (c *client) send(ctx context.Context, method, path string, body, out any) error {
	return c.checkResponse(c.office.Send(ctx, method, path, body, out), out)
}

// post sends a body, which may contain invalid UTF-8: the office replaces the invalid bytes. key is
// the idempotency key; "" sends none.
func (c *client) post(ctx context.Context, path, contentType, body, key string, out any) error {
	req, err := c.office.Request(ctx, http.MethodPost, path, strings.NewReader(body))
	if err != nil {
		return usageError("invalid URL %s%s: %w", c.base, path, err)
	}
	req.Header.Set("Content-Type", contentType)
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	return c.checkResponse(c.office.Exchange(req, out), out)
}

// Content types for post.
const (
	typeText = "text/plain; charset=utf-8"
	typeJSON = "application/json"
)

// readyPath is the path of the readiness check. It responds with 503 and the reasons while the
// office is not ready.
const readyPath = "/readyz"

// checkResponse converts a request's error like requestFailed, except that a 503 from readyPath
// counts as a response and is decoded into out. Any other failure is an error, because a proxy's
// error page must not be mistaken for an empty list.
func (c *client) checkResponse(err error, out any) error {
	var status *office.StatusError
	if errors.As(err, &status) && status.Refusal == nil && status.Path == readyPath && status.Status == http.StatusServiceUnavailable && json.Unmarshal(status.Body, out) == nil {
		return nil
	}
	return c.requestFailed(err)
}

// requestFailed converts a request's error to an error with a readable message and an exit code.
func (c *client) requestFailed(err error) error {
	var dial *office.DialError
	var status *office.StatusError
	var coded *exitError
	switch {
	case err == nil || errors.As(err, &coded):
		return err
	case errors.As(err, &dial):
		return c.unreachable(dial)
	case !errors.As(err, &status):
		return fmt.Errorf("%s: %w", c.base, err)
	}
	if why := trust.ExplainAnswer(status.Status, status.Body, c.base); why != nil {
		return &exitError{code: exitTLS, err: why}
	}
	if r := status.Refusal; r != nil && r.Code != "" && status.Status >= http.StatusBadRequest {
		return c.denied(httpRefusal(c.base, status.Path, status.Status, *r))
	}
	return c.notAnOffice(fmt.Sprintf("%s returned HTTP %d %q", status.Path, status.Status, excerpt(status.Body)))
}

// limitExcerpt is the maximum width, in cells, of the excerpt shown from an unexpected response.
const limitExcerpt = 60

func excerpt(answer []byte) string {
	return ansi.Truncate(model.Line(string(answer)), limitExcerpt, "…")
}

// notAnOffice returns the error for a server that is not an office.
func (c *client) notAnOffice(saw string) error {
	return fmt.Errorf("the server at %s is not Bullpen, or is a different version (this is %s): %s; check the address", c.base, currentVersion().Version, saw)
}

// unreachable returns the error for an office that does not respond. A cancelled request keeps its
// own error.
func (c *client) unreachable(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	if why := trust.Explain(err, c.base); why != nil {
		return &exitError{code: exitTLS, err: why}
	}
	var lookup *net.DNSError
	switch {
	case errors.As(err, &lookup):
		err = fmt.Errorf("%w; check the address", err)
	case c.own:
		err = fmt.Errorf("no office is responding at %s (%w); start one with `%s`", c.base, err, c.line("serve", ""))
	default:
		err = fmt.Errorf("no office is responding at %s (%w); check the address, or start the office there", c.base, err)
	}
	return &exitError{code: exitNotRunning, err: err}
}

// denied names BULLPEN_TOKEN in the error for a rejected token, if the token came from there.
func (c *client) denied(err error) error {
	var coded *exitError
	if c.given && errors.As(err, &coded) && coded.code == exitDenied {
		coded.err = fmt.Errorf("%w; the token came from %s", coded.err, tokenVariable)
	}
	return err
}
