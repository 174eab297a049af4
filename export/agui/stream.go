package agui

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

// stream writes the events of one response.
type stream struct {
	door   *Door
	mapper *Mapper
	w      http.ResponseWriter
	rc     *http.ResponseController
	after  uint64
	buf    []byte

	segment string // segment in the event ids; empty if the client's ids have no segment
}

// id returns the event id for a ledger position that has already been read. The id's segment is
// that of the record at this position, or a later one.
func (s *stream) id(seq uint64) string {
	if s.segment != "" {
		s.segment = s.door.cfg.Ledger.Segment()
	}
	return string(contracts.EventID{Seq: seq, Segment: s.segment}.Append(nil))
}

// run writes events until the client disconnects or ctx is done. It reads the ledger at the
// client's speed, so no queue grows for a slow client.
func (s *stream) run(ctx context.Context, scope Scope, from cursor) error {
	if err := s.begin(ctx, scope, from); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	batches := make(chan []contracts.Record)
	go func() {
		defer close(batches) // runs after cancel has set the cause
		cancel(s.door.cfg.Ledger.Follow(ctx, from.after, func(recs []contracts.Record) error {
			select {
			case batches <- recs:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}))
	}()
	err := s.pump(batches)
	cancel(err)
	for range batches { // ends once the follower has returned
	}
	return context.Cause(ctx)
}

// pump writes batches. It also writes comments, as keep-alives for proxies.
func (s *stream) pump(batches <-chan []contracts.Record) error {
	alive := time.NewTicker(s.door.cfg.KeepAlive)
	defer alive.Stop()
	for {
		select {
		case recs, ok := <-batches:
			if !ok {
				return nil
			}
			for i := range recs {
				if err := s.record(&recs[i]); err != nil {
					return err
				}
			}
		case <-alive.C:
			s.buf = append(s.buf, ": keep-alive\n\n"...)
		}
		if err := s.flush(); err != nil {
			return err
		}
	}
}

// begin starts the sequence with the activity that was in progress at the cursor.
func (s *stream) begin(ctx context.Context, scope Scope, from cursor) error {
	s.after, s.segment = from.after, from.segment
	open, err := s.door.cfg.Open(ctx, from.after)
	if err != nil {
		return err
	}
	next, err := s.door.cfg.Ledger.Read(ctx, from.after, contracts.LimitLookAhead, contracts.KindHUD)
	if err != nil {
		return err
	}
	s.mapper.resume(open, next)
	var state []byte
	if s.door.cfg.State != nil {
		if state, err = json.Marshal(scope.state(s.door.cfg.State())); err != nil {
			return err
		}
	}
	s.buf = append(s.buf, "retry: "...)
	s.buf = strconv.AppendInt(s.buf, contracts.EventStreamRetry.Milliseconds(), 10)
	s.buf = append(s.buf, "\n\n"...)
	for _, e := range s.mapper.Begin(s.door.cfg.Now().UnixMilli(), state) {
		if err := s.event(e, ""); err != nil {
			return err
		}
	}
	if err := s.resync(from); err != nil {
		return err
	}
	if s.segment != "" && from.reason != contracts.ResumeCursorUnknown { // so that a client that is cut off before the first event can resume
		s.buf = append(s.buf, "id: "+s.id(from.after)+"\n\n"...)
	}
	return s.flush()
}

// resync sends a notice if records are missing. If this office does not recognize the client's
// cursor, the notice has an id, which replaces that cursor in the client.
func (s *stream) resync(from cursor) error {
	if from.reason == "" {
		return nil
	}
	id := ""
	if from.reason == contracts.ResumeCursorUnknown {
		id = s.id(from.after)
	}
	events := s.mapper.Notice(s.door.cfg.Now().UnixMilli(), "bullpen.resync", encoded(struct {
		Reason  contracts.ResumeReason `json:"reason"`
		LastSeq uint64                 `json:"last_seq"`
	}{from.reason, from.asked}))
	for _, e := range events {
		if err := s.event(e, id); err != nil {
			return err
		}
	}
	return nil
}

// record writes the events of a record. Only the last event has the id, so a client that
// disconnects between two of the events receives the whole record again.
func (s *stream) record(rec *contracts.Record) error {
	s.after = rec.Seq
	events := s.mapper.Map(rec)
	for i, e := range events {
		id := ""
		if i == len(events)-1 {
			id = s.id(rec.Seq)
		}
		if err := s.event(e, id); err != nil {
			return err
		}
	}
	return nil
}

// event appends one event to the buffer and flushes a full buffer. Compact JSON contains no raw
// newline, so one data line is enough.
func (s *stream) event(e Event, id string) (err error) {
	if id != "" {
		s.buf = append(s.buf, "id: "+id+"\n"...)
	}
	s.buf = append(s.buf, "data: "...)
	data, err := json.Marshal(e, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return err
	}
	s.buf = append(append(s.buf, data...), "\n\n"...)
	if len(s.buf) < contracts.LimitWritePiece {
		return nil
	}
	return s.flush()
}

func (s *stream) flush() error {
	if len(s.buf) == 0 {
		return nil
	}
	_ = s.rc.SetWriteDeadline(time.Now().Add(contracts.WriteTimeout))
	_, err := s.w.Write(s.buf)
	s.buf = s.buf[:0]
	if err != nil {
		return err
	}
	return s.rc.Flush()
}
