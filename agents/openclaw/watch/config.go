package watch

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"time"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/openclaw/translate"
	"github.com/bullpen-office/bullpen/contracts"
)

// Config configures a Follower or a Client. URL is required. Follower.Run also needs Office and
// Roster.
type Config struct {
	URL      string // ws:// or wss://
	Tag      string // marks the gateway's agents if there are several gateways; default: none
	Token    string // the gateway's operator token; default: the token stored for this device
	ReadOnly bool   // the office cannot stop agents, start sessions or answer approvals
	Dir      string // directory for the device key and tokens; default: they are kept in memory
	Version  string // Bullpen's version; default: "dev"

	KeepThinking bool // store agents' thinking text

	// Price estimates the cost of usage that was reported without a cost. It returns false if the
	// price is unknown. If Price is nil, no cost is estimated.
	Price func(contracts.Usage, int64) (float64, bool)

	Office agents.Office
	Roster agents.Roster

	Now    func() time.Time // default: time.Now
	Jitter func() float64   // returns a number from 0 to 1; default: random
	Dial   func(ctx context.Context, network, addr string) (net.Conn, error)
	Log    *slog.Logger // default: no logging
}

func (c Config) withDefaults() Config {
	c.Version = cmp.Or(c.Version, "dev")
	if c.Now == nil {
		c.Now = time.Now
	}
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	return c
}

// scopes returns the scopes to request. Without operator.admin, the gateway refuses to stop or
// reset other clients' sessions or to show their approvals (`missing scope: operator.admin`).
func (c Config) scopes() []string {
	if c.ReadOnly {
		return []string{"operator.read"}
	}
	return []string{"operator.admin", "operator.approvals", "operator.read", "operator.write"}
}

// Address validates and normalizes a gateway's address. Unless plaintext is true, addresses of
// other machines must use TLS, because otherwise the token would be sent unencrypted.
func Address(text string, plaintext bool) (string, error) {
	u, err := url.Parse(text)
	if err != nil {
		return "", fmt.Errorf("%q is not a gateway URL; use one like ws://127.0.0.1:18789", text)
	}
	switch u.Scheme {
	case "http":
		u.Scheme = "ws"
	case "https":
		u.Scheme = "wss"
	}
	if u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || (u.Scheme != "ws" && u.Scheme != "wss") {
		return "", fmt.Errorf("%q is not a gateway URL; use one like ws://127.0.0.1:18789", text)
	}
	if u.Scheme == "ws" && !plaintext && !loopback(u.Hostname()) {
		return "", fmt.Errorf("the token would be sent to OpenClaw gateway %q without TLS: use wss://, a tunnel to 127.0.0.1, or --insecure-plaintext", text)
	}
	u.Path = cmp.Or(u.Path, "/")
	return u.String(), nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Addresses validates and normalizes the addresses of all gateways. It rejects duplicates and more
// than contracts.LimitGateways addresses.
func Addresses(list []string, plaintext bool) (urls []string, err error) {
	if len(list) > contracts.LimitGateways {
		return nil, fmt.Errorf("too many gateways: %d (limit %d)", len(list), contracts.LimitGateways)
	}
	seen := map[string]bool{}
	for _, text := range list {
		address, err := Address(text, plaintext)
		if err != nil {
			return nil, err
		}
		if seen[address] {
			return nil, fmt.Errorf("OpenClaw gateway %q is listed twice", text)
		}
		seen[address] = true
		urls = append(urls, address)
	}
	return urls, nil
}

// gateway describes the gateway for the reader.
func (c Config) gateway() translate.Gateway {
	name := c.URL
	if u, err := url.Parse(c.URL); err == nil && u.Host != "" {
		name = u.Host
	}
	return translate.Gateway{Name: name, Tag: c.Tag, KeepThinking: c.KeepThinking, Price: c.Price}
}
