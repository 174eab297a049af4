//go:build linux

package main

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
)

// appender makes events durable, one per call to append. It is safe for concurrent use.
type appender struct {
	append func(body []byte) error
	close  func() error
}

// runAppend measures appends by producers that wait until each append is durable. The file and the
// ledger take turns, and every turn is a sample.
func runAppend(ctx context.Context, b *bench) error {
	span := b.span() / 10
	for rep := range b.reps {
		for _, producers := range []int{1, 64} {
			if err := b.appendOnce(ctx, fmt.Sprintf("append-%d-%d", rep, producers), producers, span); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *bench) appendOnce(ctx context.Context, name string, producers int, span time.Duration) error {
	file, err := openRawLog(ctx, filepath.Join(b.dir, name+".log"))
	if err != nil {
		return err
	}
	defer file.close()
	store, err := openLedger(ctx, filepath.Join(b.dir, name+".db"))
	if err != nil {
		return err
	}
	defer store.close()
	for range appendTurns {
		if err := b.measureAppend(file, raw, producers, span); err != nil {
			return err
		}
		if err := b.measureAppend(store, ours, producers, span); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// appendTurns is how many times the file and the ledger are each measured per repetition. They
// alternate.
const appendTurns = 3

func (b *bench) measureAppend(a appender, who string, producers int, span time.Duration) error {
	before, err := cpuTime()
	if err != nil {
		return err
	}
	began := time.Now()
	latency, err := produce(a.append, producers, span)
	wall := time.Since(began)
	if err != nil {
		return err
	}
	after, err := cpuTime()
	if err != nil {
		return err
	}
	count := float64(len(latency))
	name := fmt.Sprintf("%d producers, ", producers)
	if producers == 1 {
		name = "1 producer, "
	}
	b.sheet.add("append", name+"events/s", who, count/wall.Seconds())
	b.sheet.add("append", name+"p50 ms", who, quantile(latency, 0.5))
	b.sheet.add("append", name+"p99 ms", who, quantile(latency, 0.99))
	b.sheet.add("append", name+"CPU µs/event", who, float64((after-before).Microseconds())/count)
	return nil
}

// produce appends from several goroutines for the given span and returns the latencies in
// milliseconds.
func produce(one func([]byte) error, producers int, span time.Duration) ([]float64, error) {
	body := benchBody()
	end := time.Now().Add(span)
	all := make([][]float64, producers)
	failed := make(chan error, producers)
	var wg sync.WaitGroup
	for i := range producers {
		wg.Go(func() {
			for began := time.Now(); began.Before(end); {
				if err := one(body); err != nil {
					failed <- err
					return
				}
				now := time.Now()
				all[i] = append(all[i], now.Sub(began).Seconds()*1e3)
				began = now
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

// benchBody returns a 300-byte event body.
func benchBody() []byte {
	body := make([]byte, 0, 300)
	body = append(body, `{"name":"agent_joined","note":"`...)
	for len(body) < 298 {
		body = append(body, '.')
	}
	return append(body, `"}`...)
}

func openLedger(ctx context.Context, path string) (appender, error) {
	l, err := sqlite.Open(ctx, sqlite.Config{Path: path})
	if err != nil {
		return appender{}, err
	}
	return appender{close: l.Close, append: func(body []byte) error {
		return l.Append(context.Background(), ledger.AnySeq, []contracts.Record{{TS: 1, Kind: contracts.KindEvent, ID: "evt_b1000000", Body: body}})
	}}, nil
}
