package contracts

import (
	"cmp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// HUDEvent is a kind of activity, as defined by the HUD protocol.
type HUDEvent string

// HUD event kinds.
const (
	HUDTurnStart  HUDEvent = "turn_start"
	HUDTurnEnd    HUDEvent = "turn_end"
	HUDThinkStart HUDEvent = "think_start"
	HUDThinkEnd   HUDEvent = "think_end"
	HUDToolStart  HUDEvent = "tool_start"
	HUDToolEnd    HUDEvent = "tool_end"
	HUDReceived   HUDEvent = "received"
)

// HUD is one fact about an agent's activity. UUID is its id in every message. The id is created
// where the fact is observed, and it stays the same on replay.
type HUD struct {
	UUID          string         `json:"-"`
	Event         HUDEvent       `json:"event"`
	CorrelationID string         `json:"correlationId,omitzero"`
	ParentID      string         `json:"parentId,omitzero"`
	AgentID       string         `json:"agent_id,omitzero"`
	Session       string         `json:"session,omitzero"`
	Impact        *Impact        `json:"impact,omitzero"` // on tool_end and turn_end: the effect on the state of the agent's work; set by the director. Must follow Session: see headOfEnd
	TaskID        string         `json:"task_id,omitzero"`
	Tool          string         `json:"tool,omitzero"`
	Args          jsontext.Value `json:"args,omitzero"`
	Result        jsontext.Value `json:"result,omitzero"`
	DurationMS    *int64         `json:"durationMs,omitzero"`
	Subtype       string         `json:"subtype,omitzero"`
	Label         string         `json:"label,omitzero"`
	Payload       jsontext.Value `json:"payload,omitzero"`
	Replay        bool           `json:"replay,omitzero"`
	Rehearsal     bool           `json:"rehearsal,omitzero"`
	At            int64          `json:"at,omitzero"`            // when it happened, if that differs from when it was recorded
	ResultSHA256  string         `json:"result_sha256,omitzero"` // hash of the whole result, if Result.ref refers to it
	Usage         *Usage         `json:"usage,omitzero"`         // on turn_end
	Said          string         `json:"said,omitzero"`          // the agent's answer
	Owner         string         `json:"owner,omitzero"`         // id of the owner; set on the start of a turn, or of a call outside any turn
	Origin        string         `json:"origin,omitzero"`        // on turn_start: a work key, OriginCaller or OriginOutside
	Root          string         `json:"root,omitzero"`          // on turn_start: the directory that paths are relative to
}

const orderPrefix = "order/"

// OrderKey returns the ledger key of an activity record that the director writes to execute a
// command. The key marks the record as an order. Reported activity never has an order's key,
// because its key comes from FactKey.
func OrderKey(uuid string) string { return orderPrefix + uuid }

// Order returns the order in a record; ok is false if the record is not an order. The same activity
// reported by an agent or a script is not an order and must not be acted on.
func (r *Record) Order() (h *HUD, ok bool, err error) {
	if r.Kind != KindHUD || !strings.HasPrefix(r.Key, orderPrefix) {
		return nil, false, nil
	}
	body, err := r.Decode()
	if err != nil {
		return nil, false, err
	}
	h, ok = body.(*HUD)
	return h, ok && h.Event == HUDReceived, nil
}

// Failure returns the reason that a result gives for a failed turn or call; ok is false if the turn
// or call did not fail.
func (h *HUD) Failure() (why string, ok bool) {
	var r struct {
		OK      *bool  `json:"ok"`
		Error   string `json:"error"`
		Summary string `json:"summary"`
	}
	if h.Result.Kind() != '{' || json.Unmarshal(h.Result, &r) != nil || r.OK == nil || *r.OK {
		return "", false
	}
	return cmp.Or(r.Error, r.Summary, "Failed; no reason was given."), true
}
