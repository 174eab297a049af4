package hub

import (
	"github.com/bullpen-office/bullpen/contracts"
)

// snapshotMode determines which snapshots a session receives.
type snapshotMode uint8

const (
	snapshotsOff snapshotMode = iota
	snapshotsFull
	snapshotsDelta
)

// outbox holds the data that must still be sent to a session: a few private frames, and
// everything after its position in the shared log. The session's lock guards it.
type outbox struct {
	private      [][]byte // replies; sent before frames from the log
	privateBytes int

	subscribed    bool
	awaitingReply bool // a command is running, and its reply must be sent first
	mask          channel
	mode          snapshotMode
	stream        bool
	joining       bool // the accumulated text of open streams must still be sent

	pos       uint64 // position of the next frame in the log
	streamPos uint64
	live      uint64 // frames before this position belong to the replay and do not count as lag

	pendingSnapshot *snapState // full snapshot to send when its position is reached
	replaying       bool       // frames up to the pending snapshot are history
	cold            *coldReplay
	segment         *segmentNotice // newest segment announced to the client
	gap             bool           // frames that this session still needed were dropped from the log
	snapSeen        uint64         // number of the newest snapshot sent
	base            *snapState     // last snapshot sent to a delta viewer
}

// tip is a consistent pair: the end of the log and the snapshot of the last tick.
type tip struct {
	end  uint64
	snap *snapState
}

func (h *Hub) tip() tip {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return tip{end: h.log.end, snap: h.snap}
}

// gather moves the frames that must be sent now into p and reports whether more are left.
func (s *session) gather(p *packet, v tip) (more bool) {
	for _, f := range s.private {
		p.add(f)
	}
	s.private, s.privateBytes = nil, 0
	if !s.subscribed || s.awaitingReply || s.cold != nil {
		return false
	}
	s.gatherSegment(p)
	if cp := s.pendingSnapshot; cp != nil {
		if cp.pos > v.end {
			return false // v is older than the subscription
		}
		if !s.gatherPendingSnapshot(p, cp) {
			return true
		}
	} else if n := v.snap; s.mode != snapshotsOff && n != nil && n.n > s.snapSeen && n.pos >= s.pos {
		if !s.gatherLog(p, n.pos) {
			return true
		}
		s.gatherSnapshot(p, n)
	}
	if !s.gatherLog(p, v.end) {
		return true
	}
	s.gatherStreams(p)
	return false
}

// gatherPendingSnapshot adds the frames before the pending snapshot and, if all of them fit, the
// snapshot itself.
func (s *session) gatherPendingSnapshot(p *packet, cp *snapState) bool {
	from := p.bytes
	whole := s.gatherLog(p, cp.pos)
	if !s.replaying {
		from = p.bytes
	}
	if whole {
		p.add(cp.fullFrame())
		s.pendingSnapshot, s.replaying = nil, false
		s.sawSnapshot(cp)
	}
	p.exempt(from)
	return whole
}

// gatherLog adds the log's frames up to a position to the packet. It returns false if the packet is
// full or a frame was dropped from the log.
func (s *session) gatherLog(p *packet, to uint64) bool {
	for s.pos < to {
		if p.bytes >= p.limit {
			return false
		}
		b := s.hub.batchFor(batchKey{from: s.pos, to: to, max: p.limit, mask: s.mask, replay: s.replaying, edits: s.hub.edits.Load()}, p.memo)
		if b.lost {
			s.gap = true
			return false
		}
		p.parts = append(p.parts, b.parts...)
		p.bytes += b.bytes
		p.msgs += b.msgs
		s.pos = b.to
	}
	return true
}

func (s *session) gatherSnapshot(p *packet, n *snapState) {
	from := p.bytes
	if s.mode == snapshotsDelta && s.base != nil {
		d := n.deltaFrame(s.base)
		if d == nil {
			s.snapSeen = n.n
			return
		}
		p.add(d)
	} else {
		p.add(n.fullFrame())
	}
	p.exempt(from)
	s.sawSnapshot(n)
}

// sawSnapshot records the newest snapshot that was sent to the session. Only delta viewers keep the
// snapshot itself in memory, as the base of the next delta.
func (s *session) sawSnapshot(n *snapState) {
	s.snapSeen, s.base = n.n, nil
	if s.mode == snapshotsDelta {
		s.base = n
	}
}

func (s *session) gatherStreams(p *packet) {
	if !s.stream {
		return
	}
	var parts [][]byte
	var msgs int
	if s.joining {
		parts, msgs, s.streamPos = s.hub.streams.join()
		s.joining = false
	} else {
		parts, msgs, s.streamPos = s.hub.streams.framesFrom(s.streamPos)
	}
	for _, part := range parts {
		p.parts = append(p.parts, part)
		p.bytes += len(part)
		p.streams += len(part)
	}
	p.msgs += msgs
}

// lags reports whether the data waiting for the session exceeds its limit. Snapshots do not count:
// at most one is waiting, and a newer one replaces it.
func (s *session) lags() bool {
	l := &s.hub.limits
	msgs, bytes := len(s.private), s.privateBytes+s.inflight
	if s.subscribed && !s.awaitingReply && s.cold == nil {
		s.hub.mu.RLock()
		m, b := s.hub.log.backlog(max(s.pos, s.live), s.mask)
		s.hub.mu.RUnlock()
		msgs, bytes = msgs+m, bytes+b
	}
	return msgs > l.QueueMessages || bytes > l.QueueBytes
}

func snapshotModeOf(sub *contracts.Subscribe) snapshotMode {
	switch {
	case !sub.Channels.Snapshots:
		return snapshotsOff
	case sub.Snapshots != nil && sub.Snapshots.Mode == "delta":
		return snapshotsDelta
	}
	return snapshotsFull
}
