package openclaw

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/go-json-experiment/json"
	"github.com/gobwas/ws"
)

// wire is a connection to a gateway. One goroutine reads; writing is safe for all.
type wire struct {
	conn net.Conn
	in   *bufio.Reader

	writing sync.Mutex
}

// dial opens a connection. Nothing is compressed: gateways do not offer it.
func dial(ctx context.Context, cfg Config) (*wire, error) {
	ctx, cancel := context.WithTimeout(ctx, contracts.GatewayHandshake) // the dialer's own timeout ends before the handshake
	defer cancel()
	d := ws.Dialer{NetDial: cfg.Dial}
	conn, buffered, _, err := d.Dial(ctx, cfg.URL)
	if err != nil {
		return nil, err
	}
	if buffered == nil {
		buffered = bufio.NewReader(conn)
	}
	return &wire{conn: conn, in: buffered}, nil
}

func (w *wire) close() { _ = w.conn.Close() }

// errClosed says that the gateway said goodbye.
type errClosed struct {
	code   ws.StatusCode
	reason string
}

func (e *errClosed) Error() string {
	if e.reason == "" {
		return fmt.Sprintf("the gateway closed the connection (%d)", e.code)
	}
	return fmt.Sprintf("the gateway closed the connection (%d: %s)", e.code, contracts.CleanLine(e.reason))
}

var errNonsense = errors.New("what it sends is no WebSocket message")

// limitDiscard is the size of a frame that is not even worth leaving out.
const limitDiscard = 1 << 30

// next reads one message within the given time. A message that is too large is
// left out: tooLarge is its size so far.
func (w *wire) next(within time.Duration) (message []byte, tooLarge int64, err error) {
	var whole bytes.Buffer
	var size int64
	for {
		if err := w.conn.SetReadDeadline(time.Now().Add(within)); err != nil {
			return nil, 0, err
		}
		h, err := ws.ReadHeader(w.in)
		if err != nil {
			return nil, 0, err
		}
		if h.Masked || h.Rsv != 0 || h.Length < 0 || h.Length > limitDiscard {
			return nil, 0, errNonsense
		}
		if h.OpCode.IsControl() {
			if err := w.control(h); err != nil {
				return nil, 0, err
			}
			continue
		}
		size += h.Length
		into := io.Writer(&whole)
		if size > contracts.LimitGatewayFrame {
			whole.Reset()
			into = io.Discard
		}
		if _, err := io.CopyN(into, w.in, h.Length); err != nil {
			return nil, 0, err
		}
		switch {
		case !h.Fin:
			continue
		case size > contracts.LimitGatewayFrame:
			return nil, size, nil
		}
		return whole.Bytes(), 0, nil
	}
}

// control answers pings and takes goodbyes.
func (w *wire) control(h ws.Header) error {
	if h.Length > ws.MaxControlFramePayloadSize || !h.Fin {
		return errNonsense
	}
	payload := make([]byte, h.Length)
	if _, err := io.ReadFull(w.in, payload); err != nil {
		return err
	}
	switch h.OpCode {
	case ws.OpPing:
		return w.write(ws.NewPongFrame(payload))
	case ws.OpClose:
		code, reason := ws.ParseCloseFrameData(payload)
		_ = w.write(ws.NewCloseFrame(ws.NewCloseFrameBody(ws.StatusNormalClosure, "")))
		return &errClosed{code, reason}
	}
	return nil
}

// request is what is asked of a gateway.
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
	return w.write(ws.NewTextFrame(text))
}

func (w *wire) write(f ws.Frame) error {
	w.writing.Lock()
	defer w.writing.Unlock()
	if err := w.conn.SetWriteDeadline(time.Now().Add(contracts.GatewayHandshake)); err != nil {
		return err
	}
	return ws.WriteFrame(w.conn, ws.MaskFrameInPlace(f))
}
