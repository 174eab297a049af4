package codex_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/agents/codex"
	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
)

const (
	waits    = `{"method":"thread/status/changed","params":{"threadId":"t1","status":{"type":"active","activeFlags":["waitingOnApproval"]}}}`
	goesOn   = `{"method":"thread/status/changed","params":{"threadId":"t1","status":{"type":"active","activeFlags":[]}}}`
	asks     = `{"method":"item/commandExecution/requestApproval","id":7,"params":{"threadId":"t1","turnId":"u1","itemId":"c1","command":"/bin/bash -lc 'make deploy'","cwd":"/src"}}`
	resolved = `{"method":"serverRequest/resolved","params":{"threadId":"t1","requestId":7}}`
)

// listened is an app-server with a thread that is waiting for approval when a client connects.
type listened struct {
	dir     string
	request string   // what the thread asks for
	after   []string // what the app-server sends after the request

	mu   sync.Mutex
	said []string // what the listener sent after the handshake
}

func (l *listened) answer(id, method string, params jsontext.Value) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch method {
	case "initialize":
		return []string{`{"id":` + id + `,"result":{}}`}
	case "thread/loaded/list":
		return []string{waits, `{"id":` + id + `,"result":{"data":[]}}`} // the status change must not be lost
	case "thread/resume":
		if !strings.Contains(string(params), `"threadId":"t1"`) || !strings.Contains(string(params), `"excludeTurns":true`) {
			return nil
		}
		l.said = append(l.said, method)
		return append([]string{`{"id":` + id + `,"result":{"thread":{"id":"t1","sessionId":"t1","cwd":"/src"}}}`, l.request}, l.after...)
	case "":
		l.said = append(l.said, "answer to "+id)
		return []string{goesOn}
	}
	l.said = append(l.said, method)
	return nil // the test ends
}

// listen runs Listen until the app-server closes the connection, and returns the requests that
// people were asked about. decide is called for each request.
func (l *listened) listen(t *testing.T, decide guest.Ask) (hooks []guest.Hook) {
	t.Helper()
	l.dir = controlled(t, l.answer)
	var mu sync.Mutex
	err := codex.Listen(t.Context(), l.dir, func(ctx context.Context, h guest.Hook) []contracts.Decision {
		mu.Lock()
		hooks = append(hooks, h)
		mu.Unlock()
		return decide(ctx, h)
	})
	if err == nil {
		t.Error("the end of the connection is not reported")
	}
	return hooks
}

func (l *listened) sent() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.said, "\n")
}

func choose(choice string) guest.Ask {
	return func(context.Context, guest.Hook) []contracts.Decision {
		return []contracts.Decision{{Status: contracts.DecisionResolved, Choice: choice}}
	}
}

// Listen subscribes to a thread that is waiting for approval, asks people about its command, sends
// their answer and unsubscribes.
func TestListen(t *testing.T) {
	l := &listened{request: asks}
	hooks := l.listen(t, choose(contracts.OptionAllow))
	if got := l.sent(); got != "thread/resume\nanswer to 7\nthread/unsubscribe" {
		t.Errorf("sent\n%s", got)
	}
	if len(hooks) != 1 || !hooks[0].Head().Asks || hooks[0].Head().Session != "t1" || hooks[0].Head().Tool != "exec" {
		t.Errorf("asked about %+v", hooks)
	}
}

// A request that another client answers is withdrawn; the office does not answer it.
func TestListenIsAnsweredElsewhere(t *testing.T) {
	for name, after := range map[string][]string{"resolved": {resolved, goesOn}, "goes on": {goesOn}} {
		l := &listened{request: asks, after: after}
		l.listen(t, func(ctx context.Context, _ guest.Hook) []contracts.Decision {
			<-ctx.Done()
			if errors.Is(context.Cause(ctx), guest.ErrDisconnected) {
				t.Errorf("%s: the connection was lost before the request was withdrawn", name)
			}
			return choose(contracts.OptionAllow)(ctx, nil) // too late
		})
		if got := l.sent(); strings.Contains(got, "answer") {
			t.Errorf("%s: sent\n%s", name, got)
		}
	}
}

// Requests that cannot be shown completely are left to other clients.
func TestListenLeavesWhatItCannotShow(t *testing.T) {
	for name, request := range map[string]string{
		"file change":   strings.Replace(asks, "commandExecution", "fileChange", 1),
		"no command":    strings.Replace(asks, `"command"`, `"other"`, 1),
		"input":         strings.Replace(asks, `"cwd"`, `"kind":"stdin","cwd"`, 1),
		"network":       strings.Replace(asks, `"cwd"`, `"networkApprovalContext":{"host":"x"},"cwd"`, 1),
		"more rights":   strings.Replace(asks, `"cwd"`, `"additionalPermissions":{"network":{"enabled":true}},"cwd"`, 1),
		"odd":           strings.Replace(asks, `"/src"`, `{}`, 1),
		"other thread":  strings.Replace(asks, "t1", "t2", 1),
		"no request id": strings.Replace(asks, `"id":7,`, "", 1),
	} {
		l := &listened{request: request, after: []string{goesOn}}
		if hooks := l.listen(t, choose(contracts.OptionAllow)); len(hooks) > 0 {
			t.Errorf("%s: people were asked", name)
		}
	}
}

// If no person answers, nothing is sent. If the connection is lost, the question is cancelled with
// the cause ErrDisconnected.
func TestListenWithoutAnswer(t *testing.T) {
	l := &listened{request: asks, after: []string{`{"method":"thread/status/changed","params":{"threadId":"t2","status":{"type":"active","activeFlags":["waitingOnApproval"]}}}`}}
	subscribed := make(chan struct{})
	dir := controlled(t, func(id, method string, params jsontext.Value) []string {
		if method == "thread/resume" && strings.Contains(string(params), "t2") {
			<-subscribed
			return nil
		}
		return l.answer(id, method, params)
	})
	var why error
	if err := codex.Listen(t.Context(), dir, func(ctx context.Context, _ guest.Hook) []contracts.Decision {
		close(subscribed)
		<-ctx.Done()
		why = context.Cause(ctx)
		return nil
	}); err == nil {
		t.Error("the end of the connection is not reported")
	}
	if !errors.Is(why, guest.ErrDisconnected) || strings.Contains(l.sent(), "answer") {
		t.Errorf("ended with %v; sent\n%s", why, l.sent())
	}
	if err := codex.Listen(t.Context(), t.TempDir(), nil); err != nil {
		t.Errorf("without a socket: %v", err)
	}
}
