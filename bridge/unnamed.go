package bridge

import (
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/bridge/completion"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

// question is one request on its way to a session.
type question struct {
	addr   address
	ask    *completion.Ask
	root   completion.Digest // where its conversation begins; matters when it has no name
	whole  completion.Digest // the conversation up to the question
	prompt drive.Prompt      // as people see it
	join   bool              // it joins a turn of the session, and begins none
}

// repeats reports whether a question says the same as an earlier turn: in a
// conversation with a name the new message, else all of it.
func (q question) repeats(t *turn) bool {
	if q.addr.named() {
		return t.prompt.Text == q.prompt.Text
	}
	return t.whole == q.whole
}

// unnamedMark begins the chats of conversations that their callers do not name.
const unnamedMark = "~"

// newChat is the id of a conversation of its own.
func (b *Bridge) newChat() string {
	return unnamedMark + strings.ReplaceAll(b.cfg.NewUUID(), "-", "")[:16]
}

// converse hands a question without a name to its conversation: that of the turn
// which it tries again, else the one that ends where its transcript does, else a new
// one, which is told all of it.
func (b *Bridge) converse(r retry, q question) (*turn, *problem) {
	b.conversing.Lock() // two attempts at the same moment are still one request
	defer b.conversing.Unlock()
	if s := b.tried(r, q); s != nil {
		again := q
		again.join, again.addr.chat = true, s.addr.chat
		if t, refused := s.submit(r, again); t != nil || refused != nil {
			return t, refused
		}
	}
	if end, begun := completion.Prefix(q.root, q.ask.Messages); begun {
		b.mu.Lock()
		if chat, ok := b.finder.Take(end); ok {
			q.addr.chat = chat
		}
		b.mu.Unlock()
	}
	return b.submit(r, q)
}

// tried finds the conversation in which a request was made before that says of itself
// that it is made again.
func (b *Bridge) tried(r retry, q question) *session {
	if r.join == "" && !r.again {
		return nil
	}
	b.mu.Lock()
	var list []*session
	for _, s := range b.sessions {
		if !s.addr.named() && s.root == q.root {
			list = append(list, s)
		}
	}
	b.mu.Unlock()
	for _, s := range list {
		if s.tried(r, q) {
			return s
		}
	}
	return nil
}

func (s *session) tried(r retry, q question) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropOld()
	t := s.recent[r.join]
	return t != nil && r.own && !q.repeats(t) || s.earlier(r, q) != nil
}

// leave remembers where a conversation ends.
func (b *Bridge) leave(s *session, ends []completion.Digest) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.finder.Leave(s.addr.chat, ends...)
}

// park bounds the conversations that wait to be continued: each may hold a program.
// A conversation that is dropped for this starts over when it is continued, with all of its messages.
func (b *Bridge) park(s *session) {
	if s.addr.named() {
		return
	}
	b.mu.Lock()
	b.parked = append(slices.DeleteFunc(b.parked, func(p *session) bool { return p == s }), s)
	var old *session
	if len(b.parked) > contracts.LimitBridgeUnnamed {
		old, b.parked = b.parked[0], b.parked[1:]
	}
	b.mu.Unlock()
	if old != nil {
		old.retire()
	}
}
