package hub

import (
	"net/http"

	"github.com/bullpen-office/bullpen/contracts"
)

// setLedgerHeaders sets the headers that identify the ledger and the segment that a response comes
// from.
func (h *Hub) setLedgerHeaders(header http.Header) {
	header.Set(contracts.HeaderEpoch, h.ledger.ID())
	if segment := h.ledger.Segment(); segment != "" {
		header.Set(contracts.HeaderSegment, segment)
	}
}

// cursor is the position where a page, an event stream or a HUD socket starts. lost is the reason
// the reader cannot continue from the requested position without a gap.
type cursor struct {
	asked uint64
	after uint64
	head  uint64
	lost  contracts.ResumeReason // empty if nothing is missing

	segment string // part of event ids; empty if the ids do not include it
}

// readCursor reads a query's after, epoch and segment parameters. lastID takes precedence over
// after. If both are missing, the reader starts at def(head).
func (h *Hub) readCursor(r *http.Request, lastID string, def func(head uint64) uint64) (cursor, *contracts.Refusal) {
	wanted, bad := contracts.ReadStreamCursor(r.URL.Query(), lastID)
	if wanted.Epoch == "" || wanted.Epoch == h.ledger.ID() {
		h.awaitCursor(r.Context(), wanted.Seq)
	}
	head := h.ledger.Head()
	if !wanted.Given {
		wanted.Seq = def(head)
	}
	c := cursor{asked: wanted.Seq, after: wanted.Seq, head: head}
	if wanted.HasSegment {
		c.segment = h.ledger.Segment()
	}
	switch {
	case wanted.Lost(h.ledger):
		c.lost, c.after = contracts.ResumeCursorUnknown, head
	case wanted.Given && c.asked < h.ledger.Floor():
		c.lost = contracts.ResumeCursorStale // the remaining records follow
	}
	return c, bad
}

// fromStart and fromNow return the start position of a reader without a cursor.
func fromStart(uint64) uint64    { return 0 }
func fromNow(head uint64) uint64 { return head }

func (h *Hub) feedFrom(c cursor, mask channel) feed {
	return feed{hub: h, after: c.after, mask: mask, until: c.head}
}

// resyncMessage returns the message that tells a reader that records are missing at this point, or
// nil if none are missing. The message is not in the ledger.
func (h *Hub) resyncMessage(c cursor) []byte {
	if c.lost == "" {
		return nil
	}
	h.metrics.resumed(c.lost)
	now := h.now().UnixMilli()
	msg, err := contracts.AppendEnvelope(nil, contracts.TypeEvent, idPrefix[contracts.TypeEvent]+"_"+newSuffix(), now, &contracts.Event{
		Name: contracts.EventResyncFallback, Reason: string(c.lost), LastSeq: c.asked,
	})
	if err != nil {
		h.logger.Error("could not encode a resync message", "err", err)
		return nil
	}
	return msg
}
