package hub

import (
	"errors"
	"net"
	"os"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// writer is the write state of a session's connection. The session's lock guards it.
type writer struct {
	slow      bool          // the session is slow, so only its own writer may write
	notify    chan struct{} // wakes the session's own writer
	rest      [][]byte      // rest of a non-blocking write, to be written first
	inflight  int           // bytes being written that count as lag
	lastFrame []byte        // close frame, written last
	broken    bool          // the connection can no longer be written to
	writing   sync.WaitGroup
}

// writeScratch is state that a goroutine reuses for writing to many sessions.
type writeScratch struct {
	raw   *rawWriter
	parts [][]byte
	memo  batchMemo
	tally tally
}

func newWriteScratch() *writeScratch { return &writeScratch{raw: newRawWriter()} }

// writeScratches is a pool for goroutines that write to a session without being its writer.
var writeScratches = sync.Pool{New: func() any { return newWriteScratch() }}

// send queues a private frame and writes as much as possible without blocking.
func (s *session) send(frame []byte) {
	s.mu.Lock()
	s.queue(frame)
	s.mu.Unlock()
	s.flush()
}

func (s *session) queue(frame []byte) {
	s.private = append(s.private, frame)
	s.privateBytes += len(frame)
}

// flush writes the frames that are due now, without waiting for a shard.
func (s *session) flush() {
	w := writeScratches.Get().(*writeScratch)
	defer writeScratches.Put(w)
	s.pump(w, s.hub.tip())
	s.hub.metrics.flush(&w.tally)
	w.memo = batchMemo{} // so that the pool does not keep a batch in memory
}

// pump writes as many of the due frames as the socket accepts without blocking, and reports
// whether the session is still open. A viewer that cannot accept everything gets its own writer
// until it has caught up.
func (s *session) pump(w *writeScratch, v tip) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing.Load() {
		return false
	}
	if s.slow || s.raw == nil {
		if s.lags() {
			s.failLocked(contracts.CloseSlowConsumer, "connection too slow; reconnect and resume")
			return false
		}
		s.startWriter()
		return true
	}
	p := packet{parts: w.parts[:0], limit: contracts.LimitFastWrite, memo: &w.memo}
	more := s.gather(&p, v)
	w.parts = p.parts
	if s.gap {
		s.failLocked(contracts.CloseInsufficientState, "this connection missed messages; resume to get them")
		return false
	}
	if len(p.parts) > 0 {
		n, err := w.raw.write(s.raw, p.parts)
		if err != nil {
			s.breakLocked()
			return false
		}
		w.tally.add(p.msgs, n)
		s.rest, s.inflight = remaining(p.parts, n), p.lagBytes(n)
	}
	if more || len(s.rest) > 0 || s.cold != nil {
		s.startWriter()
	}
	return true
}

// startWriter starts or wakes the session's own writer.
func (s *session) startWriter() {
	if s.slow {
		s.pokeWriter()
		return
	}
	s.slow = true
	if s.notify == nil {
		s.notify = make(chan struct{}, 1)
	}
	if s.raw != nil {
		s.hub.metrics.slow.Inc()
	}
	s.hub.registry.work.Add(1)
	s.writing.Go(s.runWriter)
}

func (s *session) pokeWriter() {
	select {
	case s.notify <- struct{}{}:
	default:
	}
}

// runWriter writes with deadlines until the viewer has caught up. A connection that does not
// support non-blocking writes keeps this writer until the connection closes.
func (s *session) runWriter() {
	defer s.hub.registry.work.Done()
	for {
		p, wait, done := s.nextPacket()
		if done {
			return
		}
		if wait {
			<-s.notify
			continue
		}
		if len(p.parts) == 0 {
			if !s.replayCold() {
				return
			}
			continue
		}
		if !s.write(p) {
			return
		}
	}
}

// nextPacket returns the writer's next step: write p, wait, or stop. An empty packet without wait
// means that history from the ledger is due.
func (s *session) nextPacket() (p packet, wait, done bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.limit = contracts.LimitSlowWrite
	if s.broken {
		return p, false, true
	}
	for _, part := range s.rest {
		p.add(part)
	}
	if s.rest = nil; len(p.parts) > 0 {
		p.msgs = 0 // pump has already counted the messages and the lag
		return p, false, false
	}
	if s.closing.Load() {
		return s.lastPacket(p)
	}
	s.gather(&p, s.hub.tip())
	switch {
	case s.gap:
		s.failLocked(contracts.CloseInsufficientState, "this connection missed messages; resume to get them")
		return s.lastPacket(packet{})
	case len(p.parts) > 0 || s.cold != nil && !s.awaitingReply:
		s.inflight = p.lagBytes(0)
		return p, false, false
	case s.raw == nil || s.cold != nil:
		return p, true, false
	}
	s.slow = false
	_ = s.conn.SetWriteDeadline(time.Time{})
	return p, false, true
}

// lastPacket adds the private frames and the close frame to p; done means that there is nothing
// left to write.
func (s *session) lastPacket(p packet) (_ packet, wait, done bool) {
	for _, f := range s.private {
		p.add(f)
	}
	p.add(s.lastFrame)
	s.private, s.lastFrame = nil, nil
	return p, false, len(p.parts) == 0
}

// write sends a packet; it returns false if the writer must stop. Each piece of the packet has its
// own timeout, so a large snapshot still arrives over a slow connection, but a viewer that stops
// reading is disconnected.
func (s *session) write(p packet) bool {
	var sent int64
	var err error
	for rest := p.parts; len(rest) > 0 && err == nil; {
		s.armWrite(sent == 0)
		var piece net.Buffers
		var n int64
		piece, rest = nextPiece(rest)
		n, err = piece.WriteTo(s.conn)
		sent += n
	}
	s.hub.metrics.sent(p.msgs, int(sent))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inflight = 0
	if err == nil {
		return true
	}
	if errors.Is(err, os.ErrDeadlineExceeded) && !s.closing.Load() {
		s.hub.metrics.closed(contracts.CloseSlowConsumer)
	}
	s.breakLocked()
	return false
}

// armWrite sets the write deadline for the next piece. Once the session is closing, the whole
// packet has one deadline.
func (s *session) armWrite(first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !s.closing.Load():
		_ = s.conn.SetWriteDeadline(time.Now().Add(s.hub.limits.WriteTimeout))
	case first:
		_ = s.conn.SetWriteDeadline(time.Now().Add(contracts.CloseGrace))
	}
}
