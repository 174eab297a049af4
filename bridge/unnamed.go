package bridge

import (
	"context"
	"errors"
	"strings"

	"github.com/bullpen-office/bullpen/bridge/completion"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/turn"
)

// question is a validated request, ready to be submitted to its conversation.
type question struct {
	addr   address
	ask    *completion.Ask
	root   completion.Digest // start of the conversation, if unnamed
	whole  completion.Digest // the conversation up to and including the question
	prompt drive.Prompt      // the prompt that the office records and shows
}

// request returns the question as a request to the engine.
func (b *Bridge) request(q *question, j turn.Join) turn.Request {
	j.Content = q.prompt.Text // the new message in a named conversation, else the whole transcript
	if !q.addr.named() {
		j.Content, j.Group = string(q.whole[:]), string(q.root[:])
	}
	return turn.Request{
		Key: q.addr.key(), Prompt: q.prompt, Origin: contracts.OriginCaller, Said: q.prompt.Text, Stream: turn.StreamOf(q.prompt.MessageID), Join: j,
		Workspace: q.addr.workspace, Confined: q.addr.confined, Temporary: !q.addr.named(), Orphan: contracts.BridgeOrphan, Timeout: b.cfg.TurnTimeout,
		Prepare: q.compose,
		Finish: func(_ context.Context, l *turn.Connection, a drive.Answer, versions []string) (string, error) {
			b.recordAnswer(q, l, a, versions)
			return a.Text, nil
		},
	}
}

// unnamedMark is the chat id prefix of unnamed conversations.
const unnamedMark = "~"

// newChat returns the id of a new unnamed conversation.
func (b *Bridge) newChat() string {
	return unnamedMark + strings.ReplaceAll(b.cfg.NewUUID(), "-", "")[:16]
}

// submit submits a question to the conversation that the question names. A question that names no
// conversation but retries a turn joins that turn. Other questions continue the conversation whose
// transcript they repeat, or start a new conversation with the whole transcript.
func (b *Bridge) submit(j turn.Join, q *question) (*turn.Turn, error) {
	if q.addr.named() {
		return b.cfg.Engine.Submit(b.request(q, j))
	}
	b.conversing.Lock() // so that simultaneous attempts count as one request
	defer b.conversing.Unlock()
	if r := b.request(q, j); j.ID != "" || j.Retry {
		if k, ok := b.cfg.Engine.FindConversation(r.Join); ok {
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
