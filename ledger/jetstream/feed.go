package jetstream

import (
	"bytes"
	"context"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// follow receives the records that any node appends after head.
func (l *Ledger) follow(ctx context.Context, head uint64) (jetstream.ConsumeContext, error) {
	return l.consume(ctx, l.recordStream(), l.records+">", head+1, func(m jetstream.Msg) {
		meta, err := m.Metadata()
		if err != nil {
			l.config.Logger.Error("message without metadata in the record stream", "error", err)
			return
		}
		if err := l.receive(meta.Sequence.Stream, m.Data()); err != nil && l.runCtx.Err() == nil {
			err = l.noteDamage(err)
			l.config.Logger.Error("cannot follow the ledger", "record", meta.Sequence.Stream, "error", err)
		}
	})
}

// consume calls fn with the messages of a subject, in order and without gaps.
func (l *Ledger) consume(ctx context.Context, stream, subject string, from uint64, fn func(jetstream.Msg)) (jetstream.ConsumeContext, error) {
	ctx, cancel := context.WithTimeout(ctx, contracts.JetStreamTimeout)
	defer cancel()
	for {
		c, err := l.js.OrderedConsumer(l.runCtx, stream, jetstream.OrderedConsumerConfig{
			FilterSubjects: []string{subject}, DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: from,
		})
		if err == nil {
			return c.Consume(fn, jetstream.ConsumeErrHandler(func(_ jetstream.ConsumeContext, err error) {
				l.config.Logger.Debug("reading from NATS was interrupted", "stream", stream, "error", err)
			}))
		}
		if !l.pause(ctx) {
			return nil, fmt.Errorf("follow stream %s: %w", stream, err)
		}
	}
}

func (l *Ledger) receive(seq uint64, data []byte) error {
	head := l.Head()
	if seq <= head {
		return nil
	}
	if seq > head+1 { // the records in between were redacted or removed before they arrived
		return l.catchUp(l.runCtx)
	}
	e, err := decode(seq, data)
	if err != nil {
		return err
	}
	if err := l.reloadTombstones(l.runCtx, &e.Record); err != nil {
		return err
	}
	return l.apply([]entry{e})
}

// apply makes durable records visible. It skips records that are already known. If retention
// removed records that this node never saw, another node must have appended them and now leads.
func (l *Ledger) apply(entries []entry) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	old := l.state.Load()
	next := *old
	var recs []contracts.Record
	for i := range entries {
		e := &entries[i]
		if e.Seq <= next.head {
			continue
		}
		switch {
		case e.Seq != next.head+1 && e.Seq-1 > l.document.Floor:
			return &ledger.CorruptError{Seq: max(next.head, l.document.Floor) + 1, Reason: "is missing"}
		case e.Seq != next.head+1: // retention removed the preceding records
			recs, next.tail = nil, ledger.Tail{}
			l.segmentToken = ""
		case e.before != next.link:
			return &ledger.CorruptError{Seq: e.Seq, Reason: "does not continue the chain of the records before it"}
		}
		if e.segment != "" {
			l.addSegment(segment{after: e.Seq - 1, token: e.segment})
			if e.segment != l.segmentToken { // another node is the writer
				l.segmentToken = ""
			}
		}
		next.head, next.link = e.Seq, e.link()
		recs = append(recs, l.localRecord(e))
	}
	if next.head == old.head {
		return nil
	}
	next.tail = next.tail.Extend(recs).Trim(next.floor)
	l.publishState(&next)
	return nil
}

// publishState replaces the state and wakes followers. The caller holds mu.
func (l *Ledger) publishState(next *state) {
	old := l.state.Load()
	next.changed = make(chan struct{})
	l.state.Store(next)
	close(old.changed)
}

// localRecord returns the record of an entry that has come back from the stream. If this node is
// still appending that record, localRecord returns this node's copy, which contains the decoded body.
// The caller holds mu.
func (l *Ledger) localRecord(e *entry) contracts.Record {
	if n := len(l.inFlight); n > 0 && e.Seq >= l.inFlight[0].Seq && e.Seq <= l.inFlight[n-1].Seq {
		if f := &l.inFlight[e.Seq-l.inFlight[0].Seq]; f.salt == e.salt && bytes.Equal(f.Body, e.Body) {
			return f.Record
		}
	}
	return e.Record
}

// confirmedSeq returns the head according to the leader of the stream. A newly elected leader may
// still be applying records, so confirmedSeq waits until the leader has all records that this node
// has seen. If that takes too long, it fails with a *ledger.LossError.
func (l *Ledger) confirmedSeq(ctx context.Context) (uint64, error) {
	known := l.Head()
	limit, cancel := context.WithTimeout(ctx, contracts.JetStreamTimeout)
	defer cancel()
	for {
		last, err := l.lastSeq(ctx)
		if err != nil || last >= known {
			return last, err
		}
		if l.pause(limit) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		return 0, l.asClosed(&ledger.LossError{Reason: fmt.Sprintf("the stream ends at record %d, but record %d was confirmed", last, known)})
	}
}

// catchUp reads the records that the stream's leader has but this node has not read yet.
func (l *Ledger) catchUp(ctx context.Context) error {
	last, err := l.confirmedSeq(ctx)
	if err != nil {
		return err
	}
	if last > l.Head() {
		if err := l.loadDocument(ctx); err != nil {
			return err
		}
		if err := l.loadTombstones(ctx); err != nil {
			return err
		}
		if err := l.loadSkipped(ctx); err != nil {
			return err
		}
	}
	for after := l.Head(); after < last; {
		page, next, err := l.page(ctx, after, last, contracts.LimitFollowBatch, nil)
		if err != nil {
			return err
		}
		if err := l.apply(page); err != nil {
			return err
		}
		after = next
	}
	return l.skipTo(last)
}

// skipTo raises the head to last, the seq of a record that retention removed before this node saw
// it.
func (l *Ledger) skipTo(last uint64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	next := *l.state.Load()
	if next.head >= last {
		return nil
	}
	link, ok := l.document.link(last)
	if !ok {
		return &ledger.CorruptError{Seq: last, Reason: "is missing"}
	}
	next.head, next.link, next.tail = last, link, ledger.Tail{}
	l.segmentToken = "" // another node appended the removed records
	l.publishState(&next)
	return nil
}
