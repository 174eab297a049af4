package peers

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

// peer is an agent that has connected to serve a session. It outlives its socket by the grace
// period, so that a turn can continue after a reconnect.
type peer struct {
	peers *Peers
	key   string

	slot chan struct{} // held by the running turn

	mu         sync.Mutex
	socket     *socket // nil while disconnected
	program    string  // claude_session in the program's hello
	ended      bool    // the program has exited and will not reconnect
	waiting    *exchange
	unanswered int // number of answers from abandoned turns that may still arrive
	away       *time.Timer
}

func newPeer(p *Peers, key string) *peer {
	return &peer{peers: p, key: key, slot: make(chan struct{}, 1)}
}

// ID returns the program's own conversation id, from its hello.
func (p *peer) ID() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.program
}

func (p *peer) agent() string {
	agent, _, _ := strings.Cut(p.key, contracts.SessionSeparator)
	return agent
}

// reachedBy reports whether a session reaches this peer. A connected peer's session reaches only that
// peer. A program that the office started reaches this peer if the peer's hello contained the
// program's id or no id.
func (p *peer) reachedBy(s drive.Session) bool {
	if other, dialled := s.(*peer); dialled {
		return other == p
	}
	own, said := s.ID(), p.ID()
	return own != "" && (said == own || said == "")
}

// Open returns the peer itself, which is already connected.
func (p *peer) Open(context.Context, drive.Spec) (drive.Session, error) { return p, nil }

// Close does nothing: the peer opened the connection and can serve further turns.
func (p *peer) Close() error { return nil }

// Interruptible marks the session as interruptible: Turn returns as soon as its ctx is done.
func (p *peer) Interruptible() {}

// Turn sends the prompt and returns the replies as one answer, once the final reply has arrived.
func (p *peer) Turn(ctx context.Context, prompt drive.Prompt, sink drive.Sink) (drive.Answer, error) {
	select {
	case p.slot <- struct{}{}:
		defer func() { <-p.slot }()
	case <-ctx.Done():
		return drive.Answer{}, ctx.Err()
	}
	life, end := context.WithCancel(ctx)
	defer end()
	x := &exchange{ctx: life, id: prompt.MessageID, sink: sink, done: make(chan struct{})}
	if err := p.dispatch(prompt, x); err != nil {
		return drive.Answer{}, err
	}
	select {
	case <-x.done:
		return drive.Answer{Text: x.text.String()}, x.err
	case <-ctx.Done():
		p.giveUp(x, ctx.Err())
		return drive.Answer{}, ctx.Err()
	}
}

func (p *peer) dispatch(prompt drive.Prompt, x *exchange) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.socket == nil {
		return drive.ErrUnreachable
	}
	text := prompt.Text
	ts := time.UnixMilli(prompt.TS).UTC().Format(time.RFC3339Nano)
	f := &frame{Type: "inbound", Content: &text, Meta: &meta{ChatID: prompt.ChatID, MessageID: prompt.MessageID, TS: ts}}
	if !p.socket.send(f) {
		return drive.ErrUnreachable
	}
	p.waiting = x
	x.lateAnswers, p.unanswered = p.unanswered, 0
	return nil
}

// attach sets the peer's socket and closes the earlier socket. A running turn continues only if the
// same program reconnected.
func (p *peer) attach(s *socket, program string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.away != nil {
		p.away.Stop()
		p.away = nil
	}
	old, another := p.socket, p.program != program
	p.socket, p.program, p.ended = s, program, false
	if old != nil && old != s {
		old.close(contracts.CloseReplaced, "another connection has taken over this session")
	}
	if another {
		if x := p.waiting; x != nil {
			p.end(x, drive.ErrGone)
		}
		p.unanswered = 0 // this program received none of the earlier prompts
	}
}

// detach removes a lost socket. The peer is dropped immediately, or after the grace period if a
// turn is running.
func (p *peer) detach(s *socket) {
	if p.lose(s) {
		p.peers.drop(p)
	}
}

// failTurn ends the turn of a peer that is disconnected because of what it sent. Otherwise, the
// peer would reconnect and send the same frames again.
func (p *peer) failTurn(s *socket, why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if x := p.waiting; p.socket == s && x != nil {
		p.end(x, fmt.Errorf("%w: the office closed the connection: %w", drive.ErrGone, why))
	}
}

// lose removes the socket and reports whether it was the peer's current socket.
func (p *peer) lose(s *socket) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.socket != s {
		return false
	}
	p.socket = nil
	switch x := p.waiting; {
	case x != nil && p.ended:
		p.end(x, drive.ErrGone)
	case x != nil:
		p.away = time.AfterFunc(p.peers.cfg.Grace, p.expire)
	}
	return true
}

// exited records that the peer's program has exited. Its turn then ends without the grace period,
// as soon as everything that the program sent has been read.
func (p *peer) exited(program string) {
	p.mu.Lock()
	if p.program != "" && p.program != program {
		p.mu.Unlock()
		return
	}
	p.ended = true
	away := p.socket == nil
	p.mu.Unlock()
	if away {
		p.expire()
	}
}

// expire drops a peer that did not reconnect, and ends its turn.
func (p *peer) expire() {
	p.mu.Lock()
	if x := p.waiting; p.socket == nil && x != nil {
		p.end(x, drive.ErrGone)
	}
	p.mu.Unlock()
	p.peers.drop(p)
}

// absent reports whether the peer is disconnected with no turn waiting for it.
func (p *peer) absent() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.socket == nil && p.waiting == nil
}
