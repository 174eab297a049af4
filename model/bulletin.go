package model

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

const (
	limitNotices  = 200
	limitStatuses = 100
	limitUILog    = 200

	progressFor = 10 * 60_000 // how long progress is shown without an update, in milliseconds
	finishedFor = 6000        // how long a finished run stays visible, in milliseconds
)

// Status is the status, progress or question that a run announced.
type Status struct {
	Kind       contracts.UIKind // status, progress or ask
	Seq        uint64
	TS         int64
	Text       string
	AgentID    string
	RunID      string
	ExpiresAt  int64    // when the status is removed; 0 if it stays until it is replaced
	Percent    *float64 // percentage done, for progress
	ETA        *float64 // seconds left, as estimated by the run
	DecisionID string   // the decision created for a question
}

// ValidAt reports whether the status is still valid at the given time.
func (s *Status) ValidAt(now int64) bool { return s.ExpiresAt == 0 || s.ExpiresAt > now }

// Notice is a message that a workflow sends to people.
type Notice struct {
	ID      string
	Seq     uint64
	TS      int64
	Text    string
	Level   string // info, success, warning or error
	Title   string
	AgentID string
	Replay  bool // whether it was sent before this client connected
}

func (n Notice) key() string       { return n.ID }
func (n Notice) ledgerSeq() uint64 { return n.Seq }

// UIRow is one workflow event as received. Events that are not displayed have rows too.
type UIRow struct {
	ID  string
	Seq uint64
	TS  int64
	UI  *contracts.UI
}

func (u UIRow) key() string       { return u.ID }
func (u UIRow) ledgerSeq() uint64 { return u.Seq }

type statusKey struct {
	kind       contracts.UIKind
	agent, run string
}

// bulletin contains workflow announcements: a status per run, and messages (U4). Cleared statuses
// are kept with empty text, so that an older message that arrives late does not bring them back.
type bulletin struct {
	runs    map[statusKey]Status
	notices orderedLog[Notice]
	log     orderedLog[UIRow]
}

func newBulletin() bulletin {
	return bulletin{map[statusKey]Status{}, newOrderedLog[Notice](limitNotices), newOrderedLog[UIRow](limitUILog)}
}

func (b *bulletin) apply(m Message, u *contracts.UI, replay bool) {
	b.log.add(UIRow{m.ID, m.Seq, m.TS, u})
	if u.Ignored != "" {
		return
	}
	kind := u.Kind
	if kind == "" {
		kind = contracts.UIKind(strings.TrimPrefix(u.Name, "abstract."))
	}
	switch kind {
	case contracts.UIStatus, contracts.UIProgress, contracts.UIAsk:
		b.status(m, u, kind)
	case contracts.UIMessage:
		b.message(m, u, replay)
	}
}

func (b *bulletin) status(m Message, u *contracts.UI, kind contracts.UIKind) {
	n := members(u.Normalized)
	words, said := statusText(n, kind)
	if !said {
		return
	}
	key := statusKey{kind, u.AgentID, u.RunID}
	if old, known := b.runs[key]; known && old.Seq >= m.Seq {
		return
	}
	row := Status{Kind: kind, Seq: m.Seq, TS: m.TS, Text: words, AgentID: u.AgentID, RunID: u.RunID, DecisionID: u.DecisionID}
	done := false
	if kind == contracts.UIProgress {
		row.Percent, row.ETA, done = progressOf(n)
	}
	row.ExpiresAt = expiry(u, n, m.TS, kind, done)
	b.runs[key] = row
	if len(b.runs) > limitStatuses {
		b.dropOldest()
	}
}

func (b *bulletin) dropOldest() {
	var oldest statusKey
	least := uint64(math.MaxUint64)
	for key, row := range b.runs {
		if row.Seq < least {
			oldest, least = key, row.Seq
		}
	}
	delete(b.runs, oldest)
}

// expiry returns the time at which a status expires, or 0 if it never does. If the message has
// expires_at, the status expires at that time. Otherwise, progress expires progressFor after its
// message, or finishedFor after it if the run is done. A status from an older server expires after
// its duration in seconds.
func expiry(u *contracts.UI, n map[string]any, ts int64, kind contracts.UIKind, done bool) int64 {
	switch {
	case u.ExpiresAt != 0:
		return u.ExpiresAt
	case kind == contracts.UIProgress && done:
		return ts + finishedFor
	case kind == contracts.UIProgress:
		return ts + progressFor
	}
	if end, ok := number(n["expires_at"]); ok {
		return int64(end)
	}
	if lasts, ok := number(n["duration"]); ok && lasts > 0 {
		return ts + int64(lasts*1000)
	}
	return 0
}

// statusText returns the text of an announcement, or false if it has none.
func statusText(n map[string]any, kind contracts.UIKind) (string, bool) {
	if clear, _ := n["clear"].(bool); clear && kind == contracts.UIStatus {
		return "", true
	}
	if s, ok := n["text"].(string); ok {
		return strings.TrimSpace(s), true
	}
	switch prompt := strings.TrimSpace(text(n["prompt"])); {
	case kind == contracts.UIStatus:
		return "", false
	case prompt != "":
		return prompt, true
	case kind == contracts.UIProgress:
		return contracts.AgentStateWords[contracts.StateWorking], true
	}
	return contracts.SayQuestion, true
}

func progressOf(n map[string]any) (percent, eta *float64, done bool) {
	if far, ok := number(n["percent"]); ok {
		far = max(0, min(100, far))
		percent = &far
	}
	terminal, _ := n["terminal"].(bool)
	final, _ := n["final"].(bool)
	done = terminal || final || percent != nil && *percent == 100
	for _, name := range []string{"eta_s", "eta_seconds", "remaining_s"} {
		if left, ok := number(n[name]); ok {
			if left >= 0 && !done {
				eta = &left
			}
			break
		}
	}
	return percent, eta, done
}

func (b *bulletin) message(m Message, u *contracts.UI, replay bool) {
	n := members(u.Normalized)
	words := text(n["text"])
	if strings.TrimSpace(words) == "" {
		return
	}
	level := text(n["level"])
	if !slices.Contains([]string{"info", "success", "warning", "error"}, level) {
		level = "info"
	}
	b.notices.add(Notice{m.ID, m.Seq, m.TS, words, level, text(n["title"]), u.AgentID, replay})
}

// current returns the statuses that have not expired, newest last.
func (b *bulletin) current(now int64) []Status {
	var list []Status
	for _, row := range b.runs {
		if row.Text != "" && row.ValidAt(now) {
			list = append(list, row)
		}
	}
	slices.SortFunc(list, func(a, b Status) int { return cmp.Compare(a.Seq, b.Seq) })
	return list
}

func (b *bulletin) clear() {
	clear(b.runs)
	b.notices.clear()
	b.log.clear()
}

// SaidIn returns the text, prompt or tool name of a normalized event, for display in its row; empty
// if there is none.
func SaidIn(normalized jsontext.Value) string {
	n := members(normalized)
	for _, name := range []string{"text", "prompt", "tool"} {
		if v, there := n[name]; there && v != nil {
			return text(v)
		}
	}
	return ""
}
