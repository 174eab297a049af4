//go:build linux

package main

import (
	"context"
	"fmt"
	"time"
)

// rival is a kind of server in a comparison.
type rival struct {
	who    string
	kind   string
	enter  func(epoch string) script // returns the script of a new viewer
	resume func(epoch string) script // returns the script of a viewer that missed everything
}

var rivals = []rival{
	{raw, "raw", rawScript, rawScript},
	{ours, "hub", hubScript, hubResumeScript},
	{peer, "centrifuge", peerScript, peerScript},
}

// entrant is a running rival with its viewers.
type entrant struct {
	rival
	server *child
	script script
	swarm  *swarm // nil before the viewers connect
}

// newEntrant starts a rival and uses one viewer to measure how many bytes a viewer receives when it
// connects.
func (b *bench) newEntrant(ctx context.Context, r rival, s setup, enter func(string) script) (*entrant, error) {
	server, err := b.startChild(ctx, r.kind, s)
	if err != nil {
		return nil, err
	}
	e := &entrant{rival: r, server: server, script: enter(server.epoch)}
	if e.script.greeted, err = probe(server.addr, e.script); err != nil {
		e.leave()
		return nil, fmt.Errorf("connect a first viewer: %w", err)
	}
	return e, nil
}

func (e *entrant) leave() {
	if e.swarm != nil {
		e.swarm.close()
	}
	e.server.stop()
}

// send publishes events and waits until every viewer has received all of them. used is the server's
// CPU time, and wall is the elapsed time.
func (e *entrant) send(o order) (used, wall time.Duration, err error) {
	return e.measure(func() error {
		return e.swarm.watch(func() (goal, error) {
			a, err := e.server.ask(o)
			return goal{bytes: a.Bytes, messages: o.Count}, err
		})
	})
}

// measure runs act and returns the server's CPU time and the time until the last byte arrived.
func (e *entrant) measure(act func() error) (used, wall time.Duration, err error) {
	before, err := e.server.cpu()
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	if err := act(); err != nil {
		return 0, 0, err
	}
	after, err := e.server.cpu()
	return after - before, e.swarm.read.Sub(began), err
}
