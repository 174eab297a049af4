//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	stormAtOnce  = 2048             // concurrent handshakes of a node's viewers when they reconnect
	missedTime   = 5 * time.Second  // how long events are published while nobody is connected
	stormTime    = 10 * time.Second // how long events are published while viewers reconnect
	loadQuarters = 4                // how many times memory is measured while viewers watch
)

// load is an office with its nodes and their viewers. The first node is the writer.
type load struct {
	*bench
	nodes   []*child
	crowds  []*child
	viewers int    // per node
	head    uint64 // the ledger's last record; the ledger starts with one record
}

// runLoad lets many viewers watch a busy office for several minutes, then closes all their
// connections and lets them resume while the office is still busy. It fails if a viewer loses an
// event.
func runLoad(ctx context.Context, b *bench) error {
	perNode, err := roomFor((b.options.viewers + b.options.nodes - 1) / b.options.nodes)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	l := &load{bench: b, viewers: perNode, head: 1}
	defer l.close()
	if err := l.start(ctx); err != nil {
		return err
	}
	fmt.Printf("  %d node(s), %d viewers, %d events/s\n", len(l.nodes), len(l.nodes)*l.viewers, b.rate)
	if err := l.watch(); err != nil {
		return fmt.Errorf("watch: %w", err)
	}
	if err := l.storm(); err != nil {
		return fmt.Errorf("reconnect: %w", err)
	}
	return nil
}

func (l *load) start(ctx context.Context) (err error) {
	var s setup
	if l.options.nodes > 1 {
		if s.NATS, err = l.startNATS(ctx); err != nil {
			return err
		}
	}
	for i := range l.options.nodes {
		s.Follows = i > 0
		node, err := l.startChild(ctx, "hub", s)
		if err != nil {
			return err
		}
		l.nodes = append(l.nodes, node)
		crowd, err := l.startChild(ctx, "viewers", setup{Upstream: node.addr, Epoch: node.epoch})
		if err != nil {
			return err
		}
		l.crowds = append(l.crowds, crowd)
	}
	if _, err := l.each(order{Do: "probe"}); err != nil {
		return err
	}
	_, err = l.each(order{Do: "open", Count: l.viewers, AtOnce: openAtOnce})
	return err
}

func (l *load) close() {
	for _, c := range append(l.crowds, l.nodes...) {
		c.stop()
	}
}

// each sends an order to the viewers of all nodes at the same time.
func (l *load) each(o order) ([]answer, error) {
	answers := make([]answer, len(l.crowds))
	var g errgroup.Group
	for i, c := range l.crowds {
		g.Go(func() (err error) {
			if answers[i], err = c.ask(o); err != nil {
				err = fmt.Errorf("viewers of node %d: %w", i+1, err)
			}
			return err
		})
	}
	return answers, g.Wait()
}

// stream publishes events for the given span and returns how many it published.
func (l *load) stream(span time.Duration) (count int, err error) {
	every := time.Second / time.Duration(l.rate)
	count = max(1, int(span/every))
	a, err := l.nodes[0].ask(order{Do: "stream", Count: count, Every: nanos(every)})
	if err == nil && a.Head != l.head+uint64(count) {
		err = fmt.Errorf("the ledger ends at record %d instead of %d", a.Head, l.head+uint64(count))
	}
	l.head = a.Head
	return count, err
}

// watch measures the delivery of events to viewers that stay connected.
func (l *load) watch() error {
	span := l.spanOr(120, 3600)
	count := max(1, int(span/(time.Second/time.Duration(l.rate))))
	bytes, err := framesBytes(l.head, count)
	if err != nil {
		return err
	}
	before, err := l.cpu()
	if err != nil {
		return err
	}
	began := time.Now()
	var answers []answer
	var streamed time.Duration
	var memory []float64
	var g errgroup.Group
	g.Go(func() (err error) {
		answers, err = l.each(order{Do: "watch", Count: count, Bytes: bytes})
		return err
	})
	g.Go(func() error {
		_, err := l.stream(span)
		streamed = time.Since(began)
		return err
	})
	g.Go(func() (err error) {
		memory, err = l.watchMemory(span)
		return err
	})
	if err := g.Wait(); err != nil {
		return err
	}
	wall := time.Since(began)
	after, err := l.cpu()
	if err != nil {
		return err
	}
	var p50, p99 float64
	for _, a := range answers {
		p50, p99 = max(p50, a.P50), max(p99, a.P99)
	}
	l.sheet.add("load", "events/s", ours, float64(count)/streamed.Seconds())
	l.sheet.add("load", "p50 ms", ours, p50)
	l.sheet.add("load", "p99 ms", ours, p99)
	l.sheet.add("load", "CPU of the nodes, cores", ours, (after-before).Seconds()/wall.Seconds())
	for i, mb := range memory {
		l.sheet.add("load", fmt.Sprintf("memory of the nodes after %d%% of the run, in MB", 100*(i+1)/loadQuarters), ours, mb)
	}
	return nil
}

// watchMemory returns the total memory of all nodes, in MB, at the end of each quarter of span.
func (l *load) watchMemory(span time.Duration) (memory []float64, err error) {
	began := time.Now()
	for i := range loadQuarters {
		time.Sleep(time.Until(began.Add(span * time.Duration(i+1) / loadQuarters)))
		var all int64
		for _, n := range l.nodes {
			rss, err := residentBytes(fmt.Sprintf("/proc/%d/statm", n.cmd.Process.Pid))
			if err != nil {
				return nil, err
			}
			all += rss
		}
		memory = append(memory, float64(all)/(1<<20))
	}
	return memory, nil
}

func (l *load) cpu() (all time.Duration, err error) {
	for _, n := range l.nodes {
		used, cpuErr := n.cpu()
		all, err = all+used, errors.Join(err, cpuErr)
	}
	return all, err
}

// storm measures how long it takes all viewers to reconnect and receive the events that they
// missed.
func (l *load) storm() error {
	cursor := l.head
	if _, err := l.each(order{Do: "drop"}); err != nil {
		return err
	}
	missed, err := l.stream(missedTime)
	if err != nil {
		return err
	}
	if _, err := l.each(order{Do: "probe", Cursor: cursor}); err != nil {
		return err
	}
	count := int(stormTime / (time.Second / time.Duration(l.rate)))
	bytes, err := framesBytes(l.head, count)
	if err != nil {
		return err
	}
	began := time.Now()
	var g errgroup.Group
	g.Go(func() error {
		if _, err := l.each(order{Do: "open", Count: l.viewers, AtOnce: stormAtOnce}); err != nil {
			return err
		}
		l.sheet.add("load", "reconnected after s", ours, time.Since(began).Seconds())
		_, err := l.each(order{Do: "watch", Count: missed + count, Bytes: bytes})
		return err
	})
	g.Go(func() error {
		_, err := l.stream(stormTime)
		return err
	})
	return g.Wait()
}
