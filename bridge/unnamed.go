package bridge

import (
	"errors"
	"strings"

	"github.com/bullpen-office/bullpen/bridge/completion"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/turn"
)

// question is one request on its way to a conversation.
type question struct {
	addr   address
	ask    *completion.Ask
	root   completion.Digest // where its conversation begins; matters when it has no name
	whole  completion.Digest // the conversation up to the question
	prompt drive.Prompt      // as people see it
}

// request is the question for the engine.
func (b *Bridge) request(q *question, j turn.Join) turn.Request {
	j.Content = q.prompt.Text // in a conversation with a name the new message, else all of it
	if !q.addr.named() {
		j.Content, j.Group = string(q.whole[:]), string(q.root[:])
	}
	return turn.Request{
		Key: q.addr.key(), Prompt: q.prompt, Origin: contracts.OriginCaller, Said: q.prompt.Text, Stream: turn.StreamOf(q.prompt.MessageID), Join: j,
		Workspace: q.addr.workspace, Confined: q.addr.confined, Temporary: !q.addr.named(), Orphan: contracts.BridgeOrphan, Timeout: b.cfg.TurnTimeout,
		Prepare: q.compose,
		Finish: func(l *turn.Connection, a drive.Answer, told []string) (string, error) {
			b.settle(q, l, a, told)
			return a.Text, nil
		},
	}
}

// unnamedMark begins the chats of conversations that their callers do not name.
const unnamedMark = "~"

// newChat is the id of a conversation of its own.
func (b *Bridge) newChat() string {
	return unnamedMark + strings.ReplaceAll(b.cfg.NewUUID(), "-", "")[:16]
}

// submit hands a question to the conversation that it names. One without a name goes to
// that of the turn which it tries again, else to the one that ends where its transcript
// does, else to a new one, which is told all of it.
func (b *Bridge) submit(j turn.Join, q *question) (*turn.Turn, error) {
	if q.addr.named() {
		return b.cfg.Engine.Submit(b.request(q, j))
	}
	b.conversing.Lock() // two attempts at the same moment are still one request
	defer b.conversing.Unlock()
	if r := b.request(q, j); j.ID != "" || j.Retry {
		if k, ok := b.cfg.Engine.Tried(r.Join); ok {
			r.Key, r.Join.MustJoin = k, true
			if t, err := b.cfg.Engine.Submit(r); !errors.Is(err, turn.ErrNoTurn) {
				return t, err
			}
		}
	}
	if end, begun := completion.Prefix(q.root, q.ask.Messages); begun {
		b.mu.Lock()
		if chat, ok := b.finder.Take(end); ok {
			q.addr.chat = chat
		}
		b.mu.Unlock()
	}
	return b.cfg.Engine.Submit(b.request(q, j))
}
