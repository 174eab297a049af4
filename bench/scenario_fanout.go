//go:build linux

package main

import (
	"context"
	"fmt"
	"time"
)

// crowd is a number of viewers with the work that suits it.
type crowd struct {
	viewers int
	rate    int // paced messages a second
	burst   int // messages of the burst
}

// rival is a server that takes part against the others.
type rival struct {
	who    string
	kind   string
	script func(epoch string) script
}

var rivals = []rival{
	{raw, "raw", func(string) script { return script{} }},
	{ours, "hub", func(string) script { return hubScript(0) }},
	{peer, "centrifuge", peerScript},
}

// runFanout measures one event on its way to everybody: paced, as in a busy
// office, and in a burst; and what a viewer costs that only waits.
func runFanout(ctx context.Context, b *bench) error {
	crowds := []crowd{{1000, 40, 300}, {10_000, 4, 30}}
	if b.quick {
		crowds = crowds[:1]
	}
	for range b.reps {
		for _, c := range crowds {
			for _, r := range rivals {
				if err := b.fanoutOnce(ctx, c, r); err != nil {
					return fmt.Errorf("%d viewers of %s: %w", c.viewers, r.who, err)
				}
			}
		}
	}
	return nil
}

func (b *bench) fanoutOnce(ctx context.Context, c crowd, r rival) error {
	room, err := roomFor(c.viewers)
	if err != nil {
		return err
	}
	var s setup
	if r.who == ours {
		s.History = 1000 // from here on a seq has four digits
	}
	server, err := b.startChild(ctx, r.kind, s)
	if err != nil {
		return err
	}
	defer server.stop()
	script := r.script(server.epoch)
	if script.greeted, err = probe(server.addr, script); err != nil {
		return fmt.Errorf("try one viewer: %w", err)
	}
	empty, err := server.ask(order{Do: "settle"})
	if err != nil {
		return err
	}
	sw, err := newSwarm(server.addr, script)
	if err != nil {
		return err
	}
	defer sw.close()
	if err := sw.open(room, openAtOnce); err != nil {
		return fmt.Errorf("open the viewers: %w", err)
	}
	full, err := server.ask(order{Do: "settle"})
	if err != nil {
		return err
	}
	b.sheet.add("fanout", fmt.Sprintf("%d idle, KB/viewer", c.viewers), r.who, float64(full.RSS-empty.RSS)/float64(room)/1024)
	if err := b.fanoutPaced(c, r.who, server, sw); err != nil {
		return fmt.Errorf("paced: %w", err)
	}
	if err := b.fanoutBurst(c, r.who, server, sw); err != nil {
		return fmt.Errorf("burst: %w", err)
	}
	return nil
}

func (b *bench) fanoutPaced(c crowd, who string, server *child, sw *swarm) error {
	every := time.Second / time.Duration(c.rate)
	count := max(1, int(b.span()/every))
	used, _, err := send(server, sw, order{Do: "publish", Count: count, Every: nanos(every)})
	if err != nil {
		return err
	}
	name := fmt.Sprintf("%d paced, ", c.viewers)
	latency := sw.latencies()
	b.sheet.add("fanout", name+"CPU s/1M", who, perMillion(used, count*len(sw.conns)))
	b.sheet.add("fanout", name+"p50 ms", who, quantile(latency, 0.5))
	b.sheet.add("fanout", name+"p99 ms", who, quantile(latency, 0.99))
	return nil
}

func (b *bench) fanoutBurst(c crowd, who string, server *child, sw *swarm) error {
	used, wall, err := send(server, sw, order{Do: "publish", Count: c.burst})
	if err != nil {
		return err
	}
	name := fmt.Sprintf("%d burst, ", c.viewers)
	deliveries := c.burst * len(sw.conns)
	b.sheet.add("fanout", name+"CPU s/1M", who, perMillion(used, deliveries))
	b.sheet.add("fanout", name+"deliveries/s", who, float64(deliveries)/wall.Seconds())
	b.sheet.add("fanout", name+"p99 ms", who, quantile(sw.latencies(), 0.99))
	return nil
}

func perMillion(used time.Duration, deliveries int) float64 {
	return used.Seconds() / float64(deliveries) * 1e6
}

// send publishes and waits until every viewer has everything. used is what it
// cost the server, wall how long it took.
func send(server *child, sw *swarm, o order) (used, wall time.Duration, err error) {
	before, err := server.cpu()
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	err = sw.watch(func() (goal, error) {
		a, err := server.ask(o)
		return goal{bytes: a.Bytes, messages: o.Count}, err
	})
	if err != nil {
		return 0, 0, err
	}
	after, err := server.cpu()
	return after - before, sw.read.Sub(began), err
}
