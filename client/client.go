// Package client talks to a Bullpen office: it follows the world, sends commands and reads the
// state.
//
//	c := client.New(client.Config{URL: "http://127.0.0.1:4777", Token: token})
//	ack, err := c.Do(ctx, contracts.SubmitRequest{Text: "Write a launch note"})
//	err = c.Get(ctx, "/v1/state", &snapshot)
//	err = c.Follow(ctx, client.Subscription{Events: true}, func(u client.Update) error { … })
//
// It guarantees: a command has one id and takes effect once, however often the connection breaks;
// Follow resumes where it left off, without gaps or duplicates, or reports Reset; retries back off
// with jitter; every wait is bounded by ctx or by a limit in contracts. It never folds the world,
// and never sends the token to an address other than URL.
package client

import (
	"cmp"
	"crypto/tls"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/bullpen-office/bullpen/client/socket"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/trust"
)

// Config names the office and the client. Only URL is required.
type Config struct {
	URL      string      // http or https, without a path
	Token    string      // default: none, which works for an office on this machine without --require-token
	TLS      *tls.Config // default: standard certificate verification
	Pin      string      // SHA-256 of the one certificate to trust, in hex; ignored if TLS is set
	ID       string      // scope of command ids; default random
	Name     string      // shown to people; default "client"
	Build    string
	Platform string

	Connect time.Duration // timeout for a request's TCP connection; default contracts.ClientConnect
	Timeout time.Duration // timeout for a request; default contracts.BodyTimeout; if negative, only ctx limits it
}

// Client is a client of one office, safe for concurrent use.
type Client struct {
	cfg      Config
	http     *http.Client
	mail     mailbox
	retryNow chan struct{}

	mu        sync.Mutex
	following bool
	conn      *socket.Conn // Follow's connection while it is live
}

// New returns a client; it connects on first use.
func New(cfg Config) *Client {
	cfg.URL = strings.TrimRight(cfg.URL, "/")
	cfg.ID = cmp.Or(cfg.ID, newID("client"))
	cfg.Name = cmp.Or(cfg.Name, "client")
	if cfg.TLS == nil && cfg.Pin != "" {
		cfg.TLS = trust.Pinned(cfg.Pin)
	}
	cfg.Timeout = cmp.Or(cfg.Timeout, contracts.BodyTimeout)
	dialer := net.Dialer{Timeout: cmp.Or(cfg.Connect, contracts.ClientConnect)}
	return &Client{cfg: cfg, retryNow: make(chan struct{}, 1), http: &http.Client{
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext,
			TLSClientConfig: cfg.TLS, IdleConnTimeout: contracts.BodyTimeout,
		},
		// Redirects are not followed, because the token must not be sent elsewhere.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

func (c *Client) socket() socket.Config {
	return socket.Config{URL: c.cfg.URL + "/ws/world", Token: c.cfg.Token, TLS: c.cfg.TLS}
}

func (c *Client) hello() contracts.Hello {
	return contracts.Hello{
		Client:            contracts.ClientInfo{ID: c.cfg.ID, Name: c.cfg.Name, Build: c.cfg.Build, Platform: c.cfg.Platform},
		SupportedVersions: []int{contracts.ProtocolVersion},
	}
}

func newID(prefix string) string { return prefix + "_" + strings.ReplaceAll(uuid.NewString(), "-", "") }
