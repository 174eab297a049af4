package translate

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/hud"
)

// Row is one line of a rollout file. The format is internal to Codex, so missing and unknown members
// are not errors.
type Row struct {
	Type      string         `json:"type"`
	Timestamp string         `json:"timestamp"`
	Payload   jsontext.Value `json:"payload"`

	payload    payload
	at         int64
	mismatched []string
}

// payload contains the members that the office reads, for all kinds of lines.
type payload struct {
	Type string `json:"type"`
	ID   string `json:"id"`
	Turn string `json:"turn_id"`
	Cwd  string `json:"cwd"`

	Model jsontext.Value `json:"model"`

	// Set on session_meta.
	Session  string         `json:"session_id"`
	Source   jsontext.Value `json:"source"`
	Parent   string         `json:"parent_thread_id"` // set for a sub-agent
	Kind     string         `json:"agent_role"`
	Nickname string         `json:"agent_nickname"`

	Item jsontext.Value `json:"item"` // set on item_started and item_completed

	Role      string         `json:"role"`
	Content   jsontext.Value `json:"content"`
	Summary   jsontext.Value `json:"summary"`
	Message   string         `json:"message"`
	Name      string         `json:"name"`
	Arguments string         `json:"arguments"`
	Input     jsontext.Value `json:"input"`
	Action    jsontext.Value `json:"action"`
	CallID    string         `json:"call_id"`
	Output    jsontext.Value `json:"output"`

	Reason      string         `json:"reason"`
	Error       jsontext.Value `json:"error"`
	LastMessage jsontext.Value `json:"last_agent_message"`
	StartedAtMS int64          `json:"started_at_ms"`

	Thread   string     `json:"thread_id"`
	Response string     `json:"response_id"`
	Usage    *rowUsage  `json:"usage"` // set on token_usage_record
	Info     *tokenInfo `json:"info"`  // set on token_count
}

// tokenInfo is the usage in the format of older Codex versions.
type tokenInfo struct {
	Total rowUsage `json:"total_token_usage"`
	Last  rowUsage `json:"last_token_usage"`
}

// Kinds of lines.
const (
	rowMeta     = "session_meta"
	rowContext  = "turn_context"
	rowEvent    = "event_msg"
	rowResponse = "response_item"
	rowUsed     = "token_usage_record"
	rowCompact  = "compacted"
	rowWorld    = "world_state"
)

// ParseRow decodes a line of a rollout file.
func ParseRow(line []byte) (*Row, error) {
	r := new(Row)
	mismatched, err := hud.Decode(line, r)
	if err != nil {
		return nil, fmt.Errorf("rollout line cannot be decoded: %w", err)
	}
	if r.Type = guest.Name(r.Type); r.Payload.Kind() == '{' && r.Type != rowWorld {
		more, err := hud.Decode(r.Payload, &r.payload)
		if err != nil {
			return nil, fmt.Errorf("rollout line of type %s cannot be decoded: %w", r.Type, err)
		}
		mismatched = append(mismatched, more...)
	}
	p := &r.payload
	p.Type, p.ID, p.Turn, p.CallID = guest.Name(p.Type), guest.Name(p.ID), guest.Name(p.Turn), guest.Name(p.CallID)
	p.Session, p.Parent, p.Kind, p.Nickname = guest.Name(p.Session), guest.Name(p.Parent), guest.Name(p.Kind), guest.Name(p.Nickname)
	p.Name, p.Thread, p.Response = guest.Name(p.Name), guest.Name(p.Thread), guest.Name(p.Response)
	if at, err := time.Parse(time.RFC3339, r.Timestamp); err == nil {
		r.at = max(at.UnixMilli(), 0)
	}
	r.mismatched = mismatched
	return r, nil
}

// Head returns the members that the lines of all vendors' files have in common.
func (r *Row) Head() guest.RowHead {
	head := guest.RowHead{Kind: r.Type, At: r.at, Mismatched: r.mismatched}
	if r.Type == rowMeta || r.Type == rowContext {
		head.Cwd = r.payload.Cwd
	}
	return head
}

// Origin reads the session and the sub-agent from the first line of a sub-agent's rollout file;
// ok is false if the line does not name a sub-agent.
func (r *Row) Origin() (session, agent string, ok bool) {
	p := &r.payload
	if r.Type != rowMeta || p.ID == "" {
		return "", "", false
	}
	parent := p.Parent
	if parent == "" { // older versions
		var source struct {
			Subagent struct {
				Spawn struct {
					Parent string `json:"parent_thread_id"`
				} `json:"thread_spawn"`
			} `json:"subagent"`
		}
		_, _ = hud.Decode(p.Source, &source) // the source of other sessions has another shape
		parent = guest.Name(source.Subagent.Spawn.Parent)
	}
	if parent == "" || parent == p.ID {
		return "", "", false
	}
	if p.Session != "" && p.Session != p.ID { // the session at the root, if a sub-agent started this one
		parent = p.Session
	}
	return parent, p.ID, true
}

// Clamp caps the time at now.
func (r *Row) Clamp(now int64) { r.at = min(r.at, now) }
