package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
	"github.com/google/uuid"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/server"
)

// limitServerFrame is more than any message of the office.
const limitServerFrame = 64 << 20

// envelope is a message on the office's socket.
type envelope struct {
	Type    contracts.MessageType `json:"type"`
	ID      string                `json:"id"`
	TS      int64                 `json:"ts"`
	Version int                   `json:"v"`
	Payload jsontext.Value        `json:"payload"`
}

// desk is a connection by which commands are given.
type desk struct {
	office *client
	conn   net.Conn
	in     io.Reader
}

// sit connects to the office's socket and says hello.
func (c *client) sit(ctx context.Context) (*desk, error) {
	dialling, cancel := context.WithTimeout(ctx, clientTimeout) // of the handshake too, unlike the dialer's own
	defer cancel()
	d := ws.Dialer{NetDial: (&net.Dialer{Timeout: connectTimeout}).DialContext, Header: ws.HandshakeHeaderHTTP{}}
	if c.token != "" {
		d.Header = ws.HandshakeHeaderHTTP(http.Header{"Authorization": {"Bearer " + c.token}})
	}
	d.TLSConfig = c.tls()
	conn, buffered, _, err := d.Dial(dialling, "ws"+strings.TrimPrefix(c.base, "http")+"/ws/world")
	var refused ws.StatusError
	switch {
	case notSocket(err):
		if _, err := c.call(ctx, http.MethodGet, "/healthz", new(server.Health)); hasCode(err, exitTLS) {
			return nil, err // plain HTTP to a TLS port: the handshake does not show what the answer said
		}
		return nil, c.stranger("it has no socket for commands")
	case errors.As(err, &refused):
		return nil, c.denied(socketRefused(c.base, int(refused)))
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, c.unreachable(err)
	}
	s := &desk{office: c, conn: conn, in: conn}
	if buffered != nil {
		s.in = io.MultiReader(buffered, conn)
	}
	context.AfterFunc(ctx, func() { _ = conn.Close() })
	_, err = s.ask(contracts.TypeHello, "hello", contracts.Hello{Client: contracts.ClientInfo{Name: "bullpen", Build: currentVersion().Version}, SupportedVersions: []int{1}}, contracts.TypeHelloAck)
	if err != nil {
		s.leave()
		return nil, err
	}
	return s, nil
}

// notSocket reports an answer that is HTTP of some kind, but opens no socket.
func notSocket(err error) bool {
	var odd *ws.ConnectionRejectedError
	var status ws.StatusError
	return errors.As(err, &odd) || errors.Is(err, ws.ErrMalformedResponse) || errors.As(err, &status) && status < http.StatusBadRequest
}

func (s *desk) leave() {
	_ = s.conn.SetWriteDeadline(time.Now().Add(contracts.CloseGrace))
	_ = wsutil.WriteClientMessage(s.conn, ws.OpClose, ws.NewCloseFrameBody(ws.StatusNormalClosure, ""))
	_ = s.conn.Close()
}

// say sends a message and returns its id.
func (s *desk) say(kind contracts.MessageType, payload any) (id string, err error) {
	body, err := json.Marshal(payload)
	if err != nil {
		return "", fmt.Errorf("encode %s: %w", kind, err)
	}
	id = "cli_" + uuid.NewString()
	frame, err := json.Marshal(envelope{Type: kind, ID: id, TS: time.Now().UnixMilli(), Version: 1, Payload: body})
	if err != nil {
		return "", fmt.Errorf("encode %s: %w", kind, err)
	}
	if len(frame) > contracts.LimitFrame {
		return "", tooLong("one message", "bytes", contracts.LimitFrame, len(frame))
	}
	_ = s.conn.SetWriteDeadline(time.Now().Add(clientTimeout))
	if err := wsutil.WriteClientText(s.conn, frame); err != nil {
		return "", fmt.Errorf("the office does not listen any more: %w", err)
	}
	return id, nil
}

// next reads one message; it fails when none comes in time.
func (s *desk) next(end time.Time) (e envelope, err error) {
	_ = s.conn.SetDeadline(end)
	reader := wsutil.Reader{Source: s.in, State: ws.StateClientSide, CheckUTF8: true, MaxFrameSize: limitServerFrame, OnIntermediate: wsutil.ControlFrameHandler(s.conn, ws.StateClientSide)}
	for {
		h, err := reader.NextFrame()
		if err != nil {
			return e, fmt.Errorf("the office said nothing more: %w", err)
		}
		if h.OpCode.IsControl() {
			if err := reader.OnIntermediate(h, &reader); err != nil {
				return e, s.office.denied(socketClosed(s.office.base, err))
			}
			continue
		}
		body, err := io.ReadAll(io.LimitReader(&reader, limitServerFrame))
		if err == nil {
			err = json.Unmarshal(body, &e)
		}
		if err != nil {
			return e, s.office.stranger(fmt.Sprintf("it said %q", excerpt(body)))
		}
		return e, nil
	}
}

// ask sends a message and waits for the answer of that kind. A refusal is an error
// with the exit code of its reason; before the hello is answered every one is ours.
func (s *desk) ask(kind contracts.MessageType, what string, payload any, want contracts.MessageType) (answer jsontext.Value, err error) {
	id, err := s.say(kind, payload)
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(clientTimeout); ; {
		e, err := s.next(end)
		if err != nil {
			return nil, err
		}
		switch e.Type {
		case want:
			var to struct {
				InReplyTo string `json:"in_reply_to"`
			}
			if json.Unmarshal(e.Payload, &to) == nil && (to.InReplyTo == id || want == contracts.TypeHelloAck) {
				return e.Payload, nil
			}
		case contracts.TypeError:
			var no contracts.ErrorPayload
			if json.Unmarshal(e.Payload, &no) != nil {
				return nil, s.office.stranger(fmt.Sprintf("it said %q", excerpt(e.Payload)))
			}
			if no.InReplyTo == id || want == contracts.TypeHelloAck {
				return nil, s.office.denied(refusalError(s.office.base, what, no.Refusal))
			}
		}
	}
}

// command has the office do something and returns what came of it.
func (s *desk) command(data contracts.CommandData) (ack contracts.Ack, err error) {
	body, err := json.Marshal(data)
	if err != nil {
		return ack, fmt.Errorf("encode %s: %w", data.CommandName(), err)
	}
	answer, err := s.ask(contracts.TypeCommand, string(data.CommandName()), map[string]any{"name": data.CommandName(), "data": jsontext.Value(body)}, contracts.TypeAck)
	if err != nil {
		return ack, err
	}
	return ack, json.Unmarshal(answer, &ack)
}
