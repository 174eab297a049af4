package watch

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/bullpen-office/bullpen/agents/openclaw/translate"
	"github.com/bullpen-office/bullpen/contracts"
)

// Client is a connection for talking to one of a gateway's agents instead of following all of them.
// One goroutine may call Next while another calls Send.
type Client struct {
	wire  *wire
	hello *hello
	count int
}

// dialTries is the maximum number of attempts to connect to a gateway that is busy or starting.
const dialTries = 6

// Dial connects to a gateway with the identity of this office's device. It retries a few times if
// the gateway is reachable but busy or starting. If the gateway cannot be used, the error is a
// *Problem that describes what to do.
func Dial(ctx context.Context, cfg Config) (*Client, error) {
	f, err := New(cfg)
	if err != nil {
		return nil, err
	}
	w, h, err := f.authenticate(ctx)
	for tries := 1; err != nil; tries++ {
		p := explain(f.gateway.Name, err)
		if !p.temporary || tries == dialTries || !f.waitForRetry(ctx, f.pause(p)) {
			return nil, p
		}
		w, h, err = f.authenticate(ctx)
	}
	if err := f.device.keep(cfg.URL, h.Auth.DeviceToken); err != nil {
		f.cfg.Log.Warn("could not store a gateway token", "gateway", f.gateway.Name, "error", err)
	}
	return &Client{wire: w, hello: h}, nil
}

// Send sends a request and returns its id. The response has the same id.
func (c *Client) Send(method string, params any) (id string, err error) {
	c.count++
	id = strconv.Itoa(c.count)
	return id, c.wire.send(id, method, params)
}

// Next returns the next valid message. It returns an error if the connection has ended, or after
// GatewayMissedTicks ticks without a message.
func (c *Client) Next() (translate.Frame, error) {
	for {
		text, tooLarge, err := c.wire.next(contracts.GatewayMissedTicks * c.hello.tick())
		switch {
		case err != nil:
			return translate.Frame{}, fmt.Errorf("the connection to the gateway ended: %w", err)
		case tooLarge > 0:
			continue
		}
		if f, err := translate.ParseFrame(text); err == nil {
			return f, nil
		}
	}
}

// Close closes the connection, which makes Next return an error.
func (c *Client) Close() { c.wire.close() }

// Check connects to a gateway and describes the result, for `bullpen doctor`. If there is no device
// key, it checks only that the address is a gateway, because authenticating would pair the device.
func Check(ctx context.Context, cfg Config) (string, error) {
	cfg = cfg.withDefaults()
	name := cfg.gateway().Name
	if !hasDeviceKey(cfg.Dir) {
		w, err := dial(ctx, cfg)
		if err != nil {
			return "", explain(name, err)
		}
		defer w.close()
		if _, err := w.awaitChallenge(); err != nil {
			return "", explain(name, err)
		}
		return name + " is a gateway; this device will be paired when the office first connects", nil
	}
	f, err := New(cfg)
	if err != nil {
		return "", err
	}
	w, h, err := f.authenticate(ctx)
	if err != nil {
		return "", explain(name, err)
	}
	w.close()
	return fmt.Sprintf("%s runs OpenClaw %s and allows %s", name, h.Server.Version, strings.Join(h.Auth.Scopes, ", ")), nil
}
