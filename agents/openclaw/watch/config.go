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

// Config says which gateway to follow. Everything without a default is required.
type Config struct {
	URL     string // ws:// or wss://
	Tag     string // tells the agents of several gateways apart; default none
	Token   string // shared by the gateway with its operators; default: what was stored for this device
	Watch   bool   // only look: no stop, no new, no approvals
	Dir     string // where the device's key and tokens lie; default: in memory
	Version string // of Bullpen; default "dev"

	KeepThinking bool // store what agents think, not only that they do

	Price func(contracts.Usage, int64) (float64, bool) // of reports that name none; nil knows no price

	Office agents.Office
	Roster agents.Roster

	Now    func() time.Time // default time.Now
	Jitter func() float64   // 0 to 1; default random
	Dial   func(ctx context.Context, network, addr string) (net.Conn, error)
	Log    *slog.Logger // default silent
}

func (c Config) withDefaults() Config {
	c.Version = cmp.Or(c.Version, "dev")
	if c.Now == nil {
		c.Now = time.Now
	}
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	return c
}

// scopes are what is asked for. Stopping and resetting what others began, and
// seeing their approvals, takes the administrator's scope: see the gateway's
// answer `missing scope: operator.admin`.
func (c Config) scopes() []string {
	if c.Watch {
		return []string{"operator.read"}
	}
	return []string{"operator.admin", "operator.approvals", "operator.read", "operator.write"}
}

// Address checks a gateway's address and writes it in one way. Beyond this machine
// the token must not travel in the clear.
func Address(text string, plaintext bool) (string, error) {
	u, err := url.Parse(text)
	if err != nil {
		return "", fmt.Errorf("openclaw %q is not an address like ws://127.0.0.1:18789", text)
	}
	switch u.Scheme {
	case "http":
		u.Scheme = "ws"
	case "https":
		u.Scheme = "wss"
	}
	if u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || (u.Scheme != "ws" && u.Scheme != "wss") {
		return "", fmt.Errorf("openclaw %q is not an address like ws://127.0.0.1:18789", text)
	}
	if u.Scheme == "ws" && !plaintext && !loopback(u.Hostname()) {
		return "", fmt.Errorf("openclaw %q would send the gateway's token in the clear: use wss://, a tunnel to 127.0.0.1, or --insecure-plaintext", text)
	}
	u.Path = cmp.Or(u.Path, "/")
	return u.String(), nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Addresses checks the addresses of all gateways.
func Addresses(list []string, plaintext bool) (urls []string, err error) {
	if len(list) > contracts.LimitGateways {
		return nil, fmt.Errorf("openclaw: %d gateways are too many; the office follows at most %d", len(list), contracts.LimitGateways)
	}
	seen := map[string]bool{}
	for _, text := range list {
		address, err := Address(text, plaintext)
		if err != nil {
			return nil, err
		}
		if seen[address] {
			return nil, fmt.Errorf("openclaw %q is given twice", text)
		}
		seen[address] = true
		urls = append(urls, address)
	}
	return urls, nil
}

// gateway is how the reader names the gateway of a configuration.
func (c Config) gateway() translate.Gateway {
	name := c.URL
	if u, err := url.Parse(c.URL); err == nil && u.Host != "" {
		name = u.Host
	}
	return translate.Gateway{Name: name, Tag: c.Tag, KeepThinking: c.KeepThinking, Price: c.Price}
}
