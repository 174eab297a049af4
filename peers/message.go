package peers

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/turn"
)

// officeChat is the chat that people in the office use to talk to an agent that accepts every chat.
const officeChat = "office"

// Run carries out orders for connected guests and delivers people's messages to them until ctx is
// done. Messages to crew members are work items instead.
func (p *Peers) Run(ctx context.Context, engine *turn.Engine) error {
	return p.cfg.Office.Orders(ctx, contracts.SourceBridge, func(rec contracts.Record) error {
		if rec.Kind != contracts.KindChat {
			return engine.CarryOut(rec)
		}
		body, err := rec.Decode()
		if err != nil {
			return err
		}
		message := body.(*contracts.Chat)
		t, err := p.submit(engine, &rec, message) // not in a goroutine, to process messages and orders in sequence
		if !p.start(func() { p.answer(rec.Seq, message, t, err) }) && err == nil {
			t.Leave()
		}
		return nil
	})
}

// start runs fn in a goroutine that Close waits for. It returns false after Close.
func (p *Peers) start(fn func()) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.running.Go(fn)
	return true
}

// answer waits for the turn of a message and records the answer in the same thread. A non-nil err
// explains why no turn started, and becomes the answer. While the office is shutting down, nothing
// is recorded, so that the message is answered after the next start.
func (p *Peers) answer(seq uint64, message *contracts.Chat, t *turn.Turn, err error) {
	var text string
	if err == nil {
		defer t.Leave()
		<-t.Done()
		var answer drive.Answer
		answer, err = t.Result()
		text = answer.Text
	}
	switch {
	case errors.Is(err, turn.ErrClosing), err != nil && p.runCtx.Err() != nil:
		return
	case err != nil:
		text = "I could not answer: " + err.Error()
	case contracts.Blank(contracts.CleanText(text)):
		text = "(empty answer)"
	}
	ctx, cancel := context.WithTimeout(context.Background(), contracts.RecordTimeout)
	defer cancel()
	said := contracts.ChatSaid{Chat: contracts.Chat{From: message.To, Text: text, AnswersSeq: seq}}
	err = turn.RetryUntilRefused(ctx, p.cfg.Log, "answer to a message", func(ctx context.Context) error { return p.cfg.Office.Record(ctx, said) })
	if refusal := turn.Refused(err); refusal != nil && refusal.Code == contracts.CodeConflict {
		return // the agent left or was stopped: the message already has its answer
	}
	if err != nil {
		p.cfg.Log.Warn("could not record the answer to a message", "agent", message.To, "error", err)
	}
}

var errRedacted = errors.New("the message was redacted")

// submit starts a turn for a message, unless the message was redacted or its peer is not connected.
func (p *Peers) submit(engine *turn.Engine, rec *contracts.Record, message *contracts.Chat) (*turn.Turn, error) {
	if rec.Redacted {
		return nil, errRedacted
	}
	key, ok := p.address(message.To)
	if !ok {
		return nil, drive.ErrUnreachable
	}
	prompt := drive.Prompt{Text: message.Text, ChatID: key.Chat, MessageID: p.cfg.NewUUID(), TS: p.cfg.Now().UnixMilli()}
	return engine.Submit(turn.Request{
		Key: key, Prompt: prompt, Origin: contracts.OriginCaller, Said: prompt.Text, Stream: turn.StreamOf(prompt.MessageID), Timeout: p.cfg.TurnTimeout,
		Begin: func(ctx context.Context) error { return p.checkRedacted(ctx, rec.Seq) },
	})
}

// checkRedacted returns errRedacted if the message was redacted while it was waiting for its turn.
func (p *Peers) checkRedacted(ctx context.Context, seq uint64) error {
	recs, err := p.cfg.Office.Read(ctx, seq-1, 1)
	if err == nil && len(recs) == 1 && recs[0].Seq == seq && recs[0].Redacted {
		err = errRedacted
	}
	return err
}

// address returns the conversation in which an agent can be reached: officeChat if the agent
// accepts every chat, otherwise its first chat. ok is false if the agent is not connected.
func (p *Peers) address(agentID string) (k turn.Key, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(p.byKey)) {
		agent, chat, _ := strings.Cut(key, contracts.SessionSeparator)
		switch {
		case contracts.AgentIDOf(agent) != agentID:
		case chat == turn.AnyChat:
			return turn.Key{Agent: agent, Chat: officeChat}, true
		case !ok:
			k, ok = turn.Key{Agent: agent, Chat: chat}, true
		}
	}
	return k, ok
}
