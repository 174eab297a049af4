package hub

// Health is what /healthz says of the hub.
type Health struct {
	Following bool   `json:"following"`
	Sockets   int    `json:"sockets"`
	Seq       uint64 `json:"seq"` // last record shown
	Lag       uint64 `json:"lag"` // records in the ledger that are not shown yet
	RingBytes int    `json:"ring_bytes"`
}

// Health tells how the hub is doing.
func (h *Hub) Health() Health {
	head := h.ledger.Head()
	h.mu.RLock()
	defer h.mu.RUnlock()
	out := Health{
		Following: h.view.Following(),
		Sockets:   h.guests.count(),
		Seq:       h.log.head,
		RingBytes: h.log.bytes,
	}
	if head > out.Seq {
		out.Lag = head - out.Seq
	}
	return out
}
