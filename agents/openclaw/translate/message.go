package translate

import (
	"cmp"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/go-json-experiment/json/jsontext"
)

// message is an entry in a transcript.
type message struct {
	Role         string         `json:"role"` // user, assistant, toolResult, custom, system
	Content      blocks         `json:"content"`
	Timestamp    float64        `json:"timestamp"`
	Model        string         `json:"model"`
	Provider     string         `json:"provider"`
	StopReason   string         `json:"stopReason"`
	ErrorMessage jsontext.Value `json:"errorMessage"`
	ToolCallID   string         `json:"toolCallId"`
	ToolName     string         `json:"toolName"`
	IsError      bool           `json:"isError"`
	Details      details        `json:"details"`
	Usage        *usage         `json:"usage"`
	Meta         struct {
		ID         string  `json:"id"`
		RunID      string  `json:"runId"`
		Kind       string  `json:"kind"`
		RecordedAt float64 `json:"recordTimestampMs"`
	} `json:"__openclaw"`
}

type usage struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
	Cost       *struct {
		Total float64 `json:"total"`
	} `json:"cost"`
}

// readMessage handles the event that reports a new message in a session.
func (r *Reader) readMessage(payload jsontext.Value) error {
	var e struct {
		SessionKey string  `json:"sessionKey"`
		AgentID    string  `json:"agentId"`
		MessageID  string  `json:"messageId"`
		SpawnedBy  string  `json:"spawnedBy"`
		Message    message `json:"message"`
	}
	if err := Decode(payload, &e); err != nil {
		return err
	}
	s := r.open(e.SessionKey, e.AgentID, e.SpawnedBy)
	if s == nil {
		return errNoSession
	}
	e.Message.Meta.ID = cmp.Or(e.Message.Meta.ID, e.MessageID)
	switch e.Message.Role {
	case "user":
		r.received(s, &e.Message, mark{})
	case "assistant":
		r.reportUsage(s, &e.Message)
	}
	return nil
}

// received records a message that the agent received.
func (r *Reader) received(s *session, msg *message, m mark) {
	text := taskText(msg.Content.text())
	s.lastMessage = hud.Line(text, contracts.LimitPreview)
	if msg.Meta.ID == "" {
		return
	}
	r.joinAgent(s)
	r.addHUD(m.on(hud.ReceivedMessage(r.source(s), r.uuid(s, contracts.HUDReceived, msg.Meta.ID), text)), nil)
}

// taskText returns a message without the text that the gateway adds to a sub-agent's task.
func taskText(text string) string {
	if _, task, ok := strings.Cut(text, "[Subagent Task]\n"); ok {
		text, _, _ = strings.Cut(task, "\n\nBegin. ")
	}
	return strings.TrimSpace(text)
}

// reportUsage reports the usage of a model's message. A gateway that has no price for the model
// reports a cost of zero, so zero means unknown, not free.
func (r *Reader) reportUsage(s *session, msg *message) {
	u := msg.Usage
	if u == nil || msg.Meta.ID == "" {
		return
	}
	report := contracts.Usage{
		TokensIn: tokens(u.Input), TokensOut: tokens(u.Output), CacheRead: tokens(u.CacheRead), CacheWrite: tokens(u.CacheWrite),
	}
	if report == (contracts.Usage{}) {
		return
	}
	report.Model = msg.Model
	if msg.Provider != "" && msg.Model != "" {
		report.Model = msg.Provider + "/" + msg.Model
	}
	report.Model = hud.Shorten(report.Model, contracts.LimitName)
	report.At = int64(max(msg.Timestamp, 0))
	if u.Cost != nil && u.Cost.Total > 0 {
		report.CostUSD = &u.Cost.Total
	} else if r.gateway.Price != nil {
		if cost, ok := r.gateway.Price(report, 0); ok {
			report.CostUSD, report.Listed = &cost, true
		}
	}
	r.joinAgent(s)
	seen := contracts.UsageSeen{
		Key:     contracts.DerivedUUID(r.gateway.session(""), s.key, "usage", msg.Meta.ID),
		AgentID: s.guestID, TurnID: turnID(msg.Meta.RunID), Usage: report,
	}
	r.found = append(r.found, Finding{AgentID: s.guestID, Fact: seen})
}

// turnID returns the turn id that facts use for run.
func turnID(run string) string {
	return hud.TurnStart(hud.Source{}, "", hud.Span{Correlation: run}, "").CorrelationID
}

// tokens converts a JavaScript number to a token count. It returns 0 if n is out of range.
func tokens(n float64) int64 {
	const most = 1 << 53
	if !(n > 0) || n > most {
		return 0
	}
	return int64(n)
}
