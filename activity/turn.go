// Package activity records one turn of an agent: its facts, which are kept, and
// the text that streams past, which is not.
//
// It guarantees that every start has its end and every stream its done, in order,
// whatever the agent does; what it shows after the end is ignored. It never
// decides what becomes of a fact that is not taken: that is up to the Log.
package activity

import (
	"strings"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// Log is where a turn is recorded. Its functions may block for as long as the
// office needs.
type Log struct {
	Record  func(h contracts.HUD) // a fact
	Keep    func(whole []byte)    // what a fact refers to, before the fact
	Publish func(contracts.StreamDelta)
	NewUUID func() string
	Now     func() time.Time
}

// Turn is one turn while it goes on. It is safe for several goroutines: its lock
// keeps the facts in order.
type Turn struct {
	log    Log
	source hud.Source
	stream contracts.StreamDelta // the members that every delta shares

	mu      sync.Mutex
	id      string
	since   time.Time
	open    []*span // started and not ended, in order
	streams bool    // a delta was published
	closed  bool
}

// span is a think or a tool call that was started.
type span struct {
	hud.Span
	call  hud.Call // Tool is empty for thinking
	since time.Time
}

// NewTurn makes a turn; Begin opens it.
func NewTurn(log Log, source hud.Source, stream contracts.StreamDelta) *Turn {
	return &Turn{log: log, source: source, stream: stream}
}

// Received records a message that the turn answers.
func (t *Turn) Received(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.log.Record(hud.ReceivedMessage(t.source, t.log.NewUUID(), text))
}

// Begin opens the turn.
func (t *Turn) Begin(label string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.id, t.since = t.log.NewUUID(), t.log.Now()
	start := hud.TurnStart(t.source, t.log.NewUUID(), hud.Span{Correlation: t.id}, label)
	start.Root = t.source.Roots.Work
	t.log.Record(start)
}

// ID is the turn's correlation id.
func (t *Turn) ID() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.id
}

// Closed reports whether the turn has ended.
func (t *Turn) Closed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.closed
}

// Delta publishes text in pieces that a viewer can take at once.
func (t *Turn) Delta(kind, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || text == "" {
		return
	}
	if kind != "thought" && kind != "code" {
		kind = "token" // the contract knows no other hint
	}
	text = contracts.CleanText(text)
	for text != "" {
		piece := hud.Cut(text, contracts.LimitText)
		text = text[len(piece):]
		t.publish(kind, piece, false)
	}
}

func (t *Turn) publish(kind, text string, done bool) {
	t.streams = true
	t.stream.Seq++
	d := t.stream
	d.Kind, d.Delta, d.Done = kind, text, done
	t.log.Publish(d)
}

// Think records a stretch of thinking until the returned function is called.
func (t *Turn) Think() (end func()) {
	done := t.start("", hud.Call{})
	return func() { done(nil) }
}

// ToolStart records a tool call; callID is the provider's, empty when there is
// none. The returned function takes the result: a hud.Result, or anything that
// JSON can say. Calls after the first do nothing.
func (t *Turn) ToolStart(callID, tool string, args any) (end func(result any)) {
	if tool = hud.Shorten(tool, contracts.LimitName); tool == "" {
		tool = "unnamed"
	}
	return t.start(callID, hud.Call{Tool: tool, Args: hud.Value(args)})
}

func (t *Turn) start(callID string, call hud.Call) func(result any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return func(any) {}
	}
	sp := &span{call: call, since: t.log.Now(), Span: hud.Span{Correlation: callID, Parent: t.id}}
	if call.Tool == "" {
		sp.Correlation = t.log.NewUUID()
		t.log.Record(hud.ThinkStart(t.source, t.log.NewUUID(), sp.Span))
	} else {
		if callID == "" {
			sp.Correlation = "call_" + strings.ReplaceAll(t.log.NewUUID(), "-", "")
		}
		t.log.Record(hud.ToolStart(t.source, t.log.NewUUID(), sp.Span, call))
	}
	t.open = append(t.open, sp)
	return func(result any) {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.end(sp, result, "")
	}
}

// end closes a span once; the caller holds the lock. The failure of a tool call is
// in its result.
func (t *Turn) end(sp *span, result any, failure string) {
	for i, o := range t.open {
		if o != sp {
			continue
		}
		t.open = append(t.open[:i], t.open[i+1:]...)
		took := t.log.Now().Sub(sp.since)
		id := t.log.NewUUID()
		if sp.call.Tool == "" {
			t.log.Record(hud.ThinkEnd(t.source, id, sp.Span, took, failure))
			return
		}
		end, whole := hud.ToolEnd(t.source, id, sp.Span, sp.call, result, took)
		if whole != nil {
			t.log.Keep(whole)
		}
		t.log.Record(end)
		return
	}
}

// Outcome is how a turn ended.
type Outcome struct {
	Failure string           // empty means that it went well
	Said    string           // the agent's answer
	Usage   *contracts.Usage // nil when unknown
}

// End closes whatever is open, newest first, then the stream and the turn. An
// empty failure means that the turn went well.
func (t *Turn) End(o Outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	for len(t.open) > 0 {
		sp := t.open[len(t.open)-1]
		var result any
		if o.Failure != "" {
			result = hud.FailedCall(sp.call, o.Failure)
		}
		t.end(sp, result, o.Failure)
	}
	t.closed = true
	if t.streams {
		t.publish("token", "", true)
	}
	end := hud.TurnEnd(t.source, t.log.NewUUID(), hud.Span{Correlation: t.id}, t.log.Now().Sub(t.since), o.Failure)
	end.Usage = o.Usage
	if o.Failure == "" {
		end.Said = hud.Said(o.Said)
	}
	t.log.Record(end)
}
