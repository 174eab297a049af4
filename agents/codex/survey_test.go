package codex_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/agents/codex"
	"github.com/bullpen-office/bullpen/agents/guest"
)

// controlled returns a Codex directory with a control socket. answer returns the messages that the
// app-server sends after a request; nil closes the connection.
func controlled(t *testing.T, answer func(id, method string, params jsontext.Value) []string) (dir string) {
	t.Helper()
	short, err := os.MkdirTemp("", "codex") // the length of socket paths is limited
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(short) })
	listener, err := net.Listen("unix", filepath.Join(short, "s"))
	if err != nil {
		t.Skipf("not checked: no sockets here: %v", err)
	}
	served := make(chan struct{})
	t.Cleanup(func() {
		_ = listener.Close()
		<-served
	})
	go func() {
		defer close(served)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			serveControl(conn, answer)
		}
	}()
	dir = t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "app-server-control"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(short, "s"), filepath.Join(dir, "app-server-control", "app-server-control.sock")); err != nil {
		t.Skipf("not checked: no links here: %v", err)
	}
	return dir
}

func serveControl(conn net.Conn, answer func(id, method string, params jsontext.Value) []string) {
	defer conn.Close()
	if _, err := ws.Upgrade(conn); err != nil {
		return
	}
	for {
		message, err := wsutil.ReadClientText(conn)
		var request struct {
			ID     jsontext.Value `json:"id"`
			Method string         `json:"method"`
			Params jsontext.Value `json:"params"`
		}
		if err != nil || json.Unmarshal(message, &request) != nil {
			return
		}
		answers := answer(string(request.ID), request.Method, request.Params)
		if answers == nil {
			return
		}
		for _, a := range answers {
			if wsutil.WriteServerText(conn, []byte(a)) != nil {
				return
			}
		}
	}
}

// The shared app-server reports what its threads are doing. Unrelated messages, sub-agents, closed
// threads and unknown states are skipped.
func TestSurvey(t *testing.T) {
	states := map[string]string{
		`{"threadId":"busy"}`:    `{"id":"busy","status":{"type":"active","activeFlags":[]}}`,
		`{"threadId":"asks"}`:    `{"id":"asks","status":{"type":"active","activeFlags":["new","waitingOnApproval"]}}`,
		`{"threadId":"idle"}`:    `{"id":"idle","status":{"type":"idle"}}`,
		`{"threadId":"sub"}`:     `{"id":"sub","parentThreadId":"busy","status":{"type":"idle"}}`,
		`{"threadId":"unknown"}`: `{"id":"unknown","status":{"type":"dreaming"}}`,
	}
	dir := controlled(t, func(id, method string, params jsontext.Value) []string {
		switch method {
		case "initialize":
			return []string{`{"method":"configWarning","params":{}}`, `{"id":"` + id + `","method":"ask"}`, `not JSON`, `{"id":` + id + `,"result":{}}`}
		case "thread/loaded/list":
			return []string{`{"id":` + id + `,"result":{"data":["busy","asks","idle","sub","unknown","closed"]}}`}
		}
		if state := states[string(params)]; state != "" {
			return []string{`{"id":` + id + `,"result":{"thread":` + state + `}}`}
		}
		return []string{`{"id":` + id + `,"error":{"code":-32600,"message":"thread not found"}}`}
	})
	got, err := codex.Survey(t.Context(), dir)
	want := []guest.Report{
		{Session: "busy", State: guest.StateBusy, Program: "codex app-server"},
		{Session: "asks", State: guest.StateBlocked, Program: "codex app-server", Detail: "an approval"},
		{Session: "idle", State: guest.StateIdle, Program: "codex app-server"},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

// Survey returns no reports if there is no app-server or if it does not respond.
func TestSurveyWithoutAnswers(t *testing.T) {
	if got, err := codex.Survey(t.Context(), t.TempDir()); got != nil || err != nil {
		t.Errorf("without a socket: %v, %v", got, err)
	}
	closes := controlled(t, func(string, string, jsontext.Value) []string { return nil })
	if got, err := codex.Survey(t.Context(), closes); got != nil || err == nil {
		t.Errorf("a closed connection: %v, %v", got, err)
	}
	hangs := controlled(t, func(string, string, jsontext.Value) []string { return []string{} })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if got, err := codex.Survey(ctx, hangs); got != nil || err == nil {
		t.Errorf("no answer: %v, %v", got, err)
	}
}
