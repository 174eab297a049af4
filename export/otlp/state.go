package otlp

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/bullpen-office/bullpen/contracts"
)

// state is the position of the export, and the activity that has begun but not ended. It is stored in
// full, so that a restart continues where the export stopped.
type state struct {
	Ledger string   `json:"ledger_id"`
	Seq    uint64   `json:"seq"` // every record up to this seq has been exported or is in the fields below
	Tracks []*track `json:"lanes,omitzero"`
	Calls  []*call  `json:"calls,omitzero"`
	Ended  []*turn  `json:"ended,omitzero"` // waiting for their token report
}

// track is one agent's session, which has at most one turn at a time.
type track struct {
	Agent   string      `json:"agent,omitzero"`
	Session string      `json:"session,omitzero"`
	Turn    *turn       `json:"turn,omitzero"`
	Waiting []spanEvent `json:"waiting,omitzero"` // events received before the turn that they belong to
	Seen    int64       `json:"seen"`             // time of the session's last activity
}

// spanRef identifies a span in a trace.
type spanRef struct {
	Trace  string `json:"trace"`
	Span   string `json:"span"`
	Parent string `json:"parent,omitzero"`
}

type turn struct {
	spanRef
	Agent       string          `json:"agent,omitzero"`
	Session     string          `json:"session,omitzero"`
	Correlation string          `json:"correlation"`
	TaskID      string          `json:"task_id,omitzero"`
	Label       string          `json:"label,omitzero"`
	Rehearsal   bool            `json:"rehearsal,omitzero"`
	Start       int64           `json:"start"`
	End         int64           `json:"end,omitzero"`
	Status      status          `json:"status,omitzero"`
	Ready       int64           `json:"ready,omitzero"` // when the export stops waiting for the turn's usage
	Usage       contracts.Usage `json:"usage,omitzero"`
	Used        bool            `json:"used,omitzero"`  // the turn has a usage report
	Whole       bool            `json:"whole,omitzero"` // the report covers the whole turn
	Events      []spanEvent     `json:"events,omitzero"`
	Dropped     int             `json:"dropped,omitzero"`
}

type call struct {
	spanRef
	Agent       string `json:"agent,omitzero"`
	Session     string `json:"session,omitzero"`
	Correlation string `json:"correlation,omitzero"`
	TaskID      string `json:"task_id,omitzero"`
	Tool        string `json:"tool"`
	Args        string `json:"args,omitzero"` // only when content is exported
	Rehearsal   bool   `json:"rehearsal,omitzero"`
	Start       int64  `json:"start"`
}

// newTrace derives a trace id from its parts.
func newTrace(parts ...string) string { return digest(16, parts...) }

// newSpan derives a span id from its parts.
func newSpan(parts ...string) string { return digest(8, parts...) }

func digest(size int, parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil)[:size])
}

func (t *turn) note(e spanEvent) {
	if len(t.Events) >= contracts.LimitOTLPEvents {
		t.Dropped++
		return
	}
	t.Events = append(t.Events, e)
}

// use adds a token report to the turn's usage. A report on the whole turn replaces all earlier
// reports, and later reports are ignored.
func (t *turn) use(u contracts.Usage, whole bool) {
	switch {
	case t.Whole:
		return
	case whole:
		t.Usage, t.Whole = u, true
	default:
		if u.Model != "" {
			t.Usage.Model = u.Model
		}
		t.Usage.TokensIn += u.TokensIn
		t.Usage.TokensOut += u.TokensOut
		t.Usage.CacheRead += u.CacheRead
		t.Usage.CacheWrite += u.CacheWrite
		t.Usage.CostUSD = plus(t.Usage.CostUSD, u.CostUSD, t.Used)
	}
	t.Used = true
}

// plus returns the sum of two costs, or nil if either is unknown. If counted is false, a nil sum means
// zero.
func plus(sum, more *float64, counted bool) *float64 {
	if more == nil || counted && sum == nil {
		return nil
	}
	total := *more
	if sum != nil {
		total += *sum
	}
	return &total
}
