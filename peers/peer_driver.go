package peers

import (
	"context"

	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/turn"
)

// Peer reaches the agent that connected for a session key, for the office's own turns:
// the peer of the session <agent>::<chat>, else the one that takes every chat. A turn
// fails with drive.ErrAbsent while nobody is there; the session stays usable and
// finds who dials in later.
func (p *Peers) Peer() drive.Driver { return callout{p} }

type callout struct{ peers *Peers }

// Open addresses a session; it need not be there yet.
func (c callout) Open(_ context.Context, spec drive.Spec) (drive.Session, error) {
	return &call{peers: c.peers, key: turn.KeyOf(spec.Key)}, nil
}

// call is a conversation with whoever is there at the time.
type call struct {
	peers *Peers
	key   turn.Key
}

// ID is empty: who dials in decides itself which conversation it goes on with.
func (c *call) ID() string { return "" }

// Close lets the peer be.
func (c *call) Close() error { return nil }

// Interruptible says that Turn waits for nobody once its ctx has ended.
func (c *call) Interruptible() {}

// Turn asks the peer that is there now.
func (c *call) Turn(ctx context.Context, p drive.Prompt, sink drive.Sink) (drive.Answer, error) {
	found := c.peers.find(c.key)
	if found == nil {
		return drive.Answer{}, drive.ErrAbsent
	}
	return found.Turn(ctx, p, sink)
}

// Exited reports that the program started for a session key has exited.
func (p *Peers) Exited(key, program string) {
	if found := p.find(turn.KeyOf(key)); found != nil {
		found.exited(program)
	}
}

// Await returns once somebody has dialled in for a session key, or with ctx.
func (p *Peers) Await(ctx context.Context, key string) error {
	for {
		came := p.arrivals()
		if p.find(turn.KeyOf(key)) != nil {
			return nil
		}
		select {
		case <-came:
		case <-ctx.Done():
			return ctx.Err()
		case <-p.life.Done():
			return drive.ErrAbsent
		}
	}
}
