//go:build linux

package main

import (
	"context"
	"fmt"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// streamBatch is the maximum number of late events in one append.
const streamBatch = 100

// Obey executes a stream order.
func (h *hubServer) Obey(o order) (answer, error) {
	if o.Do != "stream" {
		return answer{}, fmt.Errorf("unknown order %q", o.Do)
	}
	err := h.stream(o.Count, time.Duration(o.Every))
	return answer{Head: h.ledger.Head()}, err
}

// stream appends events at a fixed interval. An event's publishing time is the time at which it is
// due, so a late append counts as latency. Events that are due at the same time share an append.
func (h *hubServer) stream(count int, every time.Duration) error {
	began := time.Now()
	for done := 0; done < count; {
		next := began.Add(time.Duration(done) * every)
		time.Sleep(time.Until(next))
		due := min(int(time.Since(began)/every)+1, count, done+streamBatch)
		var recs []contracts.Record
		for ; done < due; done++ {
			rec, err := eventAt(int(h.made.Add(1)), began.Add(time.Duration(done)*every))
			if err != nil {
				return err
			}
			recs = append(recs, rec)
		}
		if err := h.ledger.Append(context.Background(), ledger.AnySeq, recs); err != nil {
			return err
		}
	}
	return nil
}

// framesBytes returns the total size of the frames of count events, the first of which has seq
// after+1.
func framesBytes(after uint64, count int) (bytes int, err error) {
	rec, err := eventAt(0, time.Now())
	for i := range count {
		rec.Seq = after + 1 + uint64(i)
		frame, frameErr := frameOf(&rec)
		if err = frameErr; err != nil {
			break
		}
		bytes += len(frame)
	}
	return bytes, err
}
