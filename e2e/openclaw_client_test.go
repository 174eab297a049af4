//go:build unix

package e2e_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/client/socket"
)

// clawChat is a person's connection to the gateway. It uses the protocol of the gateway's own
// client.
type clawChat struct {
	t        *testing.T
	conn     *socket.Conn
	received chan message // messages from the gateway; closed with the connection
	sent     int
}

// chat connects as a terminal client that can wait for approvals. It retries while the gateway
// starts.
func (c *claw) chat() *clawChat {
	c.t.Helper()
	chat := &clawChat{t: c.t}
	until(c.t, "the gateway lets a client in", func() bool {
		ctx, cancel := context.WithTimeout(c.t.Context(), testTimeout)
		defer cancel()
		conn, err := socket.Dial(ctx, socket.Config{URL: c.url(), Silence: testTimeout})
		if err != nil {
			return false
		}
		chat.conn, chat.received = conn, make(chan message, 16)
		go chat.listen()
		if answer, err := chat.connect(); err != nil || answer["ok"] != true {
			conn.Abort()
			return false
		}
		return true
	})
	c.t.Cleanup(func() { chat.conn.Abort() })
	return chat
}

func (k *clawChat) connect() (message, error) {
	k.t.Helper()
	hello, ok := <-k.received
	if !ok {
		return nil, errClawGone
	}
	challenge := hello.payload()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		k.t.Fatal(err)
	}
	sum := sha256.Sum256(public)
	id, scopes := hex.EncodeToString(sum[:]), []string{"operator.read", "operator.write", "operator.approvals"}
	stamp := int64(challenge["ts"].(float64))
	text := strings.Join([]string{"v3", id, "openclaw-tui", "ui", "operator", strings.Join(scopes, ","), fmt.Sprint(stamp), clawToken, challenge.str("nonce"), "linux", ""}, "|")
	return k.ask("connect", message{
		"minProtocol": 4, "maxProtocol": 4, "client": message{"id": "openclaw-tui", "version": "1", "platform": "linux", "mode": "ui"},
		"role": "operator", "scopes": scopes, "caps": []string{}, "auth": message{"token": clawToken},
		"device": message{
			"id": id, "publicKey": base64.RawURLEncoding.EncodeToString(public), "signedAt": stamp, "nonce": challenge.str("nonce"),
			"signature": base64.RawURLEncoding.EncodeToString(ed25519.Sign(private, []byte(text))),
		},
	})
}

func (k *clawChat) say(session, text string) {
	k.t.Helper()
	k.sent++
	answer, err := k.ask("chat.send", message{"sessionKey": session, "message": text, "idempotencyKey": fmt.Sprintf("key-%d-%d", time.Now().UnixNano(), k.sent)})
	if err != nil || answer["ok"] != true {
		k.t.Fatalf("the gateway did not accept the message: %v %v", answer, err)
	}
}

func (k *clawChat) ask(method string, params message) (message, error) {
	k.t.Helper()
	k.sent++
	id := fmt.Sprintf("r%d", k.sent)
	b, err := json.Marshal(message{"type": "req", "id": id, "method": method, "params": params})
	if err != nil {
		k.t.Fatal(err)
	}
	if err := k.conn.Write(b); err != nil {
		return nil, err
	}
	for m := range k.received {
		if m.str("id") == id {
			return m, nil
		}
	}
	return nil, errClawGone
}

var errClawGone = errors.New("the gateway closed the connection")

// listen reads until the connection ends, because a gateway drops clients that do not answer pings.
func (k *clawChat) listen() {
	conn, received := k.conn, k.received
	defer close(received)
	for {
		b, err := conn.Read()
		var m message
		if err != nil || json.Unmarshal(b, &m) != nil {
			return
		}
		if m.str("type") == "res" || m.str("event") == "connect.challenge" {
			received <- m
		}
	}
}
