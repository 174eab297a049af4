package otlp

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/bullpen-office/bullpen/contracts"
)

// state is how far the export is, and what it has seen begin and not end. It is
// kept whole, so that a restart reads nothing twice.
type state struct {
	Ledger string  `json:"ledger_id"`
	Seq    uint64  `json:"seq"` // everything up to here is sent or below
	Lanes  []*lane `json:"lanes,omitzero"`
	Calls  []*call `json:"calls,omitzero"`
	Ended  []*turn `json:"ended,omitzero"` // waiting for the report of their tokens
}

// lane is one agent's session: at most one turn at a time.
type lane struct {
	Agent   string      `json:"agent,omitzero"`
	Session string      `json:"session,omitzero"`
	Turn    *turn       `json:"turn,omitzero"`
	Waiting []spanEvent `json:"waiting,omitzero"` // received before the turn that it is for
	Seen    int64       `json:"seen"`             // when it was last heard of
}

// place is where a span belongs.
type place struct {
	Trace  string `json:"trace"`
	Span   string `json:"span"`
	Parent string `json:"parent,omitzero"`
}

type turn struct {
	place
	Agent       string          `json:"agent,omitzero"`
	Session     string          `json:"session,omitzero"`
	Correlation string          `json:"correlation"`
	TaskID      string          `json:"task_id,omitzero"`
	Label       string          `json:"label,omitzero"`
	Rehearsal   bool            `json:"rehearsal,omitzero"`
	Start       int64           `json:"start"`
	End         int64           `json:"end,omitzero"`
	Status      status          `json:"status,omitzero"`
	Ready       int64           `json:"ready,omitzero"` // when it need not wait for tokens any more
	Usage       contracts.Usage `json:"usage,omitzero"`
	Used        bool            `json:"used,omitzero"`  // there is a report
	Whole       bool            `json:"whole,omitzero"` // the report is of the whole turn
	Events      []spanEvent     `json:"events,omitzero"`
	Dropped     int             `json:"dropped,omitzero"`
}

type call struct {
	place
	Agent       string `json:"agent,omitzero"`
	Session     string `json:"session,omitzero"`
	Correlation string `json:"correlation,omitzero"`
	TaskID      string `json:"task_id,omitzero"`
	Tool        string `json:"tool"`
	Args        string `json:"args,omitzero"` // only when content is exported
	Rehearsal   bool   `json:"rehearsal,omitzero"`
	Start       int64  `json:"start"`
}

// newTrace names a trace after what it is about.
func newTrace(parts ...string) string { return digest(16, parts...) }

// newSpan names a span likewise.
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

// use counts a report; one of the whole turn stands for all others.
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

// plus is unknown as soon as one part is.
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
