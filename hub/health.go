package hub

// Health is the hub's part of the response to GET /healthz.
type Health struct {
	Following bool   `json:"following"`
	Sockets   int    `json:"sockets"`
	Seq       uint64 `json:"seq"` // last published record
	Lag       uint64 `json:"lag"` // ledger records that have not been published yet
	RingBytes int    `json:"ring_bytes"`
}

// Health returns the hub's current health.
func (h *Hub) Health() Health {
	head := h.ledger.Head()
	h.mu.RLock()
	defer h.mu.RUnlock()
	out := Health{
		Following: h.view.Following(),
		Sockets:   h.registry.count(),
		Seq:       h.log.head,
		RingBytes: h.log.bytes,
	}
	if head > out.Seq {
		out.Lag = head - out.Seq
	}
	return out
}
