package jetstream

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// chunksHeader is a header that is set on the first chunk of a value and contains the number of
// chunks.
const chunksHeader = "Bullpen-Chunks"

// anyRevision, passed as the expected revision, makes put overwrite whatever value is stored.
const anyRevision = ^uint64(0)

// errRevision means that another node changed a value first.
var errRevision = errors.New("another node changed the value first")

// put stores a value under a name in the extras stream, as one atomic batch of chunks, and returns
// the new revision. It fails with errRevision if the value no longer has the given revision;
// revision 0 means that the value does not exist.
func (l *Ledger) put(ctx context.Context, name string, header nats.Header, value []byte, revision uint64) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, contracts.JetStreamAppend)
	defer cancel()
	chunks := max(1, (len(value)+contracts.LimitJetStreamChunk-1)/contracts.LimitJetStreamChunk)
	if chunks > contracts.LimitJetStreamBatch {
		return 0, fmt.Errorf("%s is too large (%d bytes)", name, len(value))
	}
	token := rand.Text()
	for attempt := 0; ; attempt++ {
		list := make([]*nats.Msg, chunks)
		for i := range list {
			m := nats.NewMsg(l.chunkSubject(name, i))
			m.Data = value[min(len(value), i*contracts.LimitJetStreamChunk):min(len(value), (i+1)*contracts.LimitJetStreamChunk)]
			list[i] = m
		}
		first := list[0]
		for key, values := range header {
			first.Header[key] = values
		}
		first.Header.Set(chunksHeader, strconv.Itoa(chunks))
		first.Header.Set(appendHeader, token)
		if revision != anyRevision {
			first.Header.Set(expectSubjectHeader, strconv.FormatUint(revision, 10))
		}
		inBatch(list, rand.Text())
		seq, err := l.send(ctx, list)
		if err == nil {
			return seq - uint64(chunks) + 1, nil
		}
		refused := (*apiError)(nil)
		switch {
		case errors.As(err, &refused) && refused.ErrCode == jetstream.JSErrCodeStreamWrongLastSequence:
			m, lookErr := l.fromLeader(ctx, l.extraStream(), selector{LastOf: l.chunkSubject(name, 0)})
			if lookErr == nil && m != nil && m.header.Get(appendHeader) == token { // an earlier attempt
				return m.seq, nil
			}
			if lookErr == nil {
				return 0, errRevision
			}
			err = lookErr
		case errors.As(err, &refused) && !isTransient(refused):
			return 0, explain(refused)
		}
		if l.runCtx.Err() != nil {
			return 0, ledger.ErrClosed
		}
		if !l.pause(ctx) {
			return 0, fmt.Errorf("store %s: %w", name, err)
		}
	}
}

// get returns a value and its revision; the revision is 0 if there is no value.
func (l *Ledger) get(ctx context.Context, name string) (value []byte, header nats.Header, revision uint64, err error) {
	for {
		first, err := l.fromLeader(ctx, l.extraStream(), selector{LastOf: l.chunkSubject(name, 0)})
		if err != nil || first == nil {
			return nil, nil, 0, err
		}
		value, whole, err := l.restOf(ctx, name, first)
		if err != nil {
			return nil, nil, 0, err
		}
		if whole {
			return value, first.header, first.seq, nil
		}
		if !l.pause(ctx) { // the value was replaced during the read
			return nil, nil, 0, l.asClosed(ctx.Err())
		}
	}
}

// restOf reads the chunks of a value; whole is false if the value was replaced during
// the read.
func (l *Ledger) restOf(ctx context.Context, name string, first *message) (value []byte, whole bool, err error) {
	chunks, err := strconv.Atoi(first.header.Get(chunksHeader))
	if err != nil || chunks < 1 || chunks > contracts.LimitJetStreamBatch {
		return nil, false, fmt.Errorf("%w: %s has an invalid number of chunks", ledger.ErrCorrupt, name)
	}
	value = first.data
	for i := 1; i < chunks; i++ {
		m, err := l.fromLeader(ctx, l.extraStream(), selector{LastOf: l.chunkSubject(name, i)})
		if err != nil || m == nil || m.seq != first.seq+uint64(i) {
			return nil, false, err
		}
		value = append(value, m.data...)
	}
	return value, true, nil
}

// drop removes the values whose names match name, which may be a pattern.
func (l *Ledger) drop(ctx context.Context, name string) error {
	return l.purge(ctx, l.extraStream(), l.extras+name+".*", 0)
}

// list calls fn with the name and the first chunk of each value whose name matches a pattern, in
// the order in which the values were stored.
func (l *Ledger) list(ctx context.Context, pattern string, fn func(name string, m message) error) error {
	filter := l.extras + pattern + "." + firstChunk
	for from := uint64(1); ; {
		messages, more, err := l.fromReplica(ctx, l.extraStream(), filter, from, contracts.LimitJetStreamBatch)
		if err != nil {
			return err
		}
		for _, m := range messages {
			name := m.subject[len(l.extras) : len(m.subject)-len(firstChunk)-1]
			if err := fn(name, m); err != nil {
				return err
			}
			from = m.seq + 1
		}
		if more {
			continue
		}
		next, err := l.fromLeader(ctx, l.extraStream(), selector{Seq: from, Next: filter})
		if err != nil || next == nil {
			return err
		}
		if !l.pause(ctx) { // the replica is behind
			return l.asClosed(ctx.Err())
		}
	}
}

const firstChunk = "0"

func (l *Ledger) chunkSubject(name string, i int) string {
	return l.extras + name + "." + strconv.Itoa(i)
}
