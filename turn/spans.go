package turn

import (
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// book provides the functions that a turn uses to record facts. They may block while the office is
// slow.
type book struct {
	record  func(facts ...contracts.HUD)
	keep    func(whole []byte) // stores content; called before the fact that refers to the content is recorded
	publish func(contracts.StreamDelta)
	newUUID func() string
	now     func() time.Time
}

// spans records the facts of one turn, and streams its text, which is not kept. Whatever the agent
// does, every start is followed by its end, and every stream ends with a final delta. Reports after
// the end of the turn are ignored. It is safe for concurrent use: the lock keeps the facts in order.
type spans struct {
	book   book
	source hud.Source
	stream contracts.StreamDelta // fields shared by every delta

	mu      lock
	id      string
	since   time.Time
	open    []*span // not ended yet, oldest first
	streams bool    // a delta was published
	closed  bool
}

// lock is a mutex that may be held while a fact is recorded. It is a channel, because a test's
// virtual clock does not advance while a goroutine waits for a sync.Mutex.
type lock chan struct{}

func newLock() lock { return make(lock, 1) }

func (l lock) Lock()   { l <- struct{}{} }
func (l lock) Unlock() { <-l }

// span is a period of thinking or a tool call.
type span struct {
	hud.Span
	call  hud.Call // Tool is empty for thinking
	since time.Time
}

// start records the message that the turn answers, if any, and the start of the turn.
func (t *spans) start(message, label string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var facts []contracts.HUD
	if message != "" {
		facts = append(facts, hud.ReceivedMessage(t.source, t.book.newUUID(), message))
	}
	t.id, t.since = t.book.newUUID(), t.book.now()
	start := hud.TurnStart(t.source, t.book.newUUID(), hud.Span{Correlation: t.id}, label)
	start.Root = t.source.Roots.Work
	t.book.record(append(facts, start)...)
}

// ID returns the turn's correlation id.
func (t *spans) ID() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.id
}

// Closed reports whether the turn has ended.
func (t *spans) Closed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.closed
}

// show publishes text in deltas of bounded size.
func (t *spans) show(kind, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || text == "" {
		return
	}
	if kind != "thought" && kind != "code" {
		kind = "token" // the contract has no other kind
	}
	text = contracts.CleanText(text)
	for text != "" {
		piece := hud.Cut(text, contracts.LimitText)
		text = text[len(piece):]
		t.publish(kind, piece, false)
	}
}

func (t *spans) publish(kind, text string, done bool) {
	t.streams = true
	t.stream.Seq++
	d := t.stream
	d.Kind, d.Delta, d.Done = kind, text, done
	t.book.publish(d)
}

// think records the start of thinking; the returned function records its end.
func (t *spans) think() (end func()) {
	done := t.begin("", hud.Call{})
	return func() { done(nil) }
}

// call records a tool call; callID is the provider's id and may be empty. The returned function
// records the result: a hud.Result, or any value that JSON can encode. Calling it again has no
// effect.
func (t *spans) call(callID, tool string, args any) (end func(result any)) {
	if tool = hud.Shorten(tool, contracts.LimitName); tool == "" {
		tool = "unnamed"
	}
	return t.begin(callID, hud.Call{Tool: tool, Args: hud.Value(args)})
}

func (t *spans) begin(callID string, call hud.Call) func(result any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return func(any) {}
	}
	sp := &span{call: call, since: t.book.now(), Span: hud.Span{Correlation: callID, Parent: t.id}}
	if call.Tool == "" {
		sp.Correlation = t.book.newUUID()
		t.book.record(hud.ThinkStart(t.source, t.book.newUUID(), sp.Span))
	} else {
		if callID == "" {
			sp.Correlation = "call_" + strings.ReplaceAll(t.book.newUUID(), "-", "")
		}
		t.book.record(hud.ToolStart(t.source, t.book.newUUID(), sp.Span, call))
	}
	t.open = append(t.open, sp)
	return func(result any) {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.end(sp, result, "")
	}
}

// end records the end of an open span; failure is used only for thinking. The caller holds the
// lock.
func (t *spans) end(sp *span, result any, failure string) {
	for i, o := range t.open {
		if o != sp {
			continue
		}
		t.open = append(t.open[:i], t.open[i+1:]...)
		took := t.book.now().Sub(sp.since)
		id := t.book.newUUID()
		if sp.call.Tool == "" {
			t.book.record(hud.ThinkEnd(t.source, id, sp.Span, took, failure))
			return
		}
		end, whole := hud.ToolEnd(t.source, id, sp.Span, sp.call, result, took)
		if whole != nil {
			t.book.keep(whole)
		}
		t.book.record(end)
		return
	}
}

// outcome is how a turn ended: in success, with an answer, or in a failure.
type outcome struct {
	failure string           // empty means success
	said    string           // the agent's answer
	usage   *contracts.Usage // nil when unknown
}

// finish ends open spans, newest first, then the stream and the turn.
func (t *spans) finish(o outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	for len(t.open) > 0 {
		sp := t.open[len(t.open)-1]
		var result any
		if o.failure != "" {
			result = hud.FailedCall(sp.call, o.failure)
		}
		t.end(sp, result, o.failure)
	}
	t.closed = true
	if t.streams {
		t.publish("token", "", true)
	}
	end := hud.TurnEnd(t.source, t.book.newUUID(), hud.Span{Correlation: t.id}, t.book.now().Sub(t.since), o.failure)
	end.Usage = o.usage
	if o.failure == "" {
		end.Said = hud.Said(o.said)
	}
	t.book.record(end)
}
