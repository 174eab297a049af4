package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// info asks the leader of a stream for the stream's state.
func (l *Ledger) info(ctx context.Context, name string, options ...jetstream.StreamInfoOpt) (*jetstream.StreamInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, contracts.JetStreamTimeout)
	defer cancel()
	for {
		try, cancel := context.WithTimeout(ctx, contracts.JetStreamAttempt)
		s, err := l.js.Stream(try, name)
		if err == nil && len(options) == 0 {
			cancel()
			return s.CachedInfo(), nil
		}
		if err == nil {
			var info *jetstream.StreamInfo
			if info, err = s.Info(try, options...); err == nil {
				cancel()
				return info, nil
			}
		}
		cancel()
		if !l.pause(ctx) {
			return nil, l.asClosed(fmt.Errorf("read the state of stream %s: %w", name, err))
		}
	}
}

// lastSeq returns the head according to the stream's leader.
func (l *Ledger) lastSeq(ctx context.Context) (uint64, error) {
	info, err := l.info(ctx, l.recordStream())
	if err != nil {
		return 0, err
	}
	return info.State.LastSeq, nil
}

func (l *Ledger) kindOf(subject string) contracts.Kind {
	kind, _, _ := strings.Cut(strings.TrimPrefix(subject, l.records), ".")
	return contracts.Kind(kind)
}

// Stats returns the size of the ledger. Kinds and content are not counted, because the server would
// have to list all subjects. The free space is unknown, because the disks belong to the servers. While
// another node is erasing text, the number of records may be slightly wrong.
func (l *Ledger) Stats(ctx context.Context) (s ledger.Stats, err error) {
	if err := errors.Join(l.usable(ctx), l.Writable()); err != nil {
		return s, err
	}
	ctx, cancel := context.WithTimeout(ctx, contracts.JetStreamStats)
	defer cancel()
	records, err := l.info(ctx, l.recordStream())
	if err != nil {
		return s, err
	}
	extras, err := l.info(ctx, l.extraStream())
	if err != nil {
		return s, err
	}
	if l.erasing() {
		if err := l.loadTombstones(ctx); err != nil {
			return s, err
		}
	}
	s = ledger.Stats{Records: int64(records.State.Msgs), Bytes: int64(records.State.Bytes + extras.State.Bytes), Blobs: -1, Free: -1}
	for _, n := range l.erased() {
		s.Records += n
	}
	return s, nil
}

// count returns the number of records of each kind that match a subject, according to the stream's
// leader. Its cost grows with the number of matching records.
func (l *Ledger) count(ctx context.Context, subject string) (map[contracts.Kind]int64, error) {
	info, err := l.info(ctx, l.recordStream(), jetstream.WithSubjectFilter(subject))
	if err != nil {
		return nil, err
	}
	counts := l.erased()
	for subject, n := range info.State.Subjects {
		counts[l.kindOf(subject)] += int64(n)
	}
	return counts, nil
}

// countContent counts the pieces of content. Its cost grows with the number of pieces.
func (l *Ledger) countContent(ctx context.Context) (int64, error) {
	info, err := l.info(ctx, l.extraStream(), jetstream.WithSubjectFilter(l.extras+contentPrefix+".*."+firstChunk))
	if err != nil {
		return 0, err
	}
	return int64(len(info.State.Subjects)), nil
}

// erasing reports whether, as far as this node knows, the text of a redacted record may still be
// stored. Other nodes do not announce when they have erased text.
func (l *Ledger) erasing() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, stone := range l.tombstones {
		if !stone.erased {
			return true
		}
	}
	return false
}

// erased counts, by kind, the records whose text was erased. The record stream does not contain
// them, so they are counted separately.
func (l *Ledger) erased() map[contracts.Kind]int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	counts := map[contracts.Kind]int64{}
	for _, stone := range l.tombstones {
		if stone.erased && !l.document.removed(&stone.Record) {
			counts[stone.Kind]++
		}
	}
	return counts
}
