package hub

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// ServeEventStream answers GET /v1/events/stream?after=&epoch=&segment=&kind= with server-sent
// events: the id is the seq (followed by the segment if the request has ?segment=), the event is the
// kind, and the data is the message. Last-Event-ID takes precedence over ?after=; without either, the
// stream starts now.
func (h *Hub) ServeEventStream(w http.ResponseWriter, r *http.Request) {
	if !h.requireGet(w, r) {
		return
	}
	h.setLedgerHeaders(w.Header())
	from, refusal := h.readCursor(r, r.Header.Get("Last-Event-ID"), fromNow)
	mask, badKind := queryKinds(r)
	if refusal == nil {
		refusal = badKind
	}
	if refusal != nil {
		h.httpRefuse(w, http.StatusBadRequest, refusal)
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	c := &connection{principal: h.principal(r).ID, close: func(contracts.CloseCode, string) { cancel() }, abort: cancel}
	if code, ok := h.registry.add(c, &h.limits); !ok {
		w.Header().Set("Retry-After", "1")
		h.httpRefuse(w, http.StatusServiceUnavailable, refusalOf(code))
		return
	}
	defer h.registry.work.Done()
	defer h.registry.remove(c)
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return
	}
	s := eventStream{hub: h, w: w, rc: http.NewResponseController(w), segment: from.segment}
	s.buf = append(s.buf, "retry: "...)
	s.buf = strconv.AppendInt(s.buf, contracts.EventStreamRetry.Milliseconds(), 10)
	s.buf = append(s.buf, "\n\n"...)
	s.resync(from)
	f := h.feedFrom(from, mask)
	s.run(ctx, &f)
}

// eventStream writes server-sent events.
type eventStream struct {
	hub *Hub
	w   http.ResponseWriter
	rc  *http.ResponseController
	buf []byte

	segment string // part of the following event ids; empty if the client did not ask for it
}

// run writes events until the client disconnects, ctx is done or the history cannot be read. The
// client can resume with Last-Event-ID.
func (s *eventStream) run(ctx context.Context, f *feed) {
	if s.flush(0) != nil {
		return
	}
	for {
		wait, cancel := context.WithTimeout(ctx, contracts.StreamKeepAlive)
		items, err := f.next(wait)
		cancel()
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, context.DeadlineExceeded):
			s.buf = append(s.buf, ": keep-alive\n\n"...)
		case err != nil:
			s.hub.logger.Warn("event stream aborted", "after", f.after, "err", err)
			return
		}
		if s.segment != "" {
			s.segment = s.hub.ledger.Segment() // the segment of the newest item, or a later one
		}
		for _, it := range items {
			s.append(&it)
		}
		if s.flush(len(items)) != nil {
			return
		}
	}
}

// resync notifies the client if records are missing. The message has no id. If the cursor is not valid
// in this ledger, a bare id follows, which replaces the cursor in the client. If the ids include the
// segment, the bare id is always sent, so that the client can resume even before the first event.
func (s *eventStream) resync(from cursor) {
	if msg := s.hub.resyncMessage(from); msg != nil {
		s.buf = append(s.buf, "event: event\ndata: "...)
		s.buf = append(s.buf, msg...)
		s.buf = append(s.buf, "\n\n"...)
	}
	if from.lost == contracts.ResumeCursorUnknown || s.segment != "" {
		s.buf = append(s.buf, "id: "...)
		s.buf = contracts.EventID{Seq: from.after, Segment: s.segment}.Append(s.buf)
		s.buf = append(s.buf, "\n\n"...)
	}
}

func (s *eventStream) append(it *item) {
	s.buf = append(s.buf, "id: "...)
	s.buf = contracts.EventID{Seq: it.seq, Segment: s.segment}.Append(s.buf)
	s.buf = append(s.buf, "\nevent: "...)
	s.buf = append(s.buf, it.bit.kinds()[0]...)
	s.buf = append(s.buf, "\ndata: "...)
	s.buf = append(s.buf, it.msg...) // JSON on one line, without a raw newline
	s.buf = append(s.buf, "\n\n"...)
}

func (s *eventStream) flush(msgs int) error {
	_ = s.rc.SetWriteDeadline(time.Now().Add(s.hub.limits.WriteTimeout))
	n, err := s.w.Write(s.buf)
	s.buf = s.buf[:0]
	s.hub.metrics.sent(msgs, n)
	if err != nil {
		return err
	}
	return s.rc.Flush()
}
