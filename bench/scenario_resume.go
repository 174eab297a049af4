//go:build linux

package main

import (
	"context"
	"fmt"
	"time"
)

// missedRecords is how far every viewer is behind.
const missedRecords = 1000

var returners = []rival{
	{raw, "raw", func(string) script { return script{} }},
	{ours, "hub", func(string) script { return hubScript(1) }},
	{peer, "centrifuge", peerScript},
}

// runResume measures a crowd that comes back at once, from the first connection
// to the last byte of the last viewer.
func runResume(ctx context.Context, b *bench) error {
	viewers, err := roomFor(1000)
	if err != nil {
		return err
	}
	for range b.reps {
		for _, r := range returners {
			if err := b.resumeOnce(ctx, r, viewers); err != nil {
				return fmt.Errorf("%s: %w", r.who, err)
			}
		}
	}
	return nil
}

func (b *bench) resumeOnce(ctx context.Context, r rival, viewers int) error {
	server, err := b.startChild(ctx, r.kind, setup{History: missedRecords})
	if err != nil {
		return err
	}
	defer server.stop()
	script := r.script(server.epoch)
	if script.greeted, err = probe(server.addr, script); err != nil {
		return fmt.Errorf("try one viewer: %w", err)
	}
	sw, err := newSwarm(server.addr, script)
	if err != nil {
		return err
	}
	defer sw.close()
	before, err := server.cpu()
	if err != nil {
		return err
	}
	began := time.Now()
	if err := sw.open(viewers, viewers); err != nil {
		return fmt.Errorf("%d of %d viewers caught up: %w", sw.ready, viewers, err)
	}
	wall := sw.read.Sub(began)
	after, err := server.cpu()
	if err != nil {
		return err
	}
	for _, v := range sw.sampled {
		if v.messages != missedRecords {
			return fmt.Errorf("a viewer got %d of %d records", v.messages, missedRecords)
		}
	}
	b.sheet.add("resume", "wall ms", r.who, wall.Seconds()*1e3)
	b.sheet.add("resume", "CPU ms", r.who, (after-before).Seconds()*1e3)
	b.sheet.add("resume", "bytes per viewer", r.who, float64(script.greeted))
	return nil
}
