package server

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"github.com/bullpen-office/bullpen/client/socket"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/bullpen-office/bullpen/e2e/leaktest"
	"github.com/bullpen-office/bullpen/gate"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == process.TendCommand {
		os.Exit(process.Tend(os.Args[2:]))
	}
	leaktest.Main(m)
}

// testTimeout is the timeout of every wait in a test.
const testTimeout = 2 * time.Minute

// atNoon returns a clock that starts at noon, so that all usage in a test falls on one day.
func atNoon() func() time.Time {
	start := time.Now()
	noon := start.Truncate(24 * time.Hour).Add(12 * time.Hour)
	return func() time.Time { return noon.Add(time.Since(start)) }
}

// rig is a real server on a real socket.
type rig struct {
	*Server
	t    *testing.T
	addr string
	done chan error
}

// startRig starts a server and waits until it is ready.
func startRig(t *testing.T, cfg Config) *rig {
	t.Helper()
	r := launchRig(t, cfg)
	token := cfg.ownerToken(t)
	r.untilTrue("the office is ready", func() bool {
		status, _, _ := r.get("/readyz", token)
		return status == http.StatusOK
	})
	return r
}

func launchRig(t *testing.T, cfg Config) *rig {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Pace == 0 {
		cfg.Pace = 1000
	}
	if cfg.DataDir != "" { // shared by all offices of this data directory
		cfg.LockDir = cfg.DataDir + ".locks"
	}
	s, err := New(t.Context(), cfg)
	if err != nil {
		ln.Close()
		t.Fatal(err)
	}
	r := &rig{Server: s, t: t, addr: ln.Addr().String(), done: make(chan error, 1)}
	go func() { r.done <- s.Serve(ln) }()
	t.Cleanup(func() { r.stop() })
	return r
}

func (c Config) ownerToken(t *testing.T) string {
	if c.DataDir == "" {
		return ""
	}
	t.Helper()
	for end := time.Now().Add(testTimeout); time.Now().Before(end); time.Sleep(time.Millisecond) { // Serve writes the file
		if token, err := gate.ReadOwnerToken(gate.OwnerTokenPath(c.DataDir)); err == nil {
			return token
		}
	}
	t.Fatal("timed out waiting for the owner token file")
	return ""
}

func (r *rig) stop() {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
	defer cancel()
	if err := r.Shutdown(ctx); err != nil {
		r.t.Errorf("shutdown: %v", err)
	}
	select {
	case err := <-r.done:
		if err != nil {
			r.t.Errorf("serve: %v", err)
		}
		r.done <- nil // a later stop reads it again
	case <-ctx.Done():
		r.t.Error("Serve did not return")
	}
}

func (r *rig) do(method, path, token string) (*http.Response, string) {
	r.t.Helper()
	req, err := http.NewRequest(method, "http://"+r.addr+path, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return resp, string(body)
}

func (r *rig) get(path, token string) (int, string, http.Header) {
	r.t.Helper()
	resp, body := r.do("GET", path, token)
	return resp.StatusCode, body, resp.Header
}

// viewer is a client of the world socket. It reads messages and sends heartbeats in the background,
// so that the server never disconnects it, however long a test takes.
type viewer struct {
	t        *testing.T
	conn     *socket.Conn
	received chan received
	gone     chan struct{} // closed after the last message
	n        int
}

// received is a message, or the error that ended the connection.
type received struct {
	data []byte
	err  error
}

// beat sends heartbeats at the interval that the server requests.
func (v *viewer) beat() {
	tick := time.NewTicker(contracts.HeartbeatInterval)
	defer tick.Stop()
	for {
		select {
		case <-v.gone:
			return
		case <-tick.C:
			_ = v.conn.Write([]byte(`{"type":"ping","id":"beat","ts":1800000000000,"v":1,"payload":{}}`))
		}
	}
}

func (v *viewer) listen() {
	defer close(v.gone)
	defer close(v.received)
	for {
		data, err := v.conn.Read()
		v.received <- received{data, err}
		if err != nil {
			return
		}
	}
}

type message struct {
	Type    string         `json:"type"`
	ID      string         `json:"id"`
	Payload jsontext.Value `json:"payload"`
}

func (r *rig) dial(token string) *viewer {
	r.t.Helper()
	conn, err := socket.Dial(r.t.Context(), socket.Config{URL: "ws://" + r.addr + "/ws/world", Token: token})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(conn.Abort)
	v := &viewer{t: r.t, conn: conn, received: make(chan received, 1<<14), gone: make(chan struct{})}
	go v.listen()
	go v.beat()
	v.send("hello", `{"client":{"id":"test","name":"test"}}`)
	v.until("hello_ack")
	v.send("subscribe", `{"scene_id":"`+contracts.DefaultScene+`","channels":{"events":true,"snapshots":true}}`)
	v.until("snapshot")
	return v
}

func (v *viewer) send(kind, payload string) (id string) {
	v.t.Helper()
	v.n++
	id = "m_" + time.Duration(v.n).String()
	text := `{"type":"` + kind + `","id":"` + id + `","ts":1800000000000,"v":1,"payload":` + payload + `}`
	if err := v.conn.Write([]byte(text)); err != nil {
		v.t.Fatal(err)
	}
	return id
}

// read returns the next message, or the close code.
func (v *viewer) read() (m message, code contracts.CloseCode) {
	v.t.Helper()
	h, open := <-v.received
	if closed := (*socket.CloseError)(nil); errors.As(h.err, &closed) {
		return m, closed.Code
	}
	if h.err != nil || !open {
		v.t.Fatalf("connection ended: %v", h.err)
	}
	if err := json.Unmarshal(h.data, &m); err != nil {
		v.t.Fatal(err)
	}
	return m, 0
}

// until reads messages until one of this type arrives, and returns it.
func (v *viewer) until(kind string) message {
	v.t.Helper()
	for {
		m, code := v.read()
		if code != 0 {
			v.t.Fatalf("closed with %d while waiting for %s", code, kind)
		}
		if m.Type == kind {
			return m
		}
		if m.Type == "error" {
			v.t.Fatalf("error while waiting for %s: %s", kind, m.Payload)
		}
	}
}

// command sends a command; wait for its answer with until("ack").
func (v *viewer) command(name contracts.CommandName, data any) {
	v.t.Helper()
	b, err := json.Marshal(map[string]any{"name": name, "data": data})
	if err != nil {
		v.t.Fatal(err)
	}
	v.send("command", string(b))
}

// untilEvent reads messages until an event arrives for which want is true, and returns it.
func (v *viewer) untilEvent(want func(contracts.Event) bool) contracts.Event {
	v.t.Helper()
	for {
		m, code := v.read()
		if code != 0 {
			v.t.Fatalf("closed with %d", code)
		}
		if m.Type == "error" {
			v.t.Fatalf("error: %s", m.Payload)
		}
		if m.Type != "event" {
			continue
		}
		var e contracts.Event
		if err := json.Unmarshal(m.Payload, &e); err != nil {
			v.t.Fatal(err)
		}
		if want(e) {
			return e
		}
	}
}

// commission gives the office work, assigns the tasks, answers questions, and returns the event of
// the first deliverable of that work.
func (v *viewer) commission(text string) contracts.Event {
	v.t.Helper()
	v.command(contracts.CmdSubmitRequest, contracts.SubmitRequest{Text: text})
	project := "" // earlier work may still be delivered
	return v.untilEvent(func(e contracts.Event) bool {
		switch e.Name {
		case contracts.EventRequestSubmitted:
			project = e.ProjectID
		case contracts.EventTasksCreated:
			v.command(contracts.CmdAutoAssign, contracts.AutoAssign{ProjectID: e.ProjectID})
		case contracts.EventDecisionRequested:
			choice := "as you like"
			if len(e.Decision.Options) > 0 {
				choice = e.Decision.Options[0]
			}
			v.command(contracts.CmdResolveDecision, contracts.ResolveDecision{DecisionID: e.Decision.DecisionID, Choice: choice})
		}
		return e.Name == contracts.EventArtifactDelivered && e.ProjectID == project
	})
}

// sendOrder sends an order for an agent to the engine.
func (r *rig) sendOrder(agentID, order string) {
	r.t.Helper()
	id := uuid.NewString()
	rec, err := contracts.NewRecord(1, 1, contracts.OrderKey(id), &contracts.HUD{UUID: id, Event: contracts.HUDReceived, AgentID: agentID, Subtype: order})
	if err == nil {
		err = r.engine.CarryOut(rec)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}
