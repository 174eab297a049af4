package hub

import (
	"bufio"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/gobwas/ws"

	"github.com/bullpen-office/bullpen/contracts"
)

// ServeWorld upgrades a viewer's connection on /ws/world. The handler returns immediately while the
// session continues to run, so that the HTTP server's buffers can be freed.
func (h *Hub) ServeWorld(w http.ResponseWriter, r *http.Request) {
	principal := h.principal(r)
	conn, early, ok := h.upgrade(w, r)
	if !ok {
		return
	}
	s := newSession(h, conn, early, principal)
	if code, ok := h.registry.add(&s.connection, &h.limits); !ok {
		h.rejectConnection(conn, code)
		return
	}
	s.shard = h.shardFor()
	s.shard.add(s)
	go s.run()
}

// upgrade performs the WebSocket handshake. early holds bytes that the client sent together with
// the handshake; ok is false if the request was refused.
func (h *Hub) upgrade(w http.ResponseWriter, r *http.Request) (conn net.Conn, early []byte, ok bool) {
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		w.Header().Set("Upgrade", "websocket")
		h.httpRefuse(w, http.StatusUpgradeRequired, contracts.Refuse(contracts.CodeNotAllowed, "%s is a WebSocket endpoint; connect with a WebSocket client", r.URL.Path))
		return nil, nil, false
	}
	var rw *bufio.ReadWriter
	up := ws.HTTPUpgrader{Timeout: h.limits.WriteTimeout, Header: http.Header{}}
	h.setLedgerHeaders(up.Header)
	conn, rw, _, err := up.Upgrade(r, w)
	if err != nil {
		if conn != nil {
			conn.Close()
		}
		h.logger.Debug("handshake rejected", "path", r.URL.Path, "err", err)
		return nil, nil, false
	}
	if n := rw.Reader.Buffered(); n > 0 {
		b, _ := rw.Reader.Peek(n)
		early = append(early, b...)
	}
	return conn, early, true
}

// rejectConnection rejects a connection after its handshake, so that a close frame can tell the
// client the reason.
func (h *Hub) rejectConnection(conn net.Conn, code contracts.CloseCode) {
	h.metrics.closed(code)
	_ = conn.SetDeadline(time.Now().Add(contracts.CloseGrace))
	_, _ = conn.Write(closeFrame(code, refusalOf(code).Message))
	conn.Close()
}
