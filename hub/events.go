package hub

import (
	"net/http"
	"strconv"

	"github.com/bullpen-office/bullpen/contracts"
)

// ServeEvents answers GET /v1/events?after=&limit=&kind= with a page of the
// timeline: {"events":[…],"next_after":N}. Asking again with next_after goes on
// without a gap.
func (h *Hub) ServeEvents(w http.ResponseWriter, r *http.Request) {
	if !h.httpGet(w, r) {
		return
	}
	after, bad := queryNumber(r, "after", 0)
	limit, badLimit := queryNumber(r, "limit", 100)
	mask, badKind := queryKinds(r)
	if badLimit == nil && (limit < 1 || limit > contracts.LimitEventsPage) {
		badLimit = contracts.RefuseField("limit", "limit must be 1 to %d", contracts.LimitEventsPage)
	}
	for _, refusal := range []*contracts.Refusal{bad, badLimit, badKind} {
		if refusal != nil {
			h.httpRefuse(w, http.StatusBadRequest, refusal)
			return
		}
	}
	head := h.ledger.Head()
	recs, err := h.ledger.Read(r.Context(), after, int(limit), mask.kinds()...)
	if err != nil {
		h.logger.Warn("timeline not read", "after", after, "err", err)
		h.httpRefuse(w, http.StatusServiceUnavailable, contracts.Refuse(contracts.CodeInternal, "the ledger cannot be read now; try again"))
		return
	}
	next := max(after, head)
	if len(recs) == int(limit) {
		next = recs[len(recs)-1].Seq
	} else if n := len(recs); n > 0 {
		next = max(next, recs[n-1].Seq)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(appendPage(nil, recs, next))
}

func appendPage(dst []byte, recs []contracts.Record, next uint64) []byte {
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
	return append(dst, '}')
}
