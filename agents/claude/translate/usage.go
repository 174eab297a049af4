package translate

import (
	"math"
	"strconv"
	"strings"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
)

// tally counts the usage in a transcript. Every row of a message reports the message's usage,
// although early rows may report it incompletely. Each message is therefore counted once, with the
// numbers of its last row.
type tally struct {
	pending *contracts.UsageSeen
	message string  // id of the message that the pending usage belongs to
	key     string  // idempotency key of the report
	last    string  // last reported message
	cost    float64 // the session's cost so far, from its cost-state rows
	listed  float64 // cost estimated from list prices since the last cost-state row
}

// flush reports the pending usage; later rows of the same message are ignored.
func (u *tally) flush(t *Updates) {
	if u.pending != nil {
		t.Usage = append(t.Usage, *u.pending)
		if u.pending.Usage.Listed {
			u.listed += *u.pending.Usage.CostUSD
		}
		u.pending, u.last = nil, u.message
	}
}

func (s *Session) usageRow(t *Updates, r *Row) {
	reported, id := r.Message.Usage, r.Message.ID
	if reported == nil || id == "" || id == s.usage.last || r.APIError || strings.HasPrefix(r.Message.Model, "<") {
		return
	}
	if p := s.usage.pending; p != nil && id != s.usage.message {
		s.usage.flush(t)
	}
	if s.usage.pending == nil {
		// A fork of a session repeats the rows under another session id, but message and row ids
		// stay the same, so the key does not contain the session: each message is counted once.
		s.usage.message, s.usage.key = id, Source+"/"+id+"/"+r.UUID
	}
	seen := contracts.UsageSeen{
		Key:     s.usage.key,
		AgentID: s.Source.AgentID, TurnID: s.rows.turn,
		Usage: contracts.Usage{
			Model: guest.Name(r.Message.Model), TokensIn: tokens(reported.In), TokensOut: tokens(reported.Out),
			CacheRead: tokens(reported.CacheRead), CacheWrite: tokens(reported.CacheWrite), At: r.At,
		},
	}
	if cost, ok := numberOf(r.CostUSD); ok && cost >= 0 {
		seen.Usage.CostUSD = &cost
	} else if s.cfg.Price != nil {
		if cost, ok := s.cfg.Price(seen.Usage, tokens(reported.Created.Hour)); ok {
			seen.Usage.CostUSD, seen.Usage.Listed = &cost, true
		}
	}
	s.usage.pending = &seen
	if r.Message.StopReason != "" { // the numbers are final
		s.usage.flush(t)
	}
}

// tokens converts an untrusted token count to an integer. It returns 0 if n is negative or not a
// number.
func tokens(n float64) int64 {
	if math.IsNaN(n) || n < 0 {
		return 0
	}
	return int64(min(n, 1<<50))
}

// costRow reads the cost of the whole session so far and reports the increase since the last cost
// row, minus the cost estimated from list prices since then.
func (s *Session) costRow(t *Updates, r *Row) {
	total, ok := numberOf(r.TotalCost)
	if !ok || total < 0 {
		return
	}
	added := total - s.usage.cost
	if added < 0 { // the session's total was reset
		added = total
	}
	s.usage.cost = total
	added -= s.usage.listed // already reported per message
	if s.usage.listed = 0; added <= 0 {
		return
	}
	t.Usage = append(t.Usage, contracts.UsageSeen{
		Key:     Source + "/" + s.id + "/cost/" + strconv.FormatFloat(total, 'g', -1, 64),
		AgentID: s.Source.AgentID, Usage: contracts.Usage{Model: s.profile.Model, CostUSD: &added, At: r.At},
	})
}
