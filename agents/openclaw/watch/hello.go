package watch

import (
	"encoding/base64"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/agents/openclaw/translate"
	"github.com/bullpen-office/bullpen/contracts"
)

// The client id and mode that we send to a gateway. A gateway accepts only known clients; this pair
// is for third-party programs that have a device identity.
const (
	clientID   = "gateway-client"
	clientMode = "ui"
)

// hello is the gateway's response to a connect request.
type hello struct {
	Protocol int `json:"protocol"`
	Server   struct {
		Version string `json:"version"`
	} `json:"server"`
	Features struct {
		Methods []string `json:"methods"`
	} `json:"features"`
	Auth struct {
		DeviceToken string   `json:"deviceToken"`
		Scopes      []string `json:"scopes"`
	} `json:"auth"`
	Policy struct {
		TickIntervalMS int64 `json:"tickIntervalMs"`
	} `json:"policy"`
}

// tick returns the interval between the gateway's ticks, within the limits of package contracts.
func (h *hello) tick() time.Duration {
	if h.Policy.TickIntervalMS <= 0 {
		return contracts.GatewayTick
	}
	most := int64(contracts.GatewayTickMax / time.Millisecond)
	return max(contracts.GatewayTickMin, time.Duration(min(h.Policy.TickIntervalMS, most))*time.Millisecond)
}

// challenge is the gateway's first message, which the device must sign.
type challenge struct {
	Nonce string `json:"nonce"`
	TS    int64  `json:"ts"`
}

// awaitChallenge reads the gateway's first message. It returns errNotGateway if the message is not
// a challenge.
func (w *wire) awaitChallenge() (c challenge, err error) {
	f, err := w.frame(contracts.GatewayHandshake)
	if err != nil {
		return c, err
	}
	if f.Event != "connect.challenge" {
		return c, fmt.Errorf("%w: its first message is not connect.challenge", errNotGateway)
	}
	if err := translate.Decode(f.Payload, &c); err != nil || c.Nonce == "" || c.TS < 0 {
		return c, fmt.Errorf("%w: its challenge cannot be decoded", errNotGateway)
	}
	return c, nil
}

var errNotGateway = errors.New("not an OpenClaw gateway")

// frame reads one message during the handshake. It returns errNotGateway if the message is invalid.
func (w *wire) frame(within time.Duration) (translate.Frame, error) {
	text, tooLarge, err := w.next(within)
	if err != nil {
		return translate.Frame{}, err
	}
	if tooLarge > 0 {
		return translate.Frame{}, fmt.Errorf("%w: its first message is too large (%d bytes)", errNotGateway, tooLarge)
	}
	f, err := translate.ParseFrame(text)
	if err != nil {
		return f, fmt.Errorf("%w: %w", errNotGateway, err)
	}
	return f, nil
}

// connect answers the challenge and returns the gateway's response. The error is a *translate.Error
// if the gateway rejects the connection.
func (w *wire) connect(cfg Config, d *device, token string, c challenge) (*hello, error) {
	const id = "connect"
	if err := w.send(id, "connect", connectParams(cfg, d, token, c)); err != nil {
		return nil, err
	}
	for {
		f, err := w.frame(contracts.GatewayHandshake)
		if err != nil {
			return nil, err
		}
		if f.Type != "res" || f.ID != id {
			continue // events may arrive in between
		}
		if !f.OK {
			if f.Error == nil {
				return nil, fmt.Errorf("%w: it rejected the connection without giving a reason", errNotGateway)
			}
			return nil, f.Error
		}
		var h hello
		if err := translate.Decode(f.Payload, &h); err != nil {
			return nil, fmt.Errorf("%w: its hello cannot be decoded: %w", errNotGateway, err)
		}
		if h.Protocol != translate.Protocol {
			return nil, &wrongProtocol{h.Protocol}
		}
		return &h, nil
	}
}

type wrongProtocol struct{ theirs int }

func (e *wrongProtocol) Error() string {
	return fmt.Sprintf("the gateway uses protocol version %d, but Bullpen supports version %d", e.theirs, translate.Protocol)
}

func connectParams(cfg Config, d *device, token string, c challenge) map[string]any {
	const role, family = "operator", ""
	scopes := cfg.scopes()
	caps := []string{"tool-events"}
	if !cfg.ReadOnly {
		caps = append(caps, "approvals", "exec-approvals", "plugin-approvals")
	}
	signature := d.sign(clientID, clientMode, role, strings.Join(scopes, ","), strconv.FormatInt(c.TS, 10), token, c.Nonce, runtime.GOOS, family)
	return map[string]any{
		"minProtocol": translate.Protocol, "maxProtocol": translate.Protocol,
		"client": map[string]any{"id": clientID, "displayName": "Bullpen", "version": cfg.Version, "platform": runtime.GOOS, "mode": clientMode},
		"role":   role, "scopes": scopes, "caps": caps, "auth": map[string]any{"token": token},
		"device": map[string]any{
			"id": d.id(), "publicKey": base64.RawURLEncoding.EncodeToString(d.publicKey()), "signature": signature, "signedAt": c.TS, "nonce": c.Nonce,
		},
	}
}
