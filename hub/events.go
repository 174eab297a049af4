package hub

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// ServeEvents answers GET /v1/events?after=&epoch=&segment=&limit=&kind= with a page of the
// timeline: {"events":[…],"next_after":N}. A request with after set to next_after continues without
// a gap. A reason in the response means that records are missing before this page.
func (h *Hub) ServeEvents(w http.ResponseWriter, r *http.Request) {
	if !h.requireGet(w, r) {
		return
	}
	from, bad := h.readCursor(r, "", fromStart)
	limit, badLimit := queryNumber(r, "limit", 100)
	mask, badKind := queryKinds(r)
	if badLimit == nil && (limit < 1 || limit > contracts.LimitEventsPage) {
		badLimit = contracts.RefuseField("limit", "limit must be between 1 and %d", contracts.LimitEventsPage)
	}
	for _, refusal := range []*contracts.Refusal{bad, badLimit, badKind} {
		if refusal != nil {
			h.httpRefuse(w, http.StatusBadRequest, refusal)
			return
		}
	}
	recs, next, err := h.readEvents(r.Context(), from, int(limit), mask)
	if err != nil {
		h.logger.Warn("could not read the timeline", "after", from.after, "err", err)
		h.refuseUnread(w, err)
		return
	}
	h.setLedgerHeaders(w.Header()) // after the read, so that the segment is that of the last record or a later one
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(appendPage(nil, recs, next, from.lost))
}

// readEvents reads one page and returns the seq after which the next page starts.
func (h *Hub) readEvents(ctx context.Context, from cursor, limit int, mask channel) ([]contracts.Record, uint64, error) {
	if from.lost == contracts.ResumeCursorUnknown {
		return nil, from.head, nil
	}
	recs, err := h.ledger.Read(ctx, from.after, limit, mask.kinds()...)
	next := max(from.after, from.head)
	if n := len(recs); n == limit {
		next = recs[n-1].Seq
	} else if n > 0 {
		next = max(next, recs[n-1].Seq)
	}
	return recs, next, err
}

// refuseUnread responds to a request that failed because the ledger could not be read. The status
// code indicates whether a retry can help.
func (h *Hub) refuseUnread(w http.ResponseWriter, err error) {
	if errors.Is(err, ledger.ErrCorrupt) {
		h.httpRefuse(w, http.StatusInternalServerError, contracts.Refuse(contracts.CodeInternal, "%v", err))
		return
	}
	h.httpRefuse(w, http.StatusServiceUnavailable, contracts.Refuse(contracts.CodeInternal, "the ledger cannot be read right now; try again later"))
}

func appendPage(dst []byte, recs []contracts.Record, next uint64, lost contracts.ResumeReason) []byte {
	dst = append(dst, `{"events":[`...)
	for i := range recs {
		if i > 0 {
			dst = append(dst, ',')
		}
		if recs[i].Kind == contracts.KindHUD {
			dst = markReplay(dst, recs[i].AppendMessage(nil))
		} else {
			dst = recs[i].AppendMessage(dst)
		}
	}
	dst = append(dst, `],"next_after":`...)
	dst = strconv.AppendUint(dst, next, 10)
	if lost != "" {
		dst = append(dst, `,"reason":"`...)
		dst = append(dst, lost...)
		dst = append(dst, '"')
	}
	return append(dst, '}')
}
