package jetstream

import (
	"context"
	"fmt"
	"strconv"

	"github.com/bullpen-office/bullpen/ledger"
)

// segmentPrefix begins the names of stored segments. A segment is stored before its first record,
// because retention may remove that record.
const segmentPrefix = "segment"

// loadSegments reads the segments that earlier writers started.
func (l *Ledger) loadSegments(ctx context.Context) error {
	return l.list(ctx, segmentPrefix, func(token string, m message) error {
		after, err := strconv.ParseUint(string(m.data), 10, 64)
		if err != nil {
			return fmt.Errorf("%w: segment %s does not say where it starts", ledger.ErrCorrupt, token)
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.addSegment(segment{after, token})
		return nil
	})
}

// startsSegment returns the token of the segment that the next append starts, empty if it
// continues one.
func (l *Ledger) startsSegment() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.segments); n > 0 && l.segments[n-1].token == l.leading {
		return ""
	}
	return l.leading
}

// markSegment stores the segment if the append after head starts one.
func (l *Ledger) markSegment(first *entry, head uint64) error {
	if first.segment == "" {
		return nil
	}
	_, err := l.put(l.life, segmentPrefix+"."+first.segment, nil, strconv.AppendUint(nil, head, 10), anyRevision)
	return err
}
