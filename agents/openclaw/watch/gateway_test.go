package watch

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
)

// fakeGateway is a gateway that uses protocol version 4 over pipes and misbehaves as configured.
type fakeGateway struct {
	t        *testing.T
	token    string
	protocol int
	tickMS   int
	down     bool              // refuses connections
	refuse   string            // error in the response to a connect request
	answers  map[string]string // payload by method; the prefix "!" makes it an error response

	mu    sync.Mutex
	conns []net.Conn
	asked []string // method and params
	dials int
}

func newFake(t *testing.T) *fakeGateway {
	return &fakeGateway{t: t, token: "secret", protocol: 4, tickMS: 30000, answers: map[string]string{
		"agents.list":           `{"mainKey":"main","agents":[{"id":"main","name":"Clawdia"}]}`,
		"sessions.subscribe":    `{"subscribed":true,"list":{"sessions":[]}}`,
		"exec.approval.list":    `[]`,
		"chat.abort":            `{"ok":true,"aborted":true}`,
		"sessions.reset":        `{"ok":true}`,
		"exec.approval.resolve": `{"ok":true}`,
	}}
}

// dial replaces the network for the follower.
func (g *fakeGateway) dial(context.Context, string, string) (net.Conn, error) {
	g.mu.Lock()
	g.dials++
	down := g.down
	g.mu.Unlock()
	if down {
		return nil, errors.New("connection refused")
	}
	ours, theirs := net.Pipe()
	g.mu.Lock()
	g.conns = append(g.conns, ours)
	g.mu.Unlock()
	go g.serve(ours)
	return theirs, nil
}

type connectRequest struct {
	ID     string `json:"id"`
	Method string `json:"method"`
	Params struct {
		MinProtocol int `json:"minProtocol"`
		Client      struct {
			ID, Mode, Platform string
		} `json:"client"`
		Role   string   `json:"role"`
		Scopes []string `json:"scopes"`
		Auth   struct {
			Token string `json:"token"`
		} `json:"auth"`
		Device struct {
			ID        string `json:"id"`
			PublicKey string `json:"publicKey"`
			Signature string `json:"signature"`
			SignedAt  int64  `json:"signedAt"`
			Nonce     string `json:"nonce"`
		} `json:"device"`
	} `json:"params"`
}

func (g *fakeGateway) serve(conn net.Conn) {
	defer conn.Close()
	if _, err := ws.Upgrade(conn); err != nil {
		return
	}
	if g.write(conn, `{"type":"event","event":"connect.challenge","payload":{"nonce":"n-1","ts":1700000000000}}`) != nil {
		return
	}
	data, err := wsutil.ReadClientText(conn)
	if err != nil {
		return
	}
	var c connectRequest
	if err := json.Unmarshal(data, &c, json.MatchCaseInsensitiveNames(true)); err != nil {
		g.t.Errorf("connect: %v", err)
		return
	}
	if no := g.judge(c); no != "" {
		g.write(conn, `{"type":"res","id":"`+c.ID+`","ok":false,"error":`+no+`}`)
		return
	}
	hello := `{"type":"hello-ok","protocol":` + strconv.Itoa(g.protocol) + `,"server":{"version":"2026.9.6"},"features":{"methods":["exec.approval.list"]},` +
		`"auth":{"deviceToken":"device-token","scopes":["` + strings.Join(c.Params.Scopes, `","`) + `"]},"policy":{"tickIntervalMs":` + strconv.Itoa(g.tickMS) + `}}`
	if g.write(conn, `{"type":"res","id":"`+c.ID+`","ok":true,"payload":`+hello+`}`) != nil {
		return
	}
	for g.answer(conn) == nil {
	}
}

// judge verifies the device as a gateway does. It returns the error, or "" if the device is valid.
func (g *fakeGateway) judge(c connectRequest) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	p := c.Params
	key, _ := base64.RawURLEncoding.DecodeString(p.Device.PublicKey)
	signature, _ := base64.RawURLEncoding.DecodeString(p.Device.Signature)
	text := strings.Join([]string{"v3", p.Device.ID, p.Client.ID, p.Client.Mode, p.Role, strings.Join(p.Scopes, ","), strconv.FormatInt(p.Device.SignedAt, 10), p.Auth.Token, "n-1", p.Client.Platform, ""}, "|")
	switch {
	case g.refuse != "":
		return g.refuse
	case len(key) != ed25519.PublicKeySize || !ed25519.Verify(key, []byte(text), signature) || p.Device.SignedAt != 1700000000000 || p.Device.Nonce != "n-1":
		return `{"code":"INVALID_REQUEST","message":"device signature invalid","details":{"code":"DEVICE_AUTH_SIGNATURE_INVALID"}}`
	case p.Auth.Token == "":
		return `{"code":"INVALID_REQUEST","message":"unauthorized","details":{"code":"AUTH_TOKEN_MISSING"}}`
	case p.Auth.Token != g.token && p.Auth.Token != "device-token":
		return `{"code":"INVALID_REQUEST","message":"unauthorized","details":{"code":"AUTH_TOKEN_MISMATCH"}}`
	}
	return ""
}

// answer reads one request and responds as configured.
func (g *fakeGateway) answer(conn net.Conn) error {
	data, err := wsutil.ReadClientText(conn)
	if err != nil {
		return err
	}
	var r struct {
		ID     string         `json:"id"`
		Method string         `json:"method"`
		Params jsontext.Value `json:"params"`
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return err
	}
	g.mu.Lock()
	g.asked = append(g.asked, r.Method+" "+string(r.Params))
	payload, known := g.answers[r.Method]
	g.mu.Unlock()
	if no, refused := strings.CutPrefix(payload, "!"); refused {
		return g.write(conn, `{"type":"res","id":"`+r.ID+`","ok":false,"error":`+no+`}`)
	}
	if !known {
		return nil // no response
	}
	return g.write(conn, `{"type":"res","id":"`+r.ID+`","ok":true,"payload":`+payload+`}`)
}

func (g *fakeGateway) write(conn net.Conn, text string) error {
	return ws.WriteFrame(conn, ws.NewTextFrame([]byte(text)))
}

func (g *fakeGateway) dialed() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.dials
}

// last returns the newest connection.
func (g *fakeGateway) last() net.Conn {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.conns[len(g.conns)-1]
}

func (g *fakeGateway) push(event, payload string) {
	g.t.Helper()
	if err := g.write(g.last(), `{"type":"event","event":"`+event+`","payload":`+payload+`}`); err != nil {
		g.t.Errorf("push: %v", err)
	}
}

// raw writes bytes to the newest connection; they need not be a valid message.
func (g *fakeGateway) raw(b []byte) {
	if _, err := io.Copy(g.last(), bytes.NewReader(b)); err != nil {
		g.t.Logf("raw: %v", err)
	}
}

func (g *fakeGateway) set(method, payload string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.answers[method] = payload
}

// hang closes all connections, and refuses new ones if down is true.
func (g *fakeGateway) hang(down bool) {
	g.mu.Lock()
	g.down = down
	conns := g.conns
	g.conns = nil
	g.mu.Unlock()
	for _, c := range conns {
		c.Close()
	}
}

// requests lists the parameters of all calls to a method.
func (g *fakeGateway) requests(method string) (list []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, a := range g.asked {
		if params, ok := strings.CutPrefix(a, method+" "); ok {
			list = append(list, params)
		}
	}
	return list
}
