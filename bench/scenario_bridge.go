//go:build linux

package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
)

const (
	bridgeStreams = 500 // concurrent answers
	bridgePieces  = 10  // pieces per answer
)

// bridgeRig contains all contestants: the office with its agents, the proxy in front of a plain
// handler, and a plain WebSocket.
type bridgeRig struct {
	stage  *stage
	office *child
	proxy  *child
	echo   net.Conn
	doors  map[string]*callers
	close  []func()
}

func (r *bridgeRig) shut() {
	for i := len(r.close) - 1; i >= 0; i-- {
		r.close[i]()
	}
}

// runBridge measures the OpenAI API with connected agents: the latency that the API adds, and the
// cost of many concurrent answers. Every turn is recorded in a ledger on disk. The references are a
// plain WebSocket to the agent, and the standard library's reverse proxy in front of a handler that
// streams the same answers.
func runBridge(ctx context.Context, b *bench) error {
	streams := bridgeStreams
	if b.quick {
		streams = 100
	}
	r, err := b.openBridgeRig(ctx, streams)
	defer r.shut()
	if err != nil {
		return err
	}
	for _, c := range r.doors { // admits all agents and opens all connections
		if _, err := c.all(ctx, streams, "ask", nil); err != nil {
			return err
		}
	}
	for range b.reps {
		if err := b.bridgeLatency(ctx, r, streams); err != nil {
			return fmt.Errorf("measure single questions: %w", err)
		}
		for _, part := range []func(context.Context, *bridgeRig, string, int) error{b.bridgeAtOnce, b.bridgeHeld} {
			for who := range r.doors {
				if err := part(ctx, r, who, streams); err != nil {
					return fmt.Errorf("%s, %d streams: %w", who, streams, err)
				}
			}
		}
	}
	return ctx.Err()
}

func (b *bench) openBridgeRig(ctx context.Context, streams int) (r *bridgeRig, err error) {
	r = &bridgeRig{stage: newStage(bridgePieces), doors: map[string]*callers{}}
	upstream, shut, err := r.stage.open()
	if err != nil {
		return r, err
	}
	r.close = append(r.close, shut)
	if r.office, err = b.startChild(ctx, "office", setup{}); err != nil {
		return r, err
	}
	r.close = append(r.close, func() { r.office.stop() })
	if r.proxy, err = b.startChild(ctx, "proxy", setup{Upstream: upstream}); err != nil {
		return r, err
	}
	r.close = append(r.close, func() { r.proxy.stop() })
	token, err := os.ReadFile(filepath.Join(r.office.dir, "token"))
	if err != nil {
		return r, err
	}
	for i := range streams {
		conn, err := r.stage.dialIn(ctx, r.office.addr, strings.TrimSpace(string(token)), fmt.Sprintf("bench::s%d", i))
		if err != nil {
			return r, fmt.Errorf("agent %d: %w", i, err)
		}
		r.close = append(r.close, func() { conn.Close() })
	}
	if r.echo, _, _, err = ws.Dial(ctx, "ws://"+upstream+"/echo"); err != nil {
		return r, err
	}
	r.close = append(r.close, func() { r.echo.Close() })
	for who, s := range map[string]*child{ours: r.office, peer: r.proxy} {
		c := newCallers(s.addr, bridgePieces)
		r.close = append(r.close, c.client.CloseIdleConnections)
		r.doors[who] = c
	}
	return r, nil
}

// bridgeLatency measures the latency of one question at a time. The contestants take turns.
func (b *bench) bridgeLatency(ctx context.Context, r *bridgeRig, streams int) error {
	took := map[string][]float64{}
	for range rounds {
		direct, err := echoed(r.echo, b.span()/rounds)
		if err != nil {
			return err
		}
		took[raw] = append(took[raw], direct...)
		for who, c := range r.doors {
			latency, err := c.steady(ctx, streams, b.span()/rounds)
			if err != nil {
				return err
			}
			took[who] = append(took[who], latency...)
		}
	}
	for _, p := range []int{50, 99} {
		q, name := float64(p)/100, fmt.Sprintf("p%d ms", p)
		direct := quantile(took[raw], q)
		b.sheet.add("bridge", "turn, "+name, raw, direct)
		for who := range r.doors {
			b.sheet.add("bridge", "turn, "+name, who, quantile(took[who], q))
			b.sheet.add("bridge", "added latency, "+name, who, quantile(took[who], q)-direct)
		}
	}
	return nil
}

// echoed sends the pieces of an answer over a plain WebSocket, reads them back, and returns the
// latencies in milliseconds.
func echoed(conn net.Conn, span time.Duration) (latency []float64, err error) {
	for end := time.Now().Add(span); time.Now().Before(end); {
		began := time.Now()
		for range bridgePieces {
			if err := wsutil.WriteClientText(conn, []byte(piece)); err != nil {
				return nil, err
			}
		}
		for range bridgePieces {
			if _, err := wsutil.ReadServerText(conn); err != nil {
				return nil, err
			}
		}
		latency = append(latency, time.Since(began).Seconds()*1e3)
	}
	return latency, nil
}

func (r *bridgeRig) server(who string) *child {
	if who == ours {
		return r.office
	}
	return r.proxy
}

// bridgeAtOnce starts all streams together and measures them. All of them must complete.
func (b *bench) bridgeAtOnce(ctx context.Context, r *bridgeRig, who string, streams int) error {
	before, err := r.server(who).cpu()
	if err != nil {
		return err
	}
	began := time.Now()
	latency, err := r.doors[who].all(ctx, streams, "ask", nil)
	wall := time.Since(began)
	if err != nil {
		return err
	}
	after, err := r.server(who).cpu()
	if err != nil {
		return err
	}
	name := fmt.Sprintf("%d concurrent, ", streams)
	b.sheet.add("bridge", name+"wall ms", who, wall.Seconds()*1e3)
	b.sheet.add("bridge", name+"p99 ms", who, quantile(latency, 0.99))
	b.sheet.add("bridge", name+"CPU ms/stream", who, (after-before).Seconds()*1e3/float64(streams))
	return nil
}

// bridgeHeld measures the memory of streams that pause in the middle of an answer.
func (b *bench) bridgeHeld(ctx context.Context, r *bridgeRig, who string, streams int) error {
	empty, err := r.server(who).ask(order{Do: "settle"})
	if err != nil {
		return err
	}
	var begun sync.WaitGroup
	begun.Add(streams)
	ended := make(chan error, 1)
	go func() {
		_, err := r.doors[who].all(ctx, streams, holdWord, begun.Done)
		ended <- err
	}()
	ready := make(chan struct{})
	go func() { begun.Wait(); close(ready) }()
	select {
	case <-ready:
	case err := <-ended:
		return fmt.Errorf("streams ended early: %w", err)
	}
	full, err := r.server(who).ask(order{Do: "settle"})
	r.stage.release()
	if err != nil {
		return err
	}
	b.sheet.add("bridge", fmt.Sprintf("%d held, KB/stream", streams), who, float64(full.RSS-empty.RSS)/float64(streams)/1024)
	return <-ended
}
