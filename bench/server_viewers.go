//go:build linux

package main

import (
	"errors"
	"fmt"
	"time"
)

// viewers runs the viewers of one node in a separate process, because one process might not be able
// to open enough files for the viewers of all nodes.
type viewers struct {
	addr, epoch string
	swarm       *swarm // nil while nobody is connected
	script      script
}

func newViewers(s setup) (contestant, error) {
	return &viewers{addr: s.Upstream, epoch: s.Epoch}, nil
}

func (w *viewers) Addr() (addr, epoch string) { return w.addr, w.epoch }

func (w *viewers) Publish(int, time.Duration) (int, error) {
	return 0, errors.New("viewers cannot publish events")
}

func (w *viewers) Close() error {
	w.drop()
	return nil
}

// Obey executes an order:
//   - probe measures how many bytes a viewer receives when it connects with the order's cursor,
//   - open connects viewers and returns once all have joined,
//   - watch returns once every viewer has received o.Count events and o.Bytes bytes since it joined,
//   - drop closes all connections.
func (w *viewers) Obey(o order) (answer, error) {
	switch o.Do {
	case "probe":
		return answer{}, w.probe(o.Cursor)
	case "open":
		return answer{}, w.open(o)
	case "watch":
		return w.watch(o)
	case "drop":
		w.drop()
		return answer{}, nil
	}
	return answer{}, fmt.Errorf("unknown order %q", o.Do)
}

func (w *viewers) probe(cursor uint64) (err error) {
	w.script = hubScript(w.epoch)
	if cursor > 0 {
		w.script = hubScriptAfter(w.epoch, cursor)
	}
	w.script.greeted, err = probe(w.addr, w.script)
	return err
}

func (w *viewers) open(o order) (err error) {
	if w.swarm, err = newSwarm(w.addr, w.script); err != nil {
		return err
	}
	if err := w.swarm.open(o.Count, o.AtOnce); err != nil {
		return fmt.Errorf("%d of %d viewers joined: %w", w.swarm.ready, o.Count, err)
	}
	w.swarm.startHeartbeat()
	return nil
}

func (w *viewers) watch(o order) (answer, error) {
	g := goal{bytes: w.script.greeted + o.Bytes, messages: o.Count}
	if err := w.swarm.run(func() (bool, error) { return w.swarm.reached(g), nil }); err != nil {
		return answer{}, fmt.Errorf("%d of %d viewers received everything: %w", w.complete(g), len(w.swarm.conns), err)
	}
	for _, v := range w.swarm.sampled {
		if v.messages != o.Count || v.disorder > 0 {
			return answer{}, fmt.Errorf("a viewer received %d of %d events, %d of them out of order", v.messages, o.Count, v.disorder)
		}
	}
	latency := w.swarm.latencies()
	return answer{P50: quantile(latency, 0.5), P99: quantile(latency, 0.99)}, nil
}

func (w *viewers) complete(g goal) (n int) {
	for _, v := range w.swarm.conns {
		if v.has(g) {
			n++
		}
	}
	return n
}

func (w *viewers) drop() {
	if w.swarm != nil {
		w.swarm.close()
		w.swarm = nil
	}
}
