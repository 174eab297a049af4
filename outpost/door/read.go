package door

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
)

// serveState handles GET /v1/facts. A request with ?life= also counts as a heartbeat.
func (d *Door) serveState(w http.ResponseWriter, r *http.Request) {
	p := d.post(r)
	d.handleReport(p, r.URL.Query().Get("life"), nil)
	gate.Answer(w, http.StatusOK, d.cfg.View.Outpost(p.name))
}

// serveOrders handles GET /v1/facts/orders. It returns the orders that were recorded after a given
// seq for the outpost's agents of one source, and waits up to contracts.DecisionWait for the first
// order.
func (d *Door) serveOrders(w http.ResponseWriter, r *http.Request) {
	p := d.post(r)
	query := r.URL.Query()
	after, err := strconv.ParseUint(query.Get("after"), 10, 64)
	if err != nil {
		gate.Answer(w, http.StatusBadRequest, contracts.RefuseField("after", "\"after\" must be the seq of a record"))
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), contracts.DecisionWait)
	defer cancel()
	defer context.AfterFunc(d.cfg.ShutdownCtx, cancel)()
	page := contracts.OrdersPage{Seq: after}
	err = d.cfg.View.OrdersAfter(ctx, contracts.WatcherOf(query.Get("source"), p.name), after, func(rec contracts.Record) error {
		page.Seq = rec.Seq
		order, ok, err := rec.Order()
		if err != nil || !ok {
			return err // a message; watchers do not deliver messages
		}
		page.Orders = append(page.Orders, contracts.OutpostOrder{Seq: rec.Seq, ID: order.UUID, HUD: *order})
		return nil
	})
	if err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
		gate.Refuse(w, http.StatusServiceUnavailable, contracts.CodeInternal, "orders cannot be read: %v", err)
		return
	}
	gate.Answer(w, http.StatusOK, page)
}

// serveBlob handles POST /v1/facts/blobs: it stores content that a later fact refers to.
func (d *Door) serveBlob(w http.ResponseWriter, r *http.Request) {
	content, err := io.ReadAll(http.MaxBytesReader(w, r.Body, contracts.LimitHUDResult))
	if err != nil {
		gate.Refuse(w, http.StatusRequestEntityTooLarge, contracts.CodeValidationFailed, "the content could not be read, or exceeds %d bytes", contracts.LimitHUDResult)
		return
	}
	sum, err := d.cfg.PutBlob(r.Context(), content)
	if err != nil {
		gate.Refuse(w, http.StatusServiceUnavailable, contracts.CodeInternal, "content not stored: %v; try again", err)
		return
	}
	gate.Answer(w, http.StatusOK, contracts.StoredBlob{SHA256: sum})
}

// serveStream handles POST /v1/facts/stream: text that the outpost's agents are writing, which is
// shown but not recorded.
func (d *Door) serveStream(w http.ResponseWriter, r *http.Request) {
	p := d.post(r)
	var deltas []contracts.StreamDelta
	if err := json.UnmarshalRead(r.Body, &deltas); err != nil || len(deltas) > contracts.LimitOutpostDeltas {
		gate.Answer(w, http.StatusBadRequest, contracts.RefuseField("body", "the body must be a list of up to %d text deltas", contracts.LimitOutpostDeltas))
		return
	}
	for _, delta := range deltas {
		if a, ok := d.cfg.View.Profile(delta.AgentID); ok && a.Outpost == p.name {
			delta.ProjectID, delta.TaskID = "", ""
			d.cfg.Publish(delta)
		}
	}
	w.WriteHeader(http.StatusNoContent)
}
