//go:build linux

package main

import (
	"context"
	"fmt"
)

// missedRecords is the number of records that every viewer has missed.
const missedRecords = 1000

// runResume measures how long many viewers take to reconnect together, from the first connection to
// the last byte that the last viewer receives.
func runResume(ctx context.Context, b *bench) error {
	viewers, err := roomFor(1000)
	if err != nil {
		return err
	}
	for range b.reps {
		if err := b.resumeOnce(ctx, viewers); err != nil {
			return err
		}
	}
	return nil
}

// resumeOnce measures the rivals alternately; each measurement is a sample.
func (b *bench) resumeOnce(ctx context.Context, viewers int) error {
	var entered []*entrant
	defer func() {
		for _, e := range entered {
			e.leave()
		}
	}()
	for _, r := range rivals {
		e, err := b.newEntrant(ctx, r, setup{History: missedRecords}, r.resume)
		if err != nil {
			return fmt.Errorf("%s: %w", r.who, err)
		}
		entered = append(entered, e)
	}
	for range rounds {
		for _, e := range entered {
			if err := b.storm(e, viewers); err != nil {
				return fmt.Errorf("%s: %w", e.who, err)
			}
		}
	}
	return nil
}

func (b *bench) storm(e *entrant, viewers int) (err error) {
	if e.swarm, err = newSwarm(e.server.addr, e.script); err != nil {
		return err
	}
	used, wall, err := e.measure(func() error { return e.swarm.open(viewers, viewers) })
	if err != nil {
		return fmt.Errorf("%d of %d viewers caught up: %w", e.swarm.ready, viewers, err)
	}
	for _, v := range e.swarm.sampled {
		if v.messages != missedRecords {
			return fmt.Errorf("a viewer received %d of %d records", v.messages, missedRecords)
		}
	}
	e.swarm.close()
	e.swarm = nil
	b.sheet.add("resume", "wall ms", e.who, wall.Seconds()*1e3)
	b.sheet.add("resume", "CPU ms", e.who, used.Seconds()*1e3)
	b.sheet.add("resume", "bytes per viewer", e.who, float64(e.script.greeted))
	return nil
}
