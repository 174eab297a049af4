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

// info asks the leader of a stream about its state.
func (l *Ledger) info(ctx context.Context, name string, options ...jetstream.StreamInfoOpt) (*jetstream.StreamInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, contracts.JetStreamTimeout)
	defer cancel()
	for {
		try, cancel := context.WithTimeout(ctx, contracts.JetStreamAttempt)
		s, err := l.js.Stream(try, name)
		if err == nil {
			var info *jetstream.StreamInfo
			if info, err = s.Info(try, options...); err == nil {
				cancel()
				return info, nil
			}
		}
		cancel()
		if !l.pause(ctx) {
			return nil, l.closing(fmt.Errorf("state of stream %s: %w", name, err))
		}
	}
}

// lastSeq returns the head as the leader of the stream knows it.
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

// Stats returns size and contents. Free is unknown, because the servers own the disks.
func (l *Ledger) Stats(ctx context.Context) (s ledger.Stats, err error) {
	if err := errors.Join(l.usable(ctx), l.Writable()); err != nil {
		return s, err
	}
	ctx, cancel := context.WithTimeout(ctx, contracts.JetStreamStats)
	defer cancel()
	s.Free = -1
	if s.ByKind, err = l.count(ctx, l.records+">"); err != nil {
		return s, err
	}
	for _, n := range s.ByKind {
		s.Records += n
	}
	records, err := l.info(ctx, l.recordStream())
	if err != nil {
		return s, err
	}
	extras, err := l.info(ctx, l.extraStream(), jetstream.WithSubjectFilter(l.extras+contentPrefix+".*."+firstChunk))
	if err != nil {
		return s, err
	}
	s.Blobs = int64(len(extras.State.Subjects))
	s.Bytes = int64(records.State.Bytes + extras.State.Bytes)
	return s, nil
}
