package peers

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

// frame is any message on the bridge socket (see docs/PROTOCOL.md). A reply's message_id and the
// cancel, permission and error frames are the office's additions; peers may ignore them.
type frame struct {
	Type string `json:"type"`

	OpenclawSession string `json:"openclaw_session,omitzero"` // hello
	ClaudeSession   string `json:"claude_session,omitzero"`
	PID             int    `json:"pid,omitzero"`

	Content   *string `json:"content,omitzero"` // inbound, reply
	Final     *bool   `json:"final,omitzero"`   // only in a reply; absent means true
	MessageID string  `json:"message_id,omitzero"`
	Meta      *meta   `json:"meta,omitzero"` // inbound

	RequestID   string `json:"request_id,omitzero"` // permission_request, permission
	Tool        string `json:"tool_name,omitzero"`  // permission_request
	Description string `json:"description,omitzero"`
	Preview     string `json:"input_preview,omitzero"`
	Behavior    string `json:"behavior,omitzero"` // permission: allow or deny

	Code    contracts.ErrorCode `json:"code,omitzero"` // error
	Message string              `json:"message,omitzero"`
}

// meta accompanies an inbound message. All values are strings.
type meta struct {
	ChatID    string `json:"chat_id"`
	MessageID string `json:"message_id"`
	TS        string `json:"ts"`
}

func (f *frame) encode() []byte {
	b, err := json.Marshal(f)
	if err != nil { // only if text is invalid UTF-8; the office's text is always valid
		return []byte(`{"type":"error","code":"INTERNAL","message":"the frame could not be encoded"}`)
	}
	return b
}

func decodeFrame(b []byte) (frame, *contracts.Refusal) {
	var f frame
	if err := json.Unmarshal(b, &f, jsontext.AllowDuplicateNames(false)); err != nil {
		member, why := contracts.ExplainJSONError(err)
		return f, contracts.RefuseField(member, "invalid bridge frame: %s", why)
	}
	return f, nil
}

func refusalFrame(refusal *contracts.Refusal) *frame {
	return &frame{Type: "error", Code: refusal.Code, Message: refusal.Message}
}
