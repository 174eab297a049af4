package link

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"

	"github.com/bullpen-office/bullpen/contracts"
)

// line is one WebSocket.
type line struct {
	conn   net.Conn
	reader *wsutil.Reader

	mu      sync.Mutex // of the writes, and of the deadline
	timeout time.Duration
}

// dial opens the socket of the office.
func (l *Link) dial(ctx context.Context) (*line, error) {
	header := http.Header{}
	if l.cfg.Token != "" {
		header.Set("Authorization", "Bearer "+l.cfg.Token)
	}
	ctx, cancel := context.WithTimeout(ctx, contracts.HelloTimeout) // of the handshake too, unlike the dialer's own
	defer cancel()
	dialer := ws.Dialer{TLSConfig: l.cfg.TLS, Header: ws.HandshakeHeaderHTTP(header)}
	conn, early, _, err := dialer.Dial(ctx, "ws"+strings.TrimPrefix(l.cfg.Server, "http")+"/ws/world")
	if err != nil {
		return nil, err
	}
	n := &line{conn: conn, timeout: contracts.HeartbeatTimeout}
	source := early
	if source == nil {
		source = bufio.NewReaderSize(conn, 32<<10)
	}
	n.reader = &wsutil.Reader{Source: source, State: ws.StateClientSide, CheckUTF8: true, MaxFrameSize: contracts.LimitServerMessage, OnIntermediate: n.control}
	return n, nil
}

// control answers pings and hears the close frame, also between fragments.
func (n *line) control(h ws.Header, r io.Reader) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	_ = n.conn.SetWriteDeadline(time.Now().Add(contracts.WriteTimeout))
	return wsutil.ControlHandler{Src: r, Dst: n.conn, State: ws.StateClientSide}.Handle(h)
}

// read gives the next text; the silence may last the heartbeat's timeout.
func (n *line) read() ([]byte, error) {
	n.expect(0)
	for {
		h, err := n.reader.NextFrame()
		if err != nil {
			return nil, err
		}
		if h.OpCode.IsControl() {
			if err := n.control(h, n.reader); err != nil {
				return nil, err
			}
			n.expect(0)
			continue
		}
		text, err := io.ReadAll(io.LimitReader(n.reader, contracts.LimitServerMessage+1))
		if err == nil && len(text) > contracts.LimitServerMessage {
			err = wsutil.ErrFrameTooLarge
		}
		return text, err
	}
}

// expect sets how long the silence may last; zero is the heartbeat's timeout.
func (n *line) expect(within time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if within == 0 {
		within = n.timeout
	}
	_ = n.conn.SetReadDeadline(time.Now().Add(within))
}

func (n *line) write(text []byte) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	_ = n.conn.SetWriteDeadline(time.Now().Add(contracts.WriteTimeout))
	return wsutil.WriteClientText(n.conn, text)
}

// bye closes in good order.
func (n *line) bye() {
	n.mu.Lock()
	defer n.mu.Unlock()
	_ = n.conn.SetWriteDeadline(time.Now().Add(contracts.CloseGrace))
	_ = wsutil.WriteClientMessage(n.conn, ws.OpClose, ws.NewCloseFrameBody(ws.StatusNormalClosure, ""))
	_ = n.conn.Close()
}

// beat pings while the connection lives. A clock that jumped means that the
// machine slept: then the line answers soon or is given up.
func (n *line) beat(ctx context.Context, interval time.Duration, ping func()) {
	const look = time.Second
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	last, pinged := time.Now().Round(0), time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now := time.Now().Round(0) // the wall clock, which goes on in sleep
		slept := now.Sub(last) > contracts.LinkNap
		last = now
		if slept {
			n.expect(contracts.LinkDoubt)
		}
		if slept || time.Since(pinged) >= interval {
			pinged = time.Now()
			ping()
		}
	}
}

// codeOf is the close code of an ended connection; 1006 when there was none.
func codeOf(err error) contracts.CloseCode {
	var closed wsutil.ClosedError
	if errors.As(err, &closed) {
		return contracts.CloseCode(closed.Code)
	}
	var quiet net.Error
	if errors.As(err, &quiet) && quiet.Timeout() {
		return contracts.CloseHeartbeat
	}
	return closeAbnormal
}
