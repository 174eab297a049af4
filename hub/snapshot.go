package hub

import (
	"strconv"
	"strings"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// snapState is the world at one moment and the place in the log where it holds:
// every frame before pos is in it, none after. Its frames are encoded when first
// needed and shared.
type snapState struct {
	n    uint64 // order of creation
	id   string
	pos  uint64
	ts   int64
	data contracts.Snapshot

	mu     sync.Mutex
	full   []byte
	deltas map[uint64][]byte // by the base's number: a pointer would keep every base alive
}

// takeSnapshot looks at the world now, for everybody who gets snapshots by rate.
func (h *Hub) takeSnapshot() {
	players := h.office.Players()
	h.view.Glance(func(w *world.World) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.snap = h.lookLocked(w, h.now().UnixMilli(), players)
	})
}

// joinSnapshot is the world now, for one who joins. When nothing was folded
// since the newest snapshot and it is younger than a tick, that one is as good:
// a storm of joiners shares it.
func (h *Hub) joinSnapshot() (s *snapState) {
	players := h.office.Players()
	h.view.Glance(func(w *world.World) {
		h.mu.Lock()
		defer h.mu.Unlock()
		now := h.now().UnixMilli()
		if s = h.newest; s == nil || s.data.Seq != h.log.head || now < s.ts || now-s.ts >= h.tick().Milliseconds() {
			s = h.lookLocked(w, now, players)
		}
	})
	return s
}

func (h *Hub) lookLocked(w *world.World, now int64, players []contracts.Player) *snapState {
	h.snapCount++
	data := w.Snapshot(now, players, h.sources)
	data.Seq = h.log.head
	h.newest = &snapState{
		n:    h.snapCount,
		id:   contracts.SnapshotID(h.ledger.ID(), data.Seq) + "_" + strconv.FormatUint(h.snapCount, 10),
		pos:  h.log.end,
		ts:   now,
		data: data,
	}
	return h.newest
}

// fullFrame is the whole state.
func (s *snapState) fullFrame() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.full == nil {
		s.full = s.encode(&s.data)
	}
	return s.full
}

// deltaFrame is what changed since base; nil when nothing did.
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
		return nil // a snapshot is plain data; it always encodes
	}
	return textFrame(msg)
}

// snapshotLedger is the ledger's identity in a snapshot id that a hub made;
// empty when the id is somebody else's.
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
