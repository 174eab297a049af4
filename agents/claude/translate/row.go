package translate

import (
	"fmt"
	"time"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/go-json-experiment/json/jsontext"
)

// Row is one relevant line of a transcript. The format is internal to Claude Code, so missing and
// unknown members are not errors.
type Row struct {
	Type      string `json:"type"`
	Subtype   string `json:"subtype"`
	UUID      string `json:"uuid"`
	AgentID   string `json:"agentId"` // set for a sub-agent
	PromptID  string `json:"promptId"`
	Cwd       string `json:"cwd"`
	Meta      bool   `json:"isMeta"`
	Sidechain bool   `json:"isSidechain"`
	Summary   bool   `json:"isCompactSummary"`
	APIError  bool   `json:"isApiErrorMessage"`
	Origin    struct {
		Kind string `json:"kind"`
	} `json:"origin"`
	Message struct {
		ID         string         `json:"id"`
		Model      string         `json:"model"`
		StopReason string         `json:"stop_reason"`
		Content    jsontext.Value `json:"content"`
		Usage      *rowUsage      `json:"usage"`
	} `json:"message"`
	Result     jsontext.Value `json:"toolUseResult"`
	ThinkingMS jsontext.Value `json:"thinkingDurationMs"`
	DurationMS jsontext.Value `json:"durationMs"`   // set on system/turn_duration rows
	CostUSD    jsontext.Value `json:"costUSD"`      // set on assistant rows by older versions
	TotalCost  jsontext.Value `json:"totalCostUSD"` // set on cost-state rows: the session's cost so far
	Timestamp  jsontext.Value `json:"timestamp"`

	At         int64    `json:"-"` // Timestamp in Unix milliseconds; 0 means unknown
	Mismatched []string `json:"-"` // JSON members that were ignored because they have an unexpected type
}

type rowUsage struct {
	In         float64 `json:"input_tokens"`
	Out        float64 `json:"output_tokens"`
	CacheRead  float64 `json:"cache_read_input_tokens"`
	CacheWrite float64 `json:"cache_creation_input_tokens"`
	Created    struct {
		Hour float64 `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
}

type block struct {
	Type      string         `json:"type"`
	Text      string         `json:"text"`
	Thinking  string         `json:"thinking"`
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Input     jsontext.Value `json:"input"`
	ToolUseID string         `json:"tool_use_id"`
	Content   jsontext.Value `json:"content"`
	IsError   bool           `json:"is_error"`
}

// The supported kinds of rows.
const (
	rowUser      = "user"
	rowAssistant = "assistant"
	rowSystem    = "system"
	rowCost      = "cost-state"
)

// ParseRow decodes a transcript line. It returns nil for irrelevant rows, and an error for a line
// that cannot be decoded.
func ParseRow(line []byte) (*Row, error) {
	var head struct {
		Type string `json:"type"`
	}
	if _, err := hud.Decode(line, &head); err != nil {
		return nil, fmt.Errorf("transcript row cannot be decoded: %w", err)
	}
	switch head.Type {
	case rowUser, rowAssistant, rowSystem, rowCost:
	default:
		return nil, nil
	}
	r := new(Row)
	mismatched, err := hud.Decode(line, r)
	if err != nil {
		return nil, fmt.Errorf("transcript row of type %s cannot be decoded: %w", head.Type, err)
	}
	r.Mismatched = mismatched
	r.UUID, r.AgentID, r.PromptID, r.Message.ID = guest.Name(r.UUID), guest.Name(r.AgentID), guest.Name(r.PromptID), guest.Name(r.Message.ID)
	if at, err := time.Parse(time.RFC3339, guest.Text(r.Timestamp)); err == nil {
		r.At = max(at.UnixMilli(), 0)
	}
	return r, nil
}

// blocks returns the blocks of the row's message; plain text is one block.
func (r *Row) blocks() []block {
	switch c := r.Message.Content; c.Kind() {
	case '"':
		return []block{{Type: "text", Text: guest.Text(c)}}
	case '[':
		var list []block
		if _, err := hud.Decode(c, &list); err == nil {
			return list
		}
	}
	return nil
}
