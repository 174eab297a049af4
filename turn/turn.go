package turn

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

// Turn is a queued, running or recently ended turn. Several callers may follow it.
type Turn struct {
	of      *conversation
	request Request
	asked   int64 // time of the request, in Unix milliseconds
	ctx     context.Context
	cancel  context.CancelCauseFunc
	done    chan struct{}

	mu      sync.Mutex
	text    strings.Builder // streamed text
	changed chan struct{}   // closed when text or over changes
	over    bool
	answer  drive.Answer
	err     error
	ended   time.Time
	callers int
	orphan  *time.Timer
}

func newTurn(c *conversation, r Request) *Turn {
	t := &Turn{of: c, request: r, asked: r.Prompt.TS, changed: make(chan struct{}), done: make(chan struct{}), callers: 1}
	t.ctx, t.cancel = context.WithCancelCause(c.engine.runCtx)
	return t
}

// Done is closed when the turn has ended.
func (t *Turn) Done() <-chan struct{} { return t.done }

// Result returns the turn's answer or error. Call it after Done is closed.
func (t *Turn) Result() (drive.Answer, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.answer, t.err
}

// Follow returns the text after the first `from` bytes, whether the turn has ended, and a channel
// that is closed on the next change.
func (t *Turn) Follow(from int) (text string, over bool, changed <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()[from:], t.over, t.changed
}

// Leave detaches a caller. A turn without callers is stopped after Request.Orphan unless a retry
// joins it first.
func (t *Turn) Leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.callers--; t.callers > 0 || t.over || t.request.Orphan <= 0 {
		return
	}
	t.orphan = time.AfterFunc(t.request.Orphan, func() {
		t.mu.Lock()
		alone := t.callers == 0
		t.mu.Unlock()
		if alone {
			t.cancel(ErrOrphaned)
		}
	})
}

// attach adds a caller. It returns false if the turn has too many callers.
func (t *Turn) attach() bool {
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

// wake notifies waiting goroutines of a change. The caller must hold the lock.
func (t *Turn) wake() {
	close(t.changed)
	t.changed = make(chan struct{})
}

// stream adds text for the callers, unless the answer would exceed contracts.LimitReply.
func (t *Turn) stream(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over || text == "" || t.text.Len()+len(text) > contracts.LimitReply {
		return
	}
	t.text.WriteString(text)
	t.wake()
}

// finish ends the turn, and adds the part of the answer that was not streamed.
func (t *Turn) finish(answer drive.Answer, err error, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err == nil {
		t.text.WriteString(remainder(t.text.String(), answer.Text))
	}
	t.over, t.answer, t.err, t.ended = true, answer, err, now
	r := &t.request // retries need the result, but not the request's content
	r.Begin, r.Prepare, r.Check, r.Explain, r.Finish, r.Progress, r.Route = nil, nil, nil, nil, nil, nil, nil
	r.Prompt, r.Said = drive.Prompt{}, ""
	t.cancel(nil)
	t.wake()
	close(t.done)
}

// remainder returns the part of the answer that is missing from the streamed text. An agent may
// stream several messages and answer with the last one.
func remainder(streamed, answer string) string {
	if rest, ok := strings.CutPrefix(answer, streamed); ok {
		return rest
	}
	if strings.HasSuffix(strings.TrimSpace(streamed), strings.TrimSpace(answer)) {
		return ""
	}
	return "\n\n" + answer
}

// answerVersions returns the versions of the answer that callers may have read: the final answer,
// and the whole streamed text.
func (t *Turn) answerVersions(answer drive.Answer) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	streamed := t.text.String()
	return []string{answer.Text, streamed + remainder(streamed, answer.Text)}
}

// failed reports whether the turn ended without an answer and was not stopped by a person.
func (t *Turn) failed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.over && t.err != nil && !errors.Is(t.err, ErrStopped)
}

// endedAt returns when the turn ended, or the zero time if it has not ended.
func (t *Turn) endedAt() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ended
}
