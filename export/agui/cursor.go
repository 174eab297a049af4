package agui

import (
	"net/http"

	"github.com/bullpen-office/bullpen/contracts"
)

// cursor is the position where a stream starts and, if that is not the requested position, the
// reason.
type cursor struct {
	asked, after uint64
	reason       contracts.ResumeReason
	segment      string // part of the event ids; empty if the client's ids have no segment
}

func readScope(r *http.Request) (Scope, *contracts.Refusal) {
	query := r.URL.Query()
	s := Scope{AgentID: query.Get("agent"), Session: query.Get("session")}
	if s.AgentID != "" && !contracts.HasPrefix(s.AgentID, contracts.PrefixAgent) {
		return s, contracts.RefuseField("agent", "agent must be an agent id such as agent_writer_1; GET /v1/state lists the agents")
	}
	if len(s.Session) > 4*contracts.LimitID {
		return s, contracts.RefuseField("session", "session exceeds %d bytes", 4*contracts.LimitID)
	}
	return s, nil
}

// readCursor returns the start position of a stream, by the same rules as the other streams (D1).
func (d *Door) readCursor(r *http.Request) (cursor, *contracts.Refusal) {
	wanted, bad := contracts.ReadStreamCursor(r.URL.Query(), r.Header.Get("Last-Event-ID"))
	head := d.cfg.Ledger.Head()
	if !wanted.Given {
		wanted.Seq = head
	}
	c := cursor{asked: wanted.Seq, after: wanted.Seq}
	if wanted.HasSegment {
		c.segment = d.cfg.Ledger.Segment()
	}
	switch {
	case wanted.Lost(d.cfg.Ledger):
		c.reason, c.after = contracts.ResumeCursorUnknown, head
	case wanted.Given && c.asked < d.cfg.Ledger.Floor():
		c.reason = contracts.ResumeCursorStale // the remaining records follow
	}
	return c, bad
}
