package translate

import (
	"fmt"
	"math"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/hud"
)

// Row is one line of a session file. The format is internal to Copilot CLI, so missing and unknown
// members are not errors.
type Row struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	Timestamp string `json:"timestamp"`
	Agent     string `json:"agentId"` // set for a sub-agent
	Data      data   `json:"data"`

	at         int64
	mismatched []string
}

// data contains the members that this package uses, for all kinds of lines.
type data struct {
	Interaction string         `json:"interactionId"`
	Parent      string         `json:"parentToolCallId"` // set for a sub-agent by older versions
	Content     jsontext.Value `json:"content"`
	Source      string         `json:"source"`

	Model    string  `json:"selectedModel"` // set on session.start
	NewModel string  `json:"newModel"`      // set on session.model_change
	Context  context `json:"context"`       // set on session.start and session.resume

	Requests []jsontext.Value `json:"toolRequests"`

	CallID  string         `json:"toolCallId"`
	Tool    string         `json:"toolName"`
	Args    jsontext.Value `json:"arguments"`
	Success *bool          `json:"success"`
	Result  callResult     `json:"result"`
	Error   jsontext.Value `json:"error"`
	Shell   shell          `json:"shellExecution"`

	Request permission     `json:"permissionRequest"`
	Reason  string         `json:"reason"`
	Message jsontext.Value `json:"message"`
	Usage   *usage         `json:"usage"`
}

type (
	context struct {
		Cwd string `json:"cwd"`
	}
	callResult struct {
		Content jsontext.Value `json:"content"`
	}
	shell struct {
		Exit *int `json:"exitCode"`
	}
	permission struct {
		Intention string `json:"intention"`
	}
)

// usage is the usage of one response. Cached tokens are part of the input.
type usage struct {
	Model      string  `json:"model"`
	In         float64 `json:"inputTokens"`
	Out        float64 `json:"outputTokens"`
	CacheRead  float64 `json:"cacheReadTokens"`
	CacheWrite float64 `json:"cacheWriteTokens"`
}

// ignored lists the kinds of lines that are unrelated to the agent's work.
var ignored = map[string]bool{"hook.start": true, "hook.end": true, "system.message": true}

// ParseRow decodes a line of a session file. The row is nil if the line is irrelevant.
func ParseRow(line []byte) (*Row, error) {
	r := new(Row)
	mismatched, err := hud.Decode(line, r)
	if err != nil {
		return nil, fmt.Errorf("session line cannot be decoded: %w", err)
	}
	if ignored[r.Type] {
		return nil, nil
	}
	d := &r.Data
	r.Type, r.ID, r.Agent, r.mismatched = guest.Name(r.Type), guest.Name(r.ID), guest.Name(r.Agent), mismatched
	d.Interaction, d.CallID, d.Tool = guest.Name(d.Interaction), guest.Name(d.CallID), guest.Name(d.Tool)
	if at, err := time.Parse(time.RFC3339, r.Timestamp); err == nil {
		r.at = max(at.UnixMilli(), 0)
	}
	return r, nil
}

// Head returns the members that the lines of all vendors' files have in common.
func (r *Row) Head() guest.RowHead {
	return guest.RowHead{Kind: r.Type, At: r.at, Cwd: r.Data.Context.Cwd, Mismatched: r.mismatched}
}

// Clamp caps the time at now.
func (r *Row) Clamp(now int64) { r.at = min(r.at, now) }

// fromSubagent reports whether a sub-agent wrote the line.
func (r *Row) fromSubagent() bool { return r.Agent != "" || r.Data.Parent != "" }

// tokens converts an untrusted token count to an integer. It returns 0 if n is negative or not a
// number.
func tokens(n float64) int64 {
	if math.IsNaN(n) || n < 0 {
		return 0
	}
	return int64(min(n, 1<<50))
}
