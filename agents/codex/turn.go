package codex

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/agents/codex/translate"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/hud"
)

// turn is one prompt to Codex and everything that happens until the turn ends. The run's lock
// guards the turn while it is the run's current turn.
type turn struct {
	run        *run
	ctx        context.Context // cancelled when Codex is told to stop or the turn is over
	cancel     context.CancelFunc
	sink       drive.Sink
	open       map[string]*call
	over       map[string]bool // ids of calls that have ended
	thoughtEnd func()          // ends the open period of thinking
	asking     sync.WaitGroup  // requests that are waiting for a person

	done chan struct{} // closed when Codex reports the end of the turn
	end  translate.TurnEnd

	id      string // Codex's id for the turn, once it is known
	last    string // the last message with text
	problem string // the last error that Codex reported
	spent   contracts.Usage
}

type call struct {
	item translate.Item
	end  func(result any)
}

// Prompt starts a turn and handles Codex's messages until the turn ends.
func (r *run) Prompt(ctx context.Context, p drive.Prompt, sink drive.Sink) (drive.Answer, error) {
	t := &turn{run: r, sink: sink, open: map[string]*call{}, over: map[string]bool{}, done: make(chan struct{})}
	t.ctx, t.cancel = context.WithCancel(context.WithoutCancel(ctx))
	r.mu.Lock()
	r.turn = t
	thread := r.thread
	r.mu.Unlock()
	over := r.LimitWritesAfter(ctx)
	err := t.exchange(ctx, thread, p)
	over()
	t.cancel()
	r.mu.Lock()
	r.turn = nil
	r.mu.Unlock()
	t.asking.Wait()
	return t.finish(), t.outcome(ctx, err)
}

// exchange starts the turn and waits for its end. If ctx is cancelled, it waits up to
// contracts.ProcessGrace for Codex to confirm that the turn has started, interrupts the turn, and
// waits up to contracts.ProcessGrace again for the turn to end.
func (t *turn) exchange(ctx context.Context, thread string, p drive.Prompt) error {
	r := t.run
	input := []map[string]string{{"type": "text", "text": p.Text}}
	starting, stopStarting := context.WithCancel(context.WithoutCancel(ctx))
	defer stopStarting()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(contracts.ProcessGrace, stopStarting) })()
	result, err := r.Call(starting, "turn/start", map[string]any{"threadId": thread, "input": input}, nil)
	if err != nil {
		if starting.Err() != nil { // the turn may have started
			return r.Gone("it was stopped while a turn was starting")
		}
		return explain("start a turn", err)
	}
	var started struct {
		Turn struct {
			ID string `json:"id"`
		} `json:"turn"`
	}
	_, _ = hud.Decode(result, &started) // without an id, any turn of the thread counts
	r.mu.Lock()
	t.id = started.Turn.ID
	r.mu.Unlock()
	select {
	case <-t.done:
		return nil
	case <-r.Served:
		return r.AwaitExit()
	case <-ctx.Done():
	}
	t.cancel()
	graceCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), contracts.ProcessGrace)
	defer cancel()
	if _, err := r.Call(graceCtx, "turn/interrupt", map[string]string{"threadId": thread, "turnId": started.Turn.ID}, nil); errors.Is(err, drive.ErrGone) {
		return err
	}
	select {
	case <-t.done:
		return nil
	case <-r.Served:
		return r.AwaitExit()
	case <-graceCtx.Done():
		return r.Gone("it was killed because it did not stop when asked to")
	}
}

// handle processes a notification. The caller holds the run's lock.
func (t *turn) handle(method string, params jsontext.Value) {
	n, ok := translate.ReadNotice(params)
	if !ok || n.Thread != t.run.thread || t.id != "" && n.TurnID() != "" && n.TurnID() != t.id {
		return
	}
	if t.thoughtEnd != nil && method != "item/reasoning/summaryTextDelta" && method != "item/reasoning/textDelta" {
		t.thoughtEnd()
		t.thoughtEnd = nil
	}
	switch method {
	case "item/agentMessage/delta":
		t.sink.Delta("token", n.Delta)
	case "item/reasoning/summaryTextDelta", "item/reasoning/textDelta":
		if t.thoughtEnd == nil {
			t.thoughtEnd = t.sink.Think()
		}
		t.sink.Delta("thought", n.Delta)
	case "item/started", "item/completed":
		t.item(n.Item, method == "item/completed")
	case "thread/tokenUsage/updated":
		t.spent = drive.Sum(t.spent, n.Used())
		t.sink.Used(t.spent)
	case "error":
		t.problem = cmp.Or(n.Error.Message, t.problem)
	case "turn/completed":
		select {
		case <-t.done: // reported twice
		default:
			t.end = n.Turn
			close(t.done)
		}
	}
}

// item shows an item that is a call, or keeps the agent's last message. done means that the item
// has ended.
func (t *turn) item(v jsontext.Value, done bool) {
	it, _, err := translate.ParseItem(v)
	if err != nil {
		return
	}
	if it.Type == translate.ItemAgent && done {
		if text := it.Message(); strings.TrimSpace(text) != "" {
			t.last = hud.Cut(text, contracts.LimitACPAnswer)
		}
	}
	if !it.IsCall() || t.over[it.ID] {
		return
	}
	c := t.show(it)
	if c == nil || !done {
		return
	}
	c.end(it.Outcome())
	delete(t.open, it.ID)
	if len(t.over) >= contracts.LimitACPCalls {
		clear(t.over)
	}
	t.over[it.ID] = true
}

// show returns an item's call, and shows the start of the call if that has not been shown yet. It
// returns nil if too many calls are open.
func (t *turn) show(it translate.Item) *call {
	c := t.open[it.ID]
	if c == nil {
		if len(t.open) >= contracts.LimitACPCalls {
			return nil
		}
		asked := it.Call()
		c = &call{end: t.sink.ToolStart(it.ID, asked.Tool, asked.Args)}
		t.open[it.ID] = c
	}
	c.item = it
	return c
}

// finish ends everything that is still open and returns the answer.
func (t *turn) finish() drive.Answer {
	if t.thoughtEnd != nil {
		t.thoughtEnd()
	}
	for _, c := range t.open {
		c.end(hud.FailedCall(c.item.Call(), "the turn ended before this call finished"))
	}
	return drive.Answer{Text: strings.TrimSpace(contracts.CleanText(t.last)), Usage: t.spent}
}

// outcome returns the turn's error, or nil if the turn succeeded.
func (t *turn) outcome(ctx context.Context, err error) error {
	switch {
	case err != nil:
		return errors.Join(ctx.Err(), err)
	case ctx.Err() != nil:
		return ctx.Err()
	}
	switch t.end.Status {
	case "completed":
		return nil
	case "interrupted":
		return errors.New("the turn was interrupted by Codex, not by the office")
	case "failed":
		return fmt.Errorf("the turn failed in Codex: %s", hud.Line(cmp.Or(t.end.Error.Message, t.problem, "no reason given"), contracts.LimitNote))
	}
	return fmt.Errorf("the turn ended with an unknown Codex status: %q", hud.Line(t.end.Status, contracts.LimitName))
}
