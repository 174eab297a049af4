package bridge

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/bridge/completion"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

// errOrphaned stops a turn that nobody waits for any more.
var errOrphaned = errors.New("every caller hung up")

// turn is one question to an agent, followed by one caller or by several: a retry
// joins it.
type turn struct {
	join   string // what a retry of it carries; empty when it cannot be joined
	addr   address
	ask    *completion.Ask
	whole  completion.Digest // the conversation up to its question
	prompt drive.Prompt      // the question as people see it
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu      sync.Mutex
	text    strings.Builder // streamed so far
	changed chan struct{}   // closed when any of this changes
	done    bool
	answer  drive.Answer
	err     error
	ended   time.Time
	callers int
	orphan  *time.Timer
}

func newTurn(ctx context.Context, join string, q question) *turn {
	t := &turn{join: join, addr: q.addr, ask: q.ask, whole: q.whole, prompt: q.prompt, changed: make(chan struct{})}
	t.ctx, t.cancel = context.WithCancelCause(ctx)
	return t
}

func (t *turn) wake() {
	close(t.changed)
	t.changed = make(chan struct{})
}

// stream adds text for the callers.
func (t *turn) stream(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.done || text == "" || t.text.Len()+len(text) > contracts.LimitReply {
		return
	}
	t.text.WriteString(text)
	t.wake()
}

// finish ends the turn. What the answer has beyond the streamed text is streamed.
func (t *turn) finish(answer drive.Answer, err error, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.done {
		return
	}
	if err == nil {
		t.text.WriteString(remainder(t.text.String(), answer.Text))
	}
	t.done, t.answer, t.err, t.ended = true, answer, err, now
	t.cancel(nil)
	t.wake()
}

// remainder is what a caller that has seen the streamed text still lacks of the
// answer: an agent may stream several messages and answer with the last.
func remainder(streamed, answer string) string {
	if rest, ok := strings.CutPrefix(answer, streamed); ok {
		return rest
	}
	if strings.HasSuffix(strings.TrimSpace(streamed), strings.TrimSpace(answer)) {
		return ""
	}
	return "\n\n" + answer
}

// told are the answer's texts as callers may have read it: whole, or streamed.
func (t *turn) told(answer drive.Answer) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	streamed := t.text.String()
	return []string{answer.Text, streamed + remainder(streamed, answer.Text)}
}

// follow is what a caller that has seen `from` bytes gets next.
func (t *turn) follow(from int) (text string, done bool, changed <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()[from:], t.done, t.changed
}

// result is how the turn ended; it is done.
func (t *turn) result() (drive.Answer, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.answer, t.err
}

// failed reports whether the turn ended without an answer and not by a person's will.
func (t *turn) failed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.done && t.err != nil && !errors.Is(t.err, errStopped)
}

func (t *turn) over() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.done
}

// attach counts a caller; it is false when there are too many.
func (t *turn) attach() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.callers >= contracts.LimitBridgeCallers {
		return false
	}
	t.callers++
	if t.orphan != nil {
		t.orphan.Stop()
		t.orphan = nil
	}
	return true
}

// detach lets a caller go. A turn that nobody follows is stopped after a moment
// in which a retry may join it.
func (t *turn) detach() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.callers--; t.callers > 0 || t.done {
		return
	}
	t.orphan = time.AfterFunc(contracts.BridgeOrphan, func() {
		t.mu.Lock()
		alone := t.callers == 0
		t.mu.Unlock()
		if alone {
			t.cancel(errOrphaned)
		}
	})
}

// relay is the sink of a running turn: callers get the text, the office all of it.
type relay struct {
	Activity
	turn *turn
}

func (r relay) Delta(kind, text string) {
	r.Activity.Delta(kind, text)
	if kind == "token" {
		r.turn.stream(contracts.CleanText(text))
	}
}
