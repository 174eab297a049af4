package bridge

import (
	"fmt"
	"maps"
	"slices"

	"github.com/bullpen-office/bullpen/bridge/completion"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/turn"
)

// memory tracks the messages and instructions that an agent has received over a connection.
type memory struct {
	conversationID string // the agent's own conversation id
	received       map[completion.Digest]struct{}
	order          []completion.Digest // oldest first
	rules          []completion.Digest // the newest instructions
	history        []drive.Message     // the conversation so far, for an agent that has no memory of its own
}

func (m *memory) has(d completion.Digest) bool {
	_, ok := m.received[d]
	return ok
}

// remember stores the messages that the agent has received. Above the limit, it forgets the oldest
// messages, so they are sent again. New instructions replace earlier instructions, which are sent
// again if they reappear.
func (m *memory) remember(list ...drive.Message) {
	if m.received == nil {
		m.received = map[completion.Digest]struct{}{}
	}
	var rules []completion.Digest
	for _, msg := range list {
		if completion.Instructs(msg) {
			rules = append(rules, completion.Of(msg))
		}
	}
	if len(rules) > 0 {
		over := func(d completion.Digest) bool { return slices.Contains(m.rules, d) && !slices.Contains(rules, d) }
		maps.DeleteFunc(m.received, func(d completion.Digest, _ struct{}) bool { return over(d) })
		m.order = slices.DeleteFunc(m.order, over)
		m.rules = rules
	}
	for _, msg := range list {
		d := completion.Of(msg)
		if m.has(d) {
			continue
		}
		m.received[d] = struct{}{}
		m.order = append(m.order, d)
	}
	for len(m.order) > contracts.LimitBridgeDelivered {
		delete(m.received, m.order[0])
		m.order = m.order[1:]
	}
}

// keep stores the newest part of a conversation for an agent that has no memory of its own.
func (m *memory) keep(list []drive.Message) {
	m.history = nil
	bytes := 0
	for _, msg := range slices.Backward(list) {
		if bytes += completion.Size(msg); bytes > contracts.LimitBridgeHistory {
			break
		}
		m.history = append(m.history, msg)
	}
	slices.Reverse(m.history)
}

// memoryOf returns the memory of a connection. The memory is empty if the agent has started another
// conversation.
func memoryOf(l *turn.Connection) *memory {
	m, _ := l.Notes.(*memory)
	if m == nil || m.conversationID != l.ID() {
		m = &memory{conversationID: l.ID()}
		l.Notes = m
	}
	return m
}

// compose returns the prompt for a question, with everything that the connected agent has not
// received yet. It returns an error if the agent does not support part of the question.
func (q *question) compose(l *turn.Connection) (drive.Prompt, error) {
	if err := checkSupported(q.ask, l.Capabilities); err != nil {
		return drive.Prompt{}, err
	}
	p, known := q.prompt, memoryOf(l)
	p.Parameters = q.ask.Parameters
	if l.Capabilities.Messages {
		p.Messages = known.before(q)
		return p, nil
	}
	p.Text, p.Images = completion.Compose(q.ask.Messages, known.has)
	return p, nil
}

// before returns the whole conversation up to a question. If a caller names a conversation and
// sends only new messages, the stored history comes before them.
func (m *memory) before(q *question) []drive.Message {
	if !q.addr.named() || len(m.history) == 0 || slices.ContainsFunc(q.ask.Messages, completion.Answers) {
		return q.ask.Messages
	}
	var list []drive.Message
	for _, msg := range m.history { // new instructions replace the earlier ones
		if !completion.Instructs(msg) || !slices.ContainsFunc(q.ask.Messages, completion.Instructs) {
			list = append(list, msg)
		}
	}
	first := 0
	for first < len(q.ask.Messages) && completion.Instructs(q.ask.Messages[first]) {
		first++
	}
	return slices.Concat(q.ask.Messages[:first], list, q.ask.Messages[first:])
}

// recordAnswer updates the agent's memory after an answer, and records where an unnamed conversation
// ends. versions lists the versions of the answer that callers may read. recordAnswer runs before
// callers receive the end of the answer, so that their next message finds the conversation.
func (b *Bridge) recordAnswer(q *question, l *turn.Connection, answer drive.Answer, versions []string) {
	known := memoryOf(l)
	before := known.before(q)
	known.remember(q.ask.Messages...)
	for _, text := range versions {
		known.remember(completion.Reply(text))
	}
	if q.addr.named() {
		if l.Capabilities.Messages {
			known.keep(append(slices.Clone(before), completion.Reply(answer.Text)))
		}
		return
	}
	var ends []completion.Digest
	for _, text := range versions {
		ends = append(ends, q.whole.Then(completion.Reply(text)))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.finder.Add(q.addr.chat, ends...)
}

// checkSupported returns an error if the agent does not support a feature that the request uses.
// The request was checked when it arrived, but another agent may have connected since.
func checkSupported(ask *completion.Ask, caps drive.Capabilities) error {
	for name := range ask.Parameters {
		if !caps.Parameter(name) {
			return fmt.Errorf("%w: %s", drive.ErrUnsupported, name)
		}
	}
	for _, m := range ask.Messages {
		if !caps.Images && len(completion.Images(m)) > 0 {
			return fmt.Errorf("%w: images", drive.ErrUnsupported)
		}
	}
	return nil
}
