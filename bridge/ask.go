package bridge

import (
	"maps"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/bridge/completion"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/turn"
)

// officeChat is the conversation in which people of the office talk to an agent that
// takes every chat.
const officeChat = "office"

// Ask hands an agent that dialled in what a person of the office says to it, and calls
// done once with what comes of it.
func (b *Bridge) Ask(of func(agent string) bool, text string, done func(drive.Answer, error)) {
	a, ok := b.peers.address(of)
	if !ok {
		done(drive.Answer{}, drive.ErrAbsent)
		return
	}
	ask := &completion.Ask{Messages: []drive.Message{completion.Said(text)}, Text: text}
	q := question{addr: a, ask: ask, prompt: b.prompt(a, text)}
	t, err := b.cfg.Engine.Submit(b.request(&q, turn.Join{}))
	if err != nil {
		done(drive.Answer{}, b.refusal(err, a))
		return
	}
	wait := func() {
		defer t.Leave()
		<-t.Done()
		done(t.Result())
	}
	if !b.start(wait) {
		t.Leave()
		done(drive.Answer{}, closing())
	}
}

// address is where an agent is best reached: one that takes every chat gets a chat of
// the office's own, any other is spoken to in the chat that it has.
func (p *peers) address(of func(agent string) bool) (a address, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(p.byKey)) {
		agent, chat, _ := strings.Cut(key, keySeparator)
		switch {
		case !of(agent):
		case chat == anyChat:
			return address{agent: agent, chat: officeChat}, true
		case !ok:
			a, ok = address{agent: agent, chat: chat}, true
		}
	}
	return a, ok
}
