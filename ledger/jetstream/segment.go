package jetstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/bullpen-office/bullpen/ledger"
)

// segment is the part of the history that one run of a writer appended, starting after a seq.
type segment struct {
	after uint64
	token string
	kept  bool // stored with keptHeader
}

// segmentPrefix starts the names of stored segments. A segment is stored before its first record
// and becomes valid once that record exists, so a writer that is replaced before its first append
// starts no segment. The header keptHeader marks a segment as valid. It is set before retention may
// remove the segment's first record.
const (
	segmentPrefix = "segment"
	keptHeader    = "Bullpen-Kept"
)

// Segment identifies the writer's run that appended the newest record known to this node. It
// changes atomically with the head.
func (l *Ledger) Segment() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.segments); n > 0 {
		return l.segments[n-1].token
	}
	return l.id // nothing was ever appended
}

// Holds reports whether seq, read in a segment, belongs to this history.
func (l *Ledger) Holds(token string, seq uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	head := l.Head()
	for _, s := range slices.Backward(l.segments) {
		if s.token == token {
			return seq <= head
		}
		head = s.after
	}
	return token == l.id && seq <= head // before the first segment
}

// loadSegments reads the segments that writers started.
func (l *Ledger) loadSegments(ctx context.Context) error {
	return l.list(ctx, segmentPrefix+".*", func(name string, m message) error {
		s := segment{token: strings.TrimPrefix(name, segmentPrefix+"."), kept: m.header.Get(keptHeader) != ""}
		var err error
		if s.after, err = strconv.ParseUint(string(m.data), 10, 64); err != nil {
			return fmt.Errorf("%w: segment %s has an invalid start", ledger.ErrCorrupt, s.token)
		}
		if !s.kept {
			first, err := l.entryAt(ctx, s.after+1)
			if errors.Is(err, ledger.ErrNoRecord) || err == nil && first.segment != s.token {
				return nil
			}
			if err != nil {
				return err
			}
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.addSegment(s)
		return nil
	})
}

// loadSkipped reads the segments again if retention has removed records that this node has not seen,
// because some of them may have started segments.
func (l *Ledger) loadSkipped(ctx context.Context) error {
	l.mu.Lock()
	skips := l.document.Floor > l.Head()
	l.mu.Unlock()
	if !skips {
		return nil
	}
	return l.loadSegments(ctx)
}

// addSegment adds a segment and keeps the segments in the order of their records. The caller holds
// mu.
func (l *Ledger) addSegment(s segment) {
	i, known := slices.BinarySearchFunc(l.segments, s.after, func(s segment, after uint64) int { return cmp.Compare(s.after, after) })
	if !known {
		l.segments = slices.Insert(l.segments, i, s)
	}
	l.segments[i].kept = l.segments[i].kept || s.kept
}

// startsSegment returns the token of the segment that the next append starts, or "" if the append
// continues a segment.
func (l *Ledger) startsSegment() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n := len(l.segments); n > 0 && l.segments[n-1].token == l.segmentToken {
		return ""
	}
	return l.segmentToken
}

// markSegment stores the new segment if the append after head starts one.
func (l *Ledger) markSegment(first *entry, head uint64) error {
	if first.segment == "" {
		return nil
	}
	return l.putSegment(l.runCtx, segment{after: head, token: first.segment}, nil)
}

// keepSegments marks the known segments with keptHeader. Call it before records are removed.
func (l *Ledger) keepSegments(ctx context.Context) error {
	l.mu.Lock()
	list := slices.Clone(l.segments)
	l.mu.Unlock()
	for _, s := range list {
		if s.kept {
			continue
		}
		if err := l.putSegment(ctx, s, nats.Header{keptHeader: {"1"}}); err != nil {
			return err
		}
		l.mu.Lock()
		l.addSegment(segment{after: s.after, token: s.token, kept: true})
		l.mu.Unlock()
	}
	return nil
}

func (l *Ledger) putSegment(ctx context.Context, s segment, header nats.Header) error {
	_, err := l.put(ctx, segmentPrefix+"."+s.token, header, strconv.AppendUint(nil, s.after, 10), anyRevision)
	return err
}
