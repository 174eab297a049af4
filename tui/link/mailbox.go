package link

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// CodeOffline is the code of a command that was not sent, or of which nobody
// knows.
const CodeOffline contracts.ErrorCode = "OFFLINE"

// Reply is the one answer to a command.
type Reply struct {
	OK         bool
	Seq        uint64
	Duplicate  bool
	Result     contracts.Result
	Code       contracts.ErrorCode
	Message    string
	Field      string
	RetryAfter time.Duration
}

// letter is a command on its way.
type letter struct {
	id     string
	text   []byte
	tries  int
	answer chan Reply
}

// mailbox keeps commands until their answer comes. What was sent and not answered
// when the line broke is sent again with the same id.
type mailbox struct {
	mu   sync.Mutex
	open []*letter // in the order they were given
	shut string    // why nothing is sent any more
}

// keep is false when too many wait already.
func (m *mailbox) keep(id string, text []byte) (<-chan Reply, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.open) >= contracts.LimitOpenCommands {
		return nil, false
	}
	l := &letter{id: id, text: text, tries: 1, answer: make(chan Reply, 1)}
	if m.shut != "" {
		l.answer <- Reply{Code: CodeOffline, Message: m.shut}
		return l.answer, true
	}
	m.open = append(m.open, l)
	return l.answer, true
}

// answered takes an answer in; false when nobody waits for it.
func (m *mailbox) answered(id string, reply Reply) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := m.find(id)
	if at < 0 {
		return false
	}
	m.open[at].answer <- reply
	m.open = slices.Delete(m.open, at, at+1)
	return true
}

// again decides whether a refused command goes out once more, and when: one that
// came too fast after the time that the office names, one on which the office
// failed once (docs/COMMAND_TAXONOMY.md). Nil means that the refusal stands.
func (m *mailbox) again(id string, reply Reply) (text []byte, wait time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := m.find(id)
	if at < 0 {
		return nil, 0
	}
	l := m.open[at]
	fast := reply.Code == contracts.CodeRateLimited && reply.RetryAfter > 0 && reply.RetryAfter <= contracts.CommandWindow && l.tries < contracts.LimitCommandTries
	failed := reply.Code == contracts.CodeInternal && l.tries == 1
	switch {
	case fast:
		wait = reply.RetryAfter
	case failed:
		wait = contracts.LinkRetryFirst
	default:
		return nil, 0
	}
	l.tries++
	return l.text, wait
}

func (m *mailbox) find(id string) int {
	return slices.IndexFunc(m.open, func(l *letter) bool { return l.id == id })
}

// unanswered is what waits, in the order it was given.
func (m *mailbox) unanswered() [][]byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	var texts [][]byte
	for _, l := range m.open {
		texts = append(texts, l.text)
	}
	return texts
}

// close answers everything that waits, and whatever comes later with the first reason.
func (m *mailbox) close(message string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.shut = cmp.Or(m.shut, message)
	m.answerAll(message)
}

// giveUp answers everything that waits.
func (m *mailbox) giveUp(message string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answerAll(message)
}

func (m *mailbox) answerAll(message string) {
	for _, l := range m.open {
		l.answer <- Reply{Code: CodeOffline, Message: message}
	}
	m.open = nil
}
