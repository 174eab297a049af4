package watch

import (
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/client/socket"
	"github.com/bullpen-office/bullpen/contracts"
)

// wire is a connection to a gateway.
type wire struct{ conn *socket.Conn }

func dial(ctx context.Context, cfg Config) (*wire, error) {
	conn, err := socket.Dial(ctx, socket.Config{URL: cfg.URL, Dial: cfg.Dial, Handshake: contracts.GatewayHandshake, Write: contracts.GatewayHandshake, Limit: contracts.LimitGatewayFrame})
	if err != nil {
		return nil, err
	}
	return &wire{conn}, nil
}

func (w *wire) close() { w.conn.Abort() }

// next reads one message within the given time. If the message is too large, it skips the message
// and returns its size as tooLarge.
func (w *wire) next(within time.Duration) (message []byte, tooLarge int64, err error) {
	w.conn.SetSilence(within)
	message, err = w.conn.Read()
	if large, ok := errors.AsType[*socket.TooLargeError](err); ok {
		return nil, large.Size, nil
	}
	return message, 0, err
}

type request struct {
	Type   string `json:"type"`
	ID     string `json:"id"`
	Method string `json:"method"`
	Params any    `json:"params"`
}

func (w *wire) send(id, method string, params any) error {
	text, err := json.Marshal(request{Type: "req", ID: id, Method: method, Params: params}, json.Deterministic(true))
	if err != nil {
		return err
	}
	return w.conn.Write(text)
}
