package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/backoff"
	"github.com/bullpen-office/bullpen/client/socket"
	"github.com/bullpen-office/bullpen/contracts"
)

// Do sends a command and returns its ack. If the office refuses the command, the error is a
// *contracts.Refusal.
//
// While Follow is running, Do uses Follow's connection. Otherwise, Do opens a connection, and fails
// immediately if it cannot connect.
//
// If the connection is lost before the response arrives, Do retries the command under the same id
// until ctx is done; it then returns an *UnansweredError. It retries a rate-limited command after
// the wait that the office asks for. After an INTERNAL error, it retries the command once.
func (c *Client) Do(ctx context.Context, data contracts.CommandData) (ack contracts.Ack, err error) {
	id := newID("cmd")
	text, err := contracts.AppendEnvelope(nil, contracts.TypeCommand, id, time.Now().UnixMilli(), map[string]any{"name": data.CommandName(), "data": data})
	if err != nil {
		return ack, fmt.Errorf("encode %s: %w", data.CommandName(), err)
	}
	if len(text) > contracts.LimitFrame {
		return ack, &TooLongError{len(text), contracts.LimitFrame}
	}
	c.mu.Lock()
	if !c.following {
		c.mu.Unlock()
		return c.doOnOwnConnection(ctx, id, text)
	}
	l, added := c.mail.add(id, text)
	conn := c.conn // read under the same lock: a connection that opens later sends the command itself
	c.mu.Unlock()
	if !added {
		return ack, ErrBusy
	}
	if conn != nil {
		_ = conn.Write(text) // if it fails, the next connection sends it again
	}
	select {
	case reply := <-l.answer:
		return reply.ack, reply.err
	case <-ctx.Done():
		if c.mail.drop(id) == nil { // the command's response has just arrived
			reply := <-l.answer
			return reply.ack, reply.err
		}
		return ack, &UnansweredError{Last: l.refusal, Err: context.Cause(ctx)}
	}
}

// doOnOwnConnection sends a command over its own connection. After it has sent the command, it
// keeps reconnecting until the command is answered, ctx is done, or an error is final.
func (c *Client) doOnOwnConnection(ctx context.Context, id string, text []byte) (contracts.Ack, error) {
	l := &pending{id: id, text: text, tries: 1}
	retry := newRetry()
	for {
		ack, err := c.attempt(ctx, l)
		var refusal *contracts.Refusal
		if err == nil || !l.sent || errors.As(err, &refusal) || errors.Is(err, ErrHistory) || Final(err) {
			return ack, err
		}
		if retry.Wait(ctx) != nil {
			return ack, &UnansweredError{Last: l.refusal, Err: err}
		}
	}
}

// attempt sends a command over one connection and returns its ack.
func (c *Client) attempt(ctx context.Context, l *pending) (ack contracts.Ack, err error) {
	cfg := c.socket()
	cfg.Silence = contracts.CommandTimeout
	conn, err := socket.Dial(ctx, cfg)
	if err != nil {
		return ack, &DialError{err}
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, conn.Abort)()
	if err := post(conn, contracts.TypeHello, c.hello()); err != nil {
		return ack, err
	}
	for greeted := false; ; {
		text, err := conn.Read()
		if err != nil {
			return ack, err
		}
		m, err := Parse(text)
		if err != nil && greeted {
			continue // a message that only a later version defines is not the response
		}
		if err != nil {
			return ack, err
		}
		switch m.Type {
		case contracts.TypeHelloAck:
			var hello contracts.HelloAck
			if err := m.Decode(&hello); err != nil {
				return ack, err
			}
			if l.sent && l.epoch != hello.Epoch {
				return ack, ErrHistory
			}
			greeted, l.sent, l.epoch = true, true, hello.Epoch
			err = conn.Write(l.text)
		case contracts.TypeAck:
			if err = m.Decode(&ack); err == nil && ack.InReplyTo == l.id {
				return ack, nil
			}
		case contracts.TypeError:
			var p contracts.ErrorPayload
			if err = m.Decode(&p); err != nil {
				break
			}
			if !greeted {
				return ack, &HelloError{p.Refusal, p.SupportedVersions}
			}
			if p.InReplyTo != l.id {
				break
			}
			wait, retry := l.retryDelay(&p.Refusal)
			if !retry || backoff.Sleep(ctx, wait) != nil {
				return ack, &p.Refusal
			}
			err = conn.Write(l.text)
		}
		if err != nil {
			return ack, err
		}
	}
}

// pending is a command in flight.
type pending struct {
	id     string
	text   []byte
	tries  int
	answer chan reply // receives the response; nil if the command has its own connection

	refusal *contracts.Refusal // the last refusal after which the command was retried

	sent  bool   // the office may have received the command
	epoch string // epoch of the ledger that the command was sent to
}

type reply struct {
	ack contracts.Ack
	err error
}

// retryDelay decides whether a refused command is retried, and returns the time to wait first
// (docs/COMMAND_TAXONOMY.md).
func (l *pending) retryDelay(r *contracts.Refusal) (wait time.Duration, retry bool) {
	after := time.Duration(r.RetryAfterMS) * time.Millisecond
	switch {
	case r.Code == contracts.CodeRateLimited && after > 0 && after <= contracts.CommandWindow && l.tries < contracts.LimitCommandTries:
		wait = after
	case r.Code == contracts.CodeInternal && l.tries == 1:
		wait = contracts.LinkRetryFirst
	default:
		return 0, false
	}
	l.tries++
	l.refusal = r
	return wait, true
}

// mailbox holds the commands that use Follow's connection until their responses arrive. If the
// connection is lost first, the commands are sent again with the same ids.
type mailbox struct {
	mu   sync.Mutex
	open []*pending // in the order they were sent
}

// add registers a command. It returns false if too many are waiting.
func (m *mailbox) add(id string, text []byte) (*pending, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.open) >= contracts.LimitOpenCommands {
		return nil, false
	}
	l := &pending{id: id, text: text, tries: 1, answer: make(chan reply, 1)}
	m.open = append(m.open, l)
	return l, true
}

// deliver passes a response to its command. It returns false if no command was waiting for it.
func (m *mailbox) deliver(id string, r reply) bool {
	l := m.drop(id)
	if l != nil {
		l.answer <- r
	}
	return l != nil
}

// drop removes and returns the command with the given id, or nil if there is none.
func (m *mailbox) drop(id string) *pending {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := slices.IndexFunc(m.open, func(l *pending) bool { return l.id == id })
	if at < 0 {
		return nil
	}
	l := m.open[at]
	m.open = slices.Delete(m.open, at, at+1)
	return l
}

// retry returns the message of a refused command, to be sent again after wait, or nil if the
// refusal is final.
func (m *mailbox) retry(id string, r *contracts.Refusal) (text []byte, wait time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, l := range m.open {
		if l.id == id {
			if wait, retry := l.retryDelay(r); retry {
				return l.text, wait
			}
		}
	}
	return nil, 0
}

// unanswered returns the messages of the waiting commands, in the order they were sent.
func (m *mailbox) unanswered() (texts [][]byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, l := range m.open {
		texts = append(texts, l.text)
	}
	return texts
}

// fail ends all waiting commands with err.
func (m *mailbox) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, l := range m.open {
		l.answer <- reply{err: err}
	}
	m.open = nil
}
