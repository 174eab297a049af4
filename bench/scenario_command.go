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

// people is how many direct the office at the same time.
const people = 24

// commandPause keeps a person just within the allowance of commands.
const commandPause = contracts.CommandWindow/contracts.CommandsPerWindow + 5*time.Millisecond

// runCommand measures commands from the socket to the durable reply on it. The
// reference appends one record to a ledger of the same sort, as often.
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
		path := filepath.Join(b.dir, fmt.Sprintf("command-%d.db", rep))
		latency, err := appendPaced(ctx, path, b.span())
		if err != nil {
			return err
		}
		b.addCommand(raw, latency)
		before, err := server.cpu()
		if err != nil {
			return err
		}
		if latency, err = direct(crowd, b.span()); err != nil {
			return err
		}
		after, err := server.cpu()
		if err != nil {
			return err
		}
		b.addCommand(ours, latency)
		b.sheet.add("command", "CPU ms/command", ours, (after-before).Seconds()*1e3/float64(len(latency)))
	}
	return nil
}

func (b *bench) addCommand(who string, latency []float64) {
	b.sheet.add("command", "p50 ms", who, quantile(latency, 0.5))
	b.sheet.add("command", "p99 ms", who, quantile(latency, 0.99))
}

// appendPaced appends as often as all people together command.
func appendPaced(ctx context.Context, path string, span time.Duration) ([]float64, error) {
	a, err := openLedger(ctx, path)
	if err != nil {
		return nil, err
	}
	var latency []float64
	every := commandPause / people
	body := benchBody()
	err = publish(int(span/every), every, func(int) error {
		began := time.Now()
		err := a.append(body)
		latency = append(latency, time.Since(began).Seconds()*1e3)
		return err
	})
	if err != nil {
		return nil, err
	}
	return latency, a.close()
}

// enter lets everybody in, each with a project to direct.
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

// direct has everybody pause and resume their project in turns.
func direct(crowd []*person, span time.Duration) ([]float64, error) {
	all := make([][]float64, len(crowd))
	failed := make(chan error, len(crowd))
	var wg sync.WaitGroup
	for i, p := range crowd {
		wg.Go(func() {
			time.Sleep(commandPause * time.Duration(i) / people)
			var err error
			if all[i], err = p.direct(int(span / commandPause)); err != nil {
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
