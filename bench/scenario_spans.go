//go:build linux

package main

import (
	"context"
	"fmt"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

const spanDoor = "/v1/traces"

type spanServer struct {
	who  string
	addr string
	cpu  func() (time.Duration, error)
}

// runSpans measures how many GenAI spans the complete server records in a ledger on disk. The
// measurement ends when the start and the end of every span are in the ledger. The peer is a
// collector that only decodes and counts spans; the peer is left out if it cannot be built here.
func runSpans(ctx context.Context, b *bench) error {
	reader, err := b.startChild(ctx, "reader", setup{})
	if err != nil {
		return err
	}
	defer reader.stop()
	office, err := b.startChild(ctx, "office", setup{})
	if err != nil {
		return err
	}
	defer office.stop()
	servers := []spanServer{{raw, reader.addr, reader.cpu}, {ours, office.addr, office.cpu}}
	collector, err := b.startCollector(ctx)
	if err != nil {
		fmt.Println("  skipping the collector:", err)
	} else {
		defer collector.stop()
		servers = append(servers, spanServer{peer, collector.addr, collector.cpu})
	}
	var all []*producer
	for i := range contracts.LimitOTelRequests {
		p := newProducer(i)
		p.media = "application/x-protobuf"
		defer p.client.CloseIdleConnections()
		all = append(all, p)
	}
	if _, err := report(ctx, all, "http://"+office.addr+spanDoor, spanBody, b.span()/10); err != nil { // admits the agents
		return err
	}
	for range b.reps * rounds {
		for _, s := range servers {
			if err := b.spansPart(ctx, s, all); err != nil {
				return fmt.Errorf("%s: %w", named("spans", s.who), err)
			}
		}
	}
	return ctx.Err()
}

// spansPart has all producers send spans to one server, and adds the results to the sheet.
func (b *bench) spansPart(ctx context.Context, s spanServer, all []*producer) error {
	const facts = 2 // each span is recorded as a start and an end
	used, err := s.cpu()
	if err != nil {
		return err
	}
	have := int64(0)
	if s.who == ours {
		if have, err = recorded(ctx, s.addr, contracts.KindHUD); err != nil {
			return err
		}
	}
	began := time.Now()
	latency, err := report(ctx, all, "http://"+s.addr+spanDoor, spanBody, b.span()/rounds)
	if err != nil {
		return err
	}
	if s.who == ours {
		if err := awaitRecorded(ctx, s.addr, contracts.KindHUD, have+int64(len(latency)*spansPerRequest*facts)); err != nil {
			return err
		}
	}
	wall := time.Since(began)
	after, err := s.cpu()
	if err != nil {
		return err
	}
	spans := float64(len(latency) * spansPerRequest)
	b.sheet.add("spans", "spans/s", s.who, spans/wall.Seconds())
	b.sheet.add("spans", "request, p50 ms", s.who, quantile(latency, 0.5))
	b.sheet.add("spans", "request, p99 ms", s.who, quantile(latency, 0.99))
	b.sheet.add("spans", "CPU µs/span", s.who, float64((after-used).Microseconds())/spans)
	return nil
}
