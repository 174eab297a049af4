package hub

import (
	"context"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// resumePlan is the outcome of a resume request.
type resumePlan struct {
	reason contracts.ResumeReason
	last   uint64 // the client's cursor
}

func (p *resumePlan) ok() bool { return p.reason == contracts.ResumeCursorOK }

func (p *resumePlan) reply() *contracts.ResumeReply {
	switch p.reason {
	case contracts.ResumeCursorOK:
		return &contracts.ResumeReply{Status: "resumed", Reason: p.reason, ReplayFromSeq: p.last + 1}
	case contracts.ResumeReplayUnavailable:
		return &contracts.ResumeReply{Status: "unsupported", Reason: p.reason}
	}
	return &contracts.ResumeReply{Status: "snapshot_required", Reason: p.reason}
}

// planResume decides whether history can be replayed from a client's cursor (W9).
func (h *Hub) planResume(ctx context.Context, r *contracts.Resume) *resumePlan {
	return &resumePlan{last: r.LastSeq, reason: h.resumeReason(ctx, r)}
}

func (h *Hub) resumeReason(ctx context.Context, r *contracts.Resume) contracts.ResumeReason {
	if r.Epoch == "" || r.Epoch == h.ledger.ID() {
		h.awaitCursor(ctx, r.LastSeq)
	}
	if h.replayOff || !h.view.CatchUp(ctx) {
		return contracts.ResumeReplayUnavailable
	}
	head := h.ledger.Head()
	switch {
	case h.foreign(r) || r.LastSeq > head:
		if !h.ledger.Durable() {
			return contracts.ResumeServerRestarted
		}
		return contracts.ResumeCursorUnknown
	case r.SceneID != "" && r.SceneID != h.sceneID:
		return contracts.ResumeCursorUnknown
	case r.LastSeq < h.ledger.Floor(), head-r.LastSeq > h.limits.ReplayRecords:
		return contracts.ResumeCursorStale
	}
	h.mu.RLock()
	_, recent := h.log.after(r.LastSeq)
	h.mu.RUnlock()
	if !recent {
		// The first page is needed anyway; report immediately if it cannot be read.
		if _, err := h.pageAfter(ctx, r.LastSeq); err != nil {
			h.logger.Warn("replay is not available", "after", r.LastSeq, "err", err)
			return contracts.ResumeReplayUnavailable
		}
	}
	return contracts.ResumeCursorOK
}

// awaiter is a ledger that other nodes append to. It may lack records that the viewers of those
// nodes have seen.
type awaiter interface {
	// Await waits until the ledger has the record at seq.
	Await(ctx context.Context, seq uint64) error
}

// awaitCursor waits briefly for the record at a cursor that is ahead of the ledger, because the
// client may have received that record from another node.
func (h *Hub) awaitCursor(ctx context.Context, seq uint64) {
	l, ok := h.ledger.(awaiter)
	if !ok || seq <= h.ledger.Head() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, contracts.CursorWait)
	defer cancel()
	if err := l.Await(ctx, seq); err != nil {
		h.logger.Info("cursor is ahead of the ledger", "seq", seq, "head", h.ledger.Head(), "err", err)
	}
}

// foreign reports whether a cursor belongs to another history. A cursor from an older client has no
// segment, so only its ids are checked.
func (h *Hub) foreign(r *contracts.Resume) bool {
	id := h.ledger.ID()
	return r.Epoch != "" && r.Epoch != id ||
		r.Segment != "" && !h.ledger.Holds(r.Segment, r.LastSeq) ||
		r.LastSnapshotID != "" && snapshotLedger(r.LastSnapshotID) != id
}

// coldReplay is a session's progress through history that is only in the ledger.
type coldReplay struct{ after uint64 }

// replayCold sends the next page of history from the ledger or, once the log covers the rest, sets
// the session's position in the log. It returns false if the writer must stop.
func (s *session) replayCold() bool {
	s.mu.Lock()
	c := s.cold
	mask := s.mask
	if c == nil || s.closing.Load() {
		s.mu.Unlock()
		return true
	}
	s.hub.mu.RLock()
	pos, ok := s.hub.log.after(c.after)
	early := c.after > s.hub.log.head
	s.hub.mu.RUnlock()
	if early { // the last page has records that the log does not have yet: they must not be sent again
		s.mu.Unlock()
		s.pauseReplay()
		return true
	}
	if ok {
		s.pos, s.cold = pos, nil
		if s.pendingSnapshot != nil && pos > s.pendingSnapshot.pos {
			s.pendingSnapshot = s.hub.joinSnapshot() // the log has moved past the old snapshot
		}
	}
	s.mu.Unlock()
	if ok {
		return true
	}
	page, err := s.hub.pageAfter(s.hub.runCtx, c.after)
	if err != nil {
		s.hub.logger.Warn("replay aborted", "after", c.after, "err", err)
		s.fail(contracts.CloseInsufficientState, "the history cannot be read right now; resume later")
		return true
	}
	if page.last <= c.after {
		s.pauseReplay()
		return true
	}
	frames, msgs := page.framesAfter(c.after, mask)
	c.after = page.last
	if msgs == 0 {
		return true
	}
	var p packet
	s.hub.noteSegment() // the page may have records that the log does not have yet
	s.mu.Lock()
	s.gatherSegment(&p)
	s.mu.Unlock()
	p.parts, p.bytes, p.msgs = append(p.parts, frames), p.bytes+len(frames), p.msgs+msgs
	return s.write(p)
}

// pauseReplay waits briefly for a record that the ledger or the log does not contain yet. A reply or
// the end of the session ends the wait early.
func (s *session) pauseReplay() {
	timer := time.NewTimer(contracts.ReplayRetry)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.notify:
	}
}
