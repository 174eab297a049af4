package hub

import (
	"github.com/bullpen-office/bullpen/contracts"
)

// onSubscribe sets the session's channels. The first call also sets the session's position: at the
// snapshot, or after the cursor from which the session resumes.
func (s *session) onSubscribe(id string, sub *contracts.Subscribe) {
	if sub.SceneID != s.hub.sceneID {
		r := contracts.Refuse(contracts.CodeNotFound, "no scene %q (this office has %q)", sub.SceneID, s.hub.sceneID)
		r.Field = "payload.scene_id"
		s.refuse(id, r)
		return
	}
	var fallback []byte
	first := !s.subscribed // only this goroutine changes subscribed
	if first {
		s.hub.view.CatchUp(s.hub.runCtx)
		fallback = s.fallbackFrame()
	}
	mode := snapshotModeOf(sub)
	var at *snapState
	if first || mode != snapshotsOff && s.mode == snapshotsOff {
		at = s.hub.joinSnapshot()
	}
	s.mu.Lock()
	if fallback != nil {
		s.queue(fallback)
	}
	if at != nil {
		s.pendingSnapshot = at
	}
	if first {
		s.place(at)
	}
	s.setChannels(sub, mode)
	s.mu.Unlock()
	s.flush()
}

// place sets the session's position to the point where its timeline starts.
func (s *session) place(at *snapState) {
	s.subscribed = true
	s.pos, s.live = at.pos, at.pos
	plan := s.resume
	if s.resume = nil; plan == nil || !plan.ok() {
		return
	}
	s.hub.mu.RLock()
	pos, ok := s.hub.log.after(plan.last)
	s.hub.mu.RUnlock()
	s.replaying = true
	if ok {
		s.pos = min(pos, at.pos)
	} else {
		s.cold = &coldReplay{after: plan.last}
	}
}

// setChannels switches the session's channels. A newly added channel starts at the session's
// position in the log, so its earlier records are not sent.
func (s *session) setChannels(sub *contracts.Subscribe, mode snapshotMode) {
	s.mask = channelsOf(sub.Channels)
	if s.mode == snapshotsOff && mode != snapshotsOff {
		s.hub.snapViewers.Add(1)
	}
	if s.mode != snapshotsOff && mode == snapshotsOff {
		s.hub.snapViewers.Add(-1)
	}
	if s.mode = mode; mode != snapshotsDelta {
		s.base = nil
	}
	s.watchStreams(sub.Channels.Stream)
}

// watchStreams switches agent streams on or off for the session. The caller holds the lock.
func (s *session) watchStreams(on bool) {
	if on == s.stream {
		return
	}
	if s.stream, s.joining = on, on; on {
		s.hub.streams.viewers.Add(1)
	} else {
		s.hub.streams.viewers.Add(-1)
	}
}

// fallbackFrame returns the frame that tells a client why it receives a snapshot instead of a
// replay, or nil if the session resumes or the client did not request a resume. The frame is sent on
// this connection only and is not in the ledger.
func (s *session) fallbackFrame() []byte {
	if s.resume == nil || s.resume.ok() {
		return nil
	}
	return s.privateFrame(contracts.TypeEvent, &contracts.Event{
		Name:    contracts.EventResyncFallback,
		Reason:  string(s.resume.reason),
		LastSeq: s.resume.last,
	})
}
