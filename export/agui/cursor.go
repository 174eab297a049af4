package agui

import (
	"net/http"
	"strconv"

	"github.com/bullpen-office/bullpen/contracts"
)

// epochHeader and segmentHeader name the history that the ids of a stream belong to.
const (
	epochHeader   = "Bullpen-Epoch"
	segmentHeader = "Bullpen-Segment"
)

// cursor is where a stream begins, and why that is not where it was asked to.
type cursor struct {
	asked, after uint64
	lost         contracts.ResumeReason
}

func readScope(r *http.Request) (Scope, *contracts.Refusal) {
	query := r.URL.Query()
	s := Scope{AgentID: query.Get("agent"), Session: query.Get("session")}
	if s.AgentID != "" && !contracts.HasPrefix(s.AgentID, contracts.PrefixAgent) {
		return s, contracts.RefuseField("agent", "agent is an id such as agent_writer_1; GET /v1/state lists them")
	}
	if len(s.Session) > 4*contracts.LimitID {
		return s, contracts.RefuseField("session", "session has at most %d bytes", 4*contracts.LimitID)
	}
	return s, nil
}

// readCursor follows the rules of the other streams (D1).
func (d *Door) readCursor(r *http.Request) (cursor, *contracts.Refusal) {
	head := d.cfg.Ledger.Head()
	field, text := "after", r.URL.Query().Get("after")
	if id := r.Header.Get("Last-Event-ID"); id != "" {
		field, text = "Last-Event-ID", id
	}
	c := cursor{asked: head, after: head}
	if text != "" {
		n, err := strconv.ParseUint(text, 10, 63)
		if err != nil {
			return c, contracts.RefuseField(field, "%s must be a whole number, 0 or more", field)
		}
		c = cursor{asked: n, after: n}
	}
	epoch, segment := r.URL.Query().Get("epoch"), r.URL.Query().Get("segment")
	switch {
	case epoch != "" && epoch != d.cfg.Ledger.ID(), segment != "" && !d.cfg.Ledger.Holds(segment, c.asked), c.asked > head:
		c.lost, c.after = contracts.ResumeCursorUnknown, head
	case text != "" && c.asked < d.cfg.Ledger.Floor():
		c.lost = contracts.ResumeCursorStale // what is left follows
	}
	return c, nil
}
