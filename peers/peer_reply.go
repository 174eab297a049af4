package peers

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

// exchange is a turn that is waiting for replies. The peer's lock protects every field except done.
//
// A reply is not required to name its turn, so one that arrives after a turn was abandoned may
// belong to that turn or to the current one. Because a peer answers in order, an ambiguous answer
// is held. The next reply or permission request shows that the held answer was late. If instead the
// peer stays silent for BridgeLateWait, the held answer belongs to the current turn.
type exchange struct {
	ctx  context.Context // cancelled when the turn ends
	id   string
	sink drive.Sink
	text strings.Builder
	done chan struct{}
	err  error
	asks int // number of permission requests that are waiting for a person

	lateAnswers  int             // number of answers from earlier turns that may arrive first
	held         strings.Builder // an answer that may belong to an earlier turn or to this one
	heldComplete bool            // the held answer is complete
	silenceTimer *time.Timer     // started once the held answer is complete
}

const errLate = "this answer has no message_id and was matched to an earlier turn, which had already ended"

// onReply handles a reply. A refusal explains why this reply, or an earlier answer that was held,
// is not accepted.
func (p *peer) onReply(s *socket, f *frame) (refusal *contracts.Refusal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	final, named := f.Final == nil || *f.Final, f.MessageID != ""
	x := p.waiting
	switch {
	case p.socket != s:
		return contracts.Refuse(contracts.CodeConflict, "another connection has taken over this session")
	case f.Content == nil:
		return contracts.RefuseField("content", "a reply needs content")
	case x == nil && !named && p.unanswered > 0:
		if final {
			p.unanswered--
		}
		return contracts.Refuse(contracts.CodeConflict, "the turn that this reply belongs to has ended")
	case x == nil, named && f.MessageID != x.id:
		return contracts.Refuse(contracts.CodeConflict, "no turn is waiting for this reply")
	}
	if named {
		x.lateAnswers = 0 // replies from a peer that names its turns are not ambiguous
	}
	if x.heldComplete || named && x.held.Len() > 0 {
		x.drop()
		refusal = contracts.Refuse(contracts.CodeConflict, errLate)
	}
	if x.text.Len()+x.held.Len()+len(*f.Content) > contracts.LimitReply {
		p.end(x, fmt.Errorf("the answer exceeds %d bytes", contracts.LimitReply))
		return contracts.RefuseField("content", "the answer exceeds %d bytes", contracts.LimitReply)
	}
	switch {
	case x.lateAnswers > 0:
		x.held.WriteString(*f.Content)
		if final {
			p.hold(x)
		}
	default:
		x.appendText(*f.Content)
		if final {
			p.end(x, nil)
		}
	}
	return refusal
}

func (x *exchange) appendText(text string) {
	x.text.WriteString(contracts.CleanText(text))
	x.sink.Delta("token", text)
}

// drop discards the held answer, if any.
func (x *exchange) drop() {
	x.held.Reset()
	x.heldComplete = false
	if x.silenceTimer != nil {
		x.silenceTimer.Stop()
	}
}

// hold keeps a complete answer until it is clear which turn it belongs to. The caller holds the
// lock.
func (p *peer) hold(x *exchange) {
	x.heldComplete = true
	x.lateAnswers--
	late := x.lateAnswers
	x.silenceTimer = time.AfterFunc(contracts.BridgeLateWait, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.waiting == x && x.heldComplete && x.lateAnswers == late { // the same answer is still held
			x.appendText(x.held.String())
			p.end(x, nil)
		}
	})
}

// giveUp ends an exchange, with why as its error, and sends a cancel frame. A peer that does not
// support cancel may still answer.
func (p *peer) giveUp(x *exchange, why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting != x {
		return
	}
	p.end(x, why)
	if p.socket != nil {
		p.socket.send(&frame{Type: "cancel", MessageID: x.id})
	}
}

// end finishes an exchange. If err is nil, no answer is outstanding; otherwise the peer's answer
// may still arrive. The caller holds the lock.
func (p *peer) end(x *exchange, err error) {
	p.waiting = nil
	p.unanswered = 0
	if err != nil {
		p.unanswered = x.lateAnswers + 1
	}
	x.drop()
	x.err = err
	close(x.done)
}
