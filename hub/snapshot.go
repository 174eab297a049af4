package hub

import (
	"strconv"
	"strings"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// snapState is the world at one moment and the matching position in the log: the world includes
// exactly the frames before pos. The snapshot's own frames are encoded on first use and shared.
type snapState struct {
	n    uint64 // order of creation
	id   string
	pos  uint64
	ts   int64
	data contracts.Snapshot

	mu     sync.Mutex
	full   []byte
	deltas map[uint64][]byte // keyed by the base's number, because a pointer as the key would keep every base in memory
}

// takeSnapshot captures the current world for all viewers that receive periodic snapshots.
func (h *Hub) takeSnapshot() {
	players := h.office.Players()
	h.view.Peek(func(w *world.World) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.snap = h.captureLocked(w, h.now().UnixMilli(), players)
	})
}

// joinSnapshot returns the current world for a viewer that joins. The newest snapshot is reused if
// it is younger than a tick and no record has been applied since, so that many joining viewers
// share it.
func (h *Hub) joinSnapshot() (s *snapState) {
	players := h.office.Players()
	h.view.Peek(func(w *world.World) {
		h.mu.Lock()
		defer h.mu.Unlock()
		now := h.now().UnixMilli()
		if s = h.newest; s == nil || s.data.Seq != h.log.head || now < s.ts || now-s.ts >= h.tick().Milliseconds() {
			s = h.captureLocked(w, now, players)
		}
	})
	return s
}

func (h *Hub) captureLocked(w *world.World, now int64, players []contracts.Player) *snapState {
	h.snapCount++
	data := w.Snapshot(now, players, h.sources)
	data.Seq = h.log.head
	h.newest = &snapState{
		n:    h.snapCount,
		id:   contracts.SnapshotID(h.ledger.ID(), data.Seq, h.snapCount),
		pos:  h.log.end,
		ts:   now,
		data: data,
	}
	return h.newest
}

// fullFrame returns the frame with the complete state.
func (s *snapState) fullFrame() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.full == nil {
		s.full = s.encode(&s.data)
	}
	return s.full
}

// deltaFrame returns the frame with the changes since base, or nil if nothing changed.
func (s *snapState) deltaFrame(base *snapState) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	frame, ok := s.deltas[base.n]
	if ok {
		return frame
	}
	if d, changed := diffSnapshot(&base.data, &s.data); changed {
		d.Base = base.id
		frame = s.encode(&d)
	}
	if s.deltas == nil {
		s.deltas = make(map[uint64][]byte)
	}
	s.deltas[base.n] = frame
	return frame
}

func (s *snapState) encode(data *contracts.Snapshot) []byte {
	msg, err := contracts.AppendEnvelope(nil, contracts.TypeSnapshot, s.id, s.ts, data)
	if err != nil {
		return nil // cannot happen, because a snapshot is plain data
	}
	return textFrame(msg)
}

// snapshotLedger returns the ledger's identity from a snapshot id, or "" if the id does not come
// from a hub.
func snapshotLedger(id string) string {
	parts := strings.Split(id, "_")
	if len(parts) < 3 || len(parts) > 4 || parts[0] != "snap" {
		return ""
	}
	for _, n := range parts[2:] {
		if _, err := strconv.ParseUint(n, 10, 64); err != nil {
			return ""
		}
	}
	return parts[1]
}
