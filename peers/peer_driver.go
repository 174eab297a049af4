package peers

import (
	"context"

	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/turn"
)

// Peer returns the driver for the office's own turns with connected agents: it uses the peer of the
// session <agent>::<chat>, or else the peer that accepts every chat. A turn fails with
// drive.ErrUnreachable while neither is connected; the session stays usable and finds peers that
// connect later.
func (p *Peers) Peer() drive.Driver { return peerDriver{p} }

type peerDriver struct{ peers *Peers }

// Open returns a session for a key. Its peer need not be connected yet.
func (c peerDriver) Open(_ context.Context, spec drive.Spec) (drive.Session, error) {
	return &peerSession{peers: c.peers, key: turn.KeyOf(spec.Key)}, nil
}

// peerSession is a conversation with whichever peer is connected at the time of a turn.
type peerSession struct {
	peers *Peers
	key   turn.Key
}

// ID returns "", because the peer decides which conversation to resume.
func (c *peerSession) ID() string { return "" }

// Close does nothing: the peer opened the connection.
func (c *peerSession) Close() error { return nil }

// Interruptible marks the session as interruptible: Turn returns as soon as its ctx is done.
func (c *peerSession) Interruptible() {}

// Turn sends the prompt to the connected peer. It fails with drive.ErrUnreachable if there is none.
func (c *peerSession) Turn(ctx context.Context, p drive.Prompt, sink drive.Sink) (drive.Answer, error) {
	found := c.peers.find(c.key)
	if found == nil {
		return drive.Answer{}, drive.ErrUnreachable
	}
	return found.Turn(ctx, p, sink)
}

// Exited notifies the peer with the given session key that its program has exited.
func (p *Peers) Exited(key, program string) {
	if found := p.find(turn.KeyOf(key)); found != nil {
		found.exited(program)
	}
}

// Await returns nil once a peer is connected for a session key. It fails if ctx is done or Peers is
// closed first.
func (p *Peers) Await(ctx context.Context, key string) error {
	for {
		arrived := p.arrivals()
		if p.find(turn.KeyOf(key)) != nil {
			return nil
		}
		select {
		case <-arrived:
		case <-ctx.Done():
			return ctx.Err()
		case <-p.runCtx.Done():
			return drive.ErrUnreachable
		}
	}
}
