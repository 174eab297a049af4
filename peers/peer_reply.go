package peers

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

// exchange is a turn that waits for replies. Everything but done is under the peer's
// lock.
//
// A reply of seed 002 does not name its turn, so one that follows a turn that was given
// up may be that turn's. A peer answers in order: such an answer is held until the next
// reply or permission request shows that it was late, or until the peer has been silent
// for BridgeDoubt, which makes it this turn's.
type exchange struct {
	ctx  context.Context // ends with the turn
	id   string
	sink drive.Sink
	text strings.Builder
	done chan struct{}
	err  error
	asks int // permissions that wait for a person

	late   int             // answers of earlier turns that may still come first
	held   strings.Builder // an answer that is this turn's or late
	whole  bool            // the held answer has had its final reply
	silent *time.Timer     // since then
}

const errLate = "this answer has no message_id and was matched with an earlier turn, which had ended"

// replied takes a reply in, or says why it, or the one before it, belongs to nothing.
func (p *peer) replied(s *socket, f *frame) (no *contracts.Refusal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	final, named := f.Final == nil || *f.Final, f.MessageID != ""
	x := p.waiting
	switch {
	case p.socket != s:
		return contracts.Refuse(contracts.CodeConflict, "another connection has taken over this session")
	case f.Content == nil:
		return contracts.RefuseField("content", "a reply needs content")
	case x == nil && !named && p.owed > 0:
		if final {
			p.owed--
		}
		return contracts.Refuse(contracts.CodeConflict, "the turn of this reply has ended")
	case x == nil, named && f.MessageID != x.id:
		return contracts.Refuse(contracts.CodeConflict, "no turn is waiting for this reply")
	}
	if named {
		x.late = 0 // who names its turns is not mistaken
	}
	if x.whole || named && x.held.Len() > 0 {
		x.drop()
		no = contracts.Refuse(contracts.CodeConflict, errLate)
	}
	if x.text.Len()+x.held.Len()+len(*f.Content) > contracts.LimitReply {
		p.end(x, fmt.Errorf("the answer exceeds %d bytes", contracts.LimitReply))
		return contracts.RefuseField("content", "the answer exceeds %d bytes", contracts.LimitReply)
	}
	switch {
	case x.late > 0:
		x.held.WriteString(*f.Content)
		if final {
			p.hold(x)
		}
	default:
		x.say(*f.Content)
		if final {
			p.end(x, nil)
		}
	}
	return no
}

func (x *exchange) say(text string) {
	x.text.WriteString(contracts.CleanText(text))
	x.sink.Delta("token", text)
}

// drop throws the held answer away: it was late.
func (x *exchange) drop() {
	x.held.Reset()
	x.whole = false
	if x.silent != nil {
		x.silent.Stop()
	}
}

// hold keeps a whole answer until it is clear whose it is; the caller holds the lock.
func (p *peer) hold(x *exchange) {
	x.whole = true
	x.late--
	late := x.late
	x.silent = time.AfterFunc(contracts.BridgeDoubt, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.waiting == x && x.whole && x.late == late { // and not another answer by now
			x.say(x.held.String())
			p.end(x, nil)
		}
	})
}

// giveUp stops waiting, for a reason: x.ctx may not have heard of it yet. The peer is
// told; one that does not understand it will answer all the same.
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

// end finishes an exchange; the caller holds the lock. After an answer the peer is in
// step; without one it may still give it.
func (p *peer) end(x *exchange, err error) {
	p.waiting = nil
	p.owed = 0
	if err != nil {
		p.owed = x.late + 1
	}
	x.drop()
	x.err = err
	close(x.done)
}
