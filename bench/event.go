//go:build linux

package main

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gobwas/ws"

	"github.com/bullpen-office/bullpen/contracts"
)

// messageBytes is the size of an event message whose seq has four digits.
const messageBytes = 300

// stampMark precedes an event's publishing time, in nanoseconds.
const (
	stampMark   = "sent="
	stampDigits = 19
)

// eventAt returns an event whose publishing time is now.
func eventAt(number int, now time.Time) (contracts.Record, error) {
	rec, err := contracts.NewRecord(0, now.UnixMilli(), "", &contracts.Event{
		Name: contracts.EventAgentJoined,
		Note: stampMark + strconv.FormatInt(now.UnixNano(), 10) + strings.Repeat(".", notePadding),
	})
	rec.ID = fmt.Sprintf("evt_b%07d", number)
	return rec, err
}

// notePadding is the number of padding characters that brings a message to messageBytes.
const notePadding = 160

// frameOf returns the WebSocket frame for a record.
func frameOf(rec *contracts.Record) ([]byte, error) {
	return ws.CompileFrame(ws.NewTextFrame(rec.AppendMessage(nil)))
}

// stampIn returns the first publishing time in b and the bytes after it, or false if there is none.
func stampIn(b []byte) (sent int64, rest []byte, ok bool) {
	i := bytes.Index(b, []byte(stampMark))
	if i < 0 || len(b) < i+len(stampMark)+stampDigits {
		return 0, b, false
	}
	b = b[i+len(stampMark):]
	sent, err := strconv.ParseInt(string(b[:stampDigits]), 10, 64)
	return sent, b[stampDigits:], err == nil
}

// burstWidth is the number of publishers that share a burst.
const burstWidth = 64

// publish calls one(i) for every event i: at a fixed interval or, if every is 0, as fast as
// burstWidth publishers can.
func publish(count int, every time.Duration, one func(i int) error) error {
	if every > 0 {
		next := time.Now()
		for i := range count {
			time.Sleep(time.Until(next))
			next = next.Add(every)
			if err := one(i); err != nil {
				return err
			}
		}
		return nil
	}
	numbers := make(chan int, count)
	for i := range count {
		numbers <- i
	}
	close(numbers)
	failed := make(chan error, burstWidth)
	var wg sync.WaitGroup
	for range burstWidth {
		wg.Go(func() {
			for i := range numbers {
				if err := one(i); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	wg.Wait()
	close(failed)
	return <-failed
}
