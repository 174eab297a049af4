package hub

import (
	"sync"
	"sync/atomic"

	"github.com/bullpen-office/bullpen/contracts"
)

// segmentNotice is the message that announces a segment, framed once for all viewers.
type segmentNotice struct {
	segment string
	frame   []byte // nil if the ledger has no segment
}

// segmentHolder holds the notice of the newest segment. Viewers are notified of a segment before
// they receive its first record, so that the segment in a cursor is never older than the record at
// the cursor's seq.
type segmentHolder struct {
	mu     sync.Mutex // keeps notices in the order of the ledger's segments
	newest atomic.Pointer[segmentNotice]
}

// noteSegment returns the notice about the ledger's current segment. Call it before records are
// made available to viewers.
func (h *Hub) noteSegment() *segmentNotice {
	l := &h.segments
	l.mu.Lock()
	defer l.mu.Unlock()
	segment := h.ledger.Segment()
	if n := l.newest.Load(); n != nil && n.segment == segment {
		return n
	}
	n := &segmentNotice{segment: segment}
	if segment != "" {
		n.frame = textFrame(h.segmentMessage(segment))
	}
	l.newest.Store(n)
	return n
}

func (h *Hub) segmentMessage(segment string) []byte {
	msg, err := contracts.AppendEnvelope(nil, contracts.TypeSegment, "msg_segment_"+segment, h.now().UnixMilli(), contracts.SegmentNotice{Segment: segment})
	if err != nil {
		h.logger.Error("could not encode a segment message", "err", err)
	}
	return msg
}

// gatherSegment adds the notice about the newest segment unless the client already has it. The
// caller holds the lock.
func (s *session) gatherSegment(p *packet) {
	if n := s.hub.segments.newest.Load(); n != s.segment {
		p.add(n.frame)
		s.segment = n
	}
}
