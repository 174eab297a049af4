package codex

import (
	"context"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/agents/codex/translate"
	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// Listen connects to the app-server on Codex's control socket; it does not start one. When one of
// the app-server's threads is waiting for approval of a command, Listen asks people. The thread's
// other clients ask at the same time, and the first answer counts. Requests that Listen cannot show
// completely, such as requests to change files, are left to the other clients. Listen subscribes to
// a thread only while the thread is waiting for approval.
func Listen(ctx context.Context, config string, ask guest.Ask) error {
	c, err := openControl(ctx, config)
	if c == nil || err != nil {
		return err
	}
	ctx, lost := context.WithCancelCause(ctx)
	l := &listener{control: c, ctx: ctx, ask: ask, resuming: map[string]string{}, waiting: map[string]*translate.Thread{}, asks: map[string]openAsk{}}
	defer l.asking.Wait()
	defer lost(guest.ErrDisconnected)
	defer c.close()
	c.other = l.receive
	threads, err := c.threads()
	if err != nil {
		return err
	}
	for _, t := range threads {
		l.changed(t.ID, t.Status)
	}
	c.conn.SetSilence(contracts.ListenSilence)
	for {
		m, err := c.read()
		if err != nil {
			return err
		}
		l.receive(m)
	}
}

// listener handles the messages from an app-server. Only one goroutine uses its maps.
type listener struct {
	*control
	ctx context.Context // cancelled once the connection has ended
	ask guest.Ask

	resuming map[string]string            // threads by the id of the request that subscribes to them
	waiting  map[string]*translate.Thread // threads that are waiting for approval, by id; a thread is nil until the app-server has described it
	asks     map[string]openAsk           // requests that are waiting for a person to answer, by id
	asking   sync.WaitGroup
}

// openAsk is a request that is waiting for a person to answer.
type openAsk struct {
	thread string
	end    context.CancelFunc
}

func (l *listener) receive(m inbound) {
	var p struct {
		Thread  string                 `json:"threadId"`
		Status  translate.ThreadStatus `json:"status"`
		Request jsontext.Value         `json:"requestId"`
	}
	if _, err := hud.Decode(m.Params, &p); err != nil && m.Method != "" {
		return
	}
	switch m.Method {
	case "":
		l.resumed(m)
	case "thread/status/changed":
		l.changed(p.Thread, p.Status)
	case "serverRequest/resolved":
		l.resolved(string(p.Request))
	case methodCommand:
		l.requested(string(m.ID), p.Thread, m.Params)
	}
}

// changed subscribes to a thread that is waiting for approval, and unsubscribes once the wait is
// over.
func (l *listener) changed(thread string, status translate.ThreadStatus) {
	_, known := l.waiting[thread]
	switch waits := status.WaitsForApproval(); {
	case waits && !known && len(l.waiting) < contracts.LimitListenAsks:
		l.waiting[thread] = nil
		if id, err := l.send("thread/resume", map[string]any{"threadId": thread, "excludeTurns": true}); err == nil {
			l.resuming[id] = thread
		}
	case !waits && known:
		delete(l.waiting, thread)
		for id, a := range l.asks {
			if a.thread == thread {
				l.resolved(id)
			}
		}
		_, _ = l.send("thread/unsubscribe", map[string]string{"threadId": thread}) // if the connection is lost, read fails too
	}
}

// resumed stores the description of a thread. The app-server sends the thread's open requests next.
func (l *listener) resumed(m inbound) {
	thread, ok := l.resuming[string(m.ID)]
	if !ok {
		return
	}
	delete(l.resuming, string(m.ID))
	var result struct {
		Thread translate.Thread `json:"thread"`
	}
	if _, err := hud.Decode(m.Result, &result); err != nil || result.Thread.ID != thread {
		delete(l.waiting, thread)
		return
	}
	if _, waits := l.waiting[thread]; waits {
		l.waiting[thread] = &result.Thread
	}
}

// requested asks people about a command, unless they have already been asked or the request cannot
// be shown completely.
func (l *listener) requested(id, thread string, params jsontext.Value) {
	t := l.waiting[thread]
	_, open := l.asks[id]
	if t == nil || open || id == "" || len(l.asks) >= contracts.LimitListenAsks {
		return
	}
	hook, ok := t.CommandHook(params)
	if !ok {
		return
	}
	ctx, end := context.WithCancel(l.ctx)
	l.asks[id] = openAsk{thread, end}
	l.asking.Go(func() {
		defer end()
		if verdict, ok := translate.Verdict(l.ask(ctx, hook)); ok && ctx.Err() == nil {
			l.answer(id, verdict)
		}
	})
}

// answer sends the verdict on a request. If the connection is lost, another client must answer.
func (l *listener) answer(id, verdict string) {
	text, err := json.Marshal(map[string]any{"id": jsontext.Value(id), "result": decision{verdict}})
	if err == nil {
		_ = l.conn.Write(text)
	}
}

// resolved stops asking people about a request.
func (l *listener) resolved(id string) {
	if a, ok := l.asks[id]; ok {
		a.end()
		delete(l.asks, id)
	}
}
