package translate

import (
	"math"
	"strconv"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/contracts"
)

// rowUsage is the usage of one response. Cached tokens are part of the input.
type rowUsage struct {
	In         float64 `json:"input_tokens"`
	Out        float64 `json:"output_tokens"`
	CacheRead  float64 `json:"cached_input_tokens"`
	CacheWrite float64 `json:"cache_write_input_tokens"`
	Total      float64 `json:"total_tokens"`
}

func (u *rowUsage) toUsage(model string, at int64) contracts.Usage {
	read, write := tokens(u.CacheRead), tokens(u.CacheWrite)
	return contracts.Usage{Model: model, TokensIn: max(tokens(u.In)-read-write, 0), TokensOut: tokens(u.Out), CacheRead: read, CacheWrite: write, At: at}
}

// usageRow reports the usage of one response, which every version since 0.160 records.
func (s *Session) usageRow(t *guest.Updates, r *Row, at int64) {
	if u := r.payload.Usage; u != nil && r.payload.Response != "" {
		s.recordsUsage = true
		s.used(t, u, Source+"/"+r.payload.Thread+"/"+r.payload.Response, r.payload.Turn, at)
	}
}

// countRow reports the usage of one response in a file from a version before 0.160. These versions
// repeat the usage line, with the same total, until the next response.
func (s *Session) countRow(t *guest.Updates, r *Row, at int64) {
	if info := r.payload.Info; info != nil && !s.recordsUsage && info.Total.Total > 0 {
		s.used(t, &info.Last, Source+"/"+s.id+"/total/"+strconv.FormatInt(tokens(info.Total.Total), 10), s.turn, at)
	}
}

func (s *Session) used(t *guest.Updates, u *rowUsage, key, turn string, at int64) {
	usage := u.toUsage(s.profile.Model, at)
	seen := contracts.UsageSeen{Key: key, AgentID: s.Source.AgentID, TurnID: turn, Usage: usage}
	if s.cfg.Price != nil {
		if cost, ok := s.cfg.Price(seen.Usage, 0); ok {
			seen.Usage.CostUSD, seen.Usage.Listed = &cost, true
		}
	}
	t.Usage = append(t.Usage, seen)
}

// tokens converts an untrusted token count to an integer. It returns 0 if n is negative or not a
// number.
func tokens(n float64) int64 {
	if math.IsNaN(n) || n < 0 {
		return 0
	}
	return int64(min(n, 1<<50))
}
