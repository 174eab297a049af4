//go:build linux

package main

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// people is the number of concurrent clients.
const people = 24

// commandPause keeps a client just below the rate limit for commands.
const commandPause = contracts.CommandWindow/contracts.CommandsPerWindow + 5*time.Millisecond

// runCommand measures the latency of commands, from the socket to the durable response. The
// reference appends one record per command to the same kind of ledger at the same rate.
func runCommand(ctx context.Context, b *bench) error {
	server, err := b.startChild(ctx, "office", setup{})
	if err != nil {
		return err
	}
	defer server.stop()
	crowd, err := enter(ctx, server.addr)
	defer func() {
		for _, p := range crowd {
			p.conn.Close()
		}
	}()
	if err != nil {
		return err
	}
	for rep := range b.reps {
		if err := b.commandOnce(ctx, server, crowd, fmt.Sprintf("command-%d.db", rep)); err != nil {
			return err
		}
	}
	return nil
}

// commandOnce lets appends and commands take turns, so that both run under the same disk
// conditions.
func (b *bench) commandOnce(ctx context.Context, server *child, crowd []*person, file string) error {
	store, err := openLedger(ctx, filepath.Join(b.dir, file))
	if err != nil {
		return err
	}
	defer store.close()
	var appends, commands []float64
	var used time.Duration
	for range rounds {
		latency, err := appendPaced(store, b.span()/rounds)
		if err != nil {
			return err
		}
		appends = append(appends, latency...)
		before, err := server.cpu()
		if err != nil {
			return err
		}
		if latency, err = direct(crowd, b.span()/rounds); err != nil {
			return err
		}
		commands = append(commands, latency...)
		after, err := server.cpu()
		if err != nil {
			return err
		}
		used += after - before
	}
	b.addCommand(raw, appends)
	b.addCommand(ours, commands)
	b.sheet.add("command", "CPU ms/command", ours, used.Seconds()*1e3/float64(len(commands)))
	return ctx.Err()
}

func (b *bench) addCommand(who string, latency []float64) {
	b.sheet.add("command", "p50 ms", who, quantile(latency, 0.5))
	b.sheet.add("command", "p99 ms", who, quantile(latency, 0.99))
}

// appendPaced appends records at the combined rate of all clients and returns the latencies in
// milliseconds.
func appendPaced(store appender, span time.Duration) (latency []float64, err error) {
	every := commandPause / people
	body := benchBody()
	err = publish(int(span/every), every, func(int) error {
		began := time.Now()
		err := store.append(body)
		latency = append(latency, time.Since(began).Seconds()*1e3)
		return err
	})
	return latency, err
}

// enter connects all clients, each with its own project.
func enter(ctx context.Context, addr string) (crowd []*person, err error) {
	for i := range people {
		p, err := newPerson(ctx, addr, i)
		if err != nil {
			return crowd, fmt.Errorf("person %d: %w", i, err)
		}
		crowd = append(crowd, p)
	}
	return crowd, nil
}

// direct has all clients pause and resume their projects, and returns the latencies in
// milliseconds.
func direct(crowd []*person, span time.Duration) ([]float64, error) {
	all := make([][]float64, len(crowd))
	failed := make(chan error, len(crowd))
	var wg sync.WaitGroup
	for i, p := range crowd {
		wg.Go(func() {
			time.Sleep(commandPause * time.Duration(i) / people)
			var err error
			if all[i], err = p.direct(max(1, int(span/commandPause))); err != nil {
				failed <- err
			}
		})
	}
	wg.Wait()
	close(failed)
	var latency []float64
	for _, l := range all {
		latency = append(latency, l...)
	}
	return latency, <-failed
}
