// Package agui streams the ledger as AG-UI events, for clients of that protocol.
//
// A Mapper turns records into events and follows the protocol's rules whatever the records contain:
// the first event starts a run, runs do not overlap, everything that starts ends, and a call is
// announced before its result. A turn is a run; overlapping turns are steps of the open run;
// activity outside of a turn gets its own run. Every response is a complete sequence: it begins
// with the activity in progress, so a client may start anywhere.
//
// The package only reads: it never writes to the ledger and never asks an agent for anything.
package agui

import "github.com/go-json-experiment/json/jsontext"

// Type is the discriminator of an event.
type Type string

// The types of the events that the package sends.
const (
	RunStarted            Type = "RUN_STARTED"
	RunFinished           Type = "RUN_FINISHED"
	RunError              Type = "RUN_ERROR"
	StepStarted           Type = "STEP_STARTED"
	StepFinished          Type = "STEP_FINISHED"
	ReasoningStart        Type = "REASONING_START"
	ReasoningMessageStart Type = "REASONING_MESSAGE_START"
	ReasoningMessageText  Type = "REASONING_MESSAGE_CONTENT"
	ReasoningMessageEnd   Type = "REASONING_MESSAGE_END"
	ReasoningEnd          Type = "REASONING_END"
	ToolCallStart         Type = "TOOL_CALL_START"
	ToolCallArgs          Type = "TOOL_CALL_ARGS"
	ToolCallEnd           Type = "TOOL_CALL_END"
	ToolCallResult        Type = "TOOL_CALL_RESULT"
	TextMessageStart      Type = "TEXT_MESSAGE_START"
	TextMessageContent    Type = "TEXT_MESSAGE_CONTENT"
	TextMessageEnd        Type = "TEXT_MESSAGE_END"
	StateSnapshot         Type = "STATE_SNAPSHOT"
	ActivitySnapshot      Type = "ACTIVITY_SNAPSHOT"
	Custom                Type = "CUSTOM"
)

// Codes of RUN_ERROR.
const (
	CodeFailed     = "turn_failed"
	CodeUnfinished = "turn_not_ended" // the end of the turn was not reported
)

// Event is one event; each type uses the fields it needs.
type Event struct {
	Type          Type           `json:"type"`
	Timestamp     int64          `json:"timestamp,omitzero"`
	ThreadID      string         `json:"threadId,omitzero"`
	RunID         string         `json:"runId,omitzero"`
	StepName      string         `json:"stepName,omitzero"`
	MessageID     string         `json:"messageId,omitzero"`
	ToolCallID    string         `json:"toolCallId,omitzero"`
	ToolCallName  string         `json:"toolCallName,omitzero"`
	Role          string         `json:"role,omitzero"`
	Name          string         `json:"name,omitzero"`
	Delta         string         `json:"delta,omitzero"`
	Content       jsontext.Value `json:"content,omitzero"`
	Snapshot      jsontext.Value `json:"snapshot,omitzero"`
	Value         jsontext.Value `json:"value,omitzero"`
	ActivityType  string         `json:"activityType,omitzero"`
	Message       string         `json:"message,omitzero"`
	Code          string         `json:"code,omitzero"`
	Usage         []TokenUsage   `json:"usage,omitzero"`
	SubagentRunID string         `json:"subagentRunId,omitzero"` // id of the turn, if the turn is a step of another run
	Metadata      *Metadata      `json:"metadata,omitzero"`
}

// Metadata contains the values that AG-UI has no field for.
type Metadata struct {
	AgentID   string   `json:"agent_id,omitzero"`
	Session   string   `json:"session,omitzero"`
	TaskID    string   `json:"task_id,omitzero"`
	Label     string   `json:"label,omitzero"`
	OK        *bool    `json:"ok,omitzero"` // set on a result
	CostUSD   *float64 `json:"cost_usd,omitzero"`
	Rehearsal bool     `json:"rehearsal,omitzero"`
}

// TokenUsage counts tokens as AG-UI does: InputTokens includes cached tokens.
type TokenUsage struct {
	Model                 string `json:"model,omitzero"`
	InputTokens           int64  `json:"inputTokens"`
	OutputTokens          int64  `json:"outputTokens"`
	CachedInputTokens     int64  `json:"cachedInputTokens,omitzero"`
	CacheWriteInputTokens int64  `json:"cacheWriteInputTokens,omitzero"`
}
