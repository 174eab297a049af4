//go:build linux

package main

import (
	"context"
	"fmt"
	"time"
)

// crowd is a number of viewers and the load that they receive.
type crowd struct {
	viewers int
	rate    int // messages per second when they are paced
	burst   int // messages per burst
}

// rounds is the number of times that each contestant runs within a repetition, if the contestants
// take turns.
const rounds = 5

// runFanout measures the delivery of events to all viewers, at the pace of a busy office and in a
// burst. It also measures the cost of an idle viewer.
func runFanout(ctx context.Context, b *bench) error {
	crowds := []crowd{{1000, 40, 300}, {10_000, 4, 30}}
	if b.quick {
		crowds = crowds[:1]
	}
	for i := range crowds {
		var err error
		if crowds[i].viewers, err = roomFor(crowds[i].viewers); err != nil {
			return err
		}
	}
	for range b.reps {
		for _, c := range crowds {
			groups, err := groupsFor(c.viewers)
			if err != nil {
				return err
			}
			for _, g := range groups {
				if err := b.fanoutOnce(ctx, c, g); err != nil {
					return fmt.Errorf("%d viewers: %w", c.viewers, err)
				}
			}
		}
	}
	return nil
}

// groupsFor returns the groups of rivals that run together: all of them, or one at a time if their
// viewers do not fit into one process.
func groupsFor(viewers int) ([][]rival, error) {
	room, err := roomForFiles()
	if err != nil || room >= viewers*len(rivals) {
		return [][]rival{rivals}, err
	}
	var groups [][]rival
	for _, r := range rivals {
		groups = append(groups, []rival{r})
	}
	return groups, nil
}

func (b *bench) fanoutOnce(ctx context.Context, c crowd, group []rival) error {
	var entered []*entrant
	defer func() {
		for _, e := range entered {
			e.leave()
		}
	}()
	for _, r := range group {
		e, err := b.enterCrowd(ctx, c, r)
		if e != nil {
			entered = append(entered, e)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", r.who, err)
		}
	}
	if err := b.fanoutPaced(c, entered); err != nil {
		return fmt.Errorf("paced: %w", err)
	}
	if err := b.fanoutBurst(c, entered); err != nil {
		return fmt.Errorf("burst: %w", err)
	}
	return nil
}

// enterCrowd starts a server, connects its viewers and measures their memory. If it fails, it may
// still return the entrant; the caller must then close it.
func (b *bench) enterCrowd(ctx context.Context, c crowd, r rival) (*entrant, error) {
	var s setup
	if r.who == ours {
		s.History = 1000 // so that a seq has four digits
	}
	e, err := b.newEntrant(ctx, r, s, r.enter)
	if err != nil {
		return nil, err
	}
	empty, err := e.server.ask(order{Do: "settle"})
	if err != nil {
		return e, err
	}
	if e.swarm, err = newSwarm(e.server.addr, e.script); err != nil {
		return e, err
	}
	if err := e.swarm.open(c.viewers, openAtOnce); err != nil {
		return e, fmt.Errorf("open the viewers: %w", err)
	}
	full, err := e.server.ask(order{Do: "settle"})
	if err != nil {
		return e, err
	}
	b.sheet.add("fanout", fmt.Sprintf("%d idle, KB/viewer", c.viewers), r.who, float64(full.RSS-empty.RSS)/float64(c.viewers)/1024)
	return e, nil
}

func (b *bench) fanoutPaced(c crowd, entered []*entrant) error {
	every := time.Second / time.Duration(c.rate)
	count := max(1, int(b.span()/every/rounds))
	name := fmt.Sprintf("%d paced, ", c.viewers)
	for range rounds {
		for _, e := range entered {
			used, _, err := e.send(order{Do: "publish", Count: count, Every: nanos(every)})
			if err != nil {
				return fmt.Errorf("%s: %w", e.who, err)
			}
			b.sheet.add("fanout", name+"CPU s/1M", e.who, perMillion(used, count*len(e.swarm.conns)))
		}
	}
	for _, e := range entered {
		latency := e.swarm.latencies()
		b.sheet.add("fanout", name+"p50 ms", e.who, quantile(latency, 0.5))
		b.sheet.add("fanout", name+"p99 ms", e.who, quantile(latency, 0.99))
	}
	return nil
}

func (b *bench) fanoutBurst(c crowd, entered []*entrant) error {
	name := fmt.Sprintf("%d burst, ", c.viewers)
	for _, e := range entered {
		used, wall, err := e.send(order{Do: "publish", Count: c.burst})
		if err != nil {
			return fmt.Errorf("%s: %w", e.who, err)
		}
		deliveries := c.burst * len(e.swarm.conns)
		b.sheet.add("fanout", name+"CPU s/1M", e.who, perMillion(used, deliveries))
		b.sheet.add("fanout", name+"deliveries/s", e.who, float64(deliveries)/wall.Seconds())
		b.sheet.add("fanout", name+"p99 ms", e.who, quantile(e.swarm.latencies(), 0.99))
	}
	return nil
}

func perMillion(used time.Duration, deliveries int) float64 {
	return used.Seconds() / float64(deliveries) * 1e6
}
