package translate

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/hud"
)

// Kind is the discriminator of a session update.
type Kind string

// The kinds of updates that the office uses; unused lists the others.
const (
	Message    Kind = "agent_message_chunk"
	Thought    Kind = "agent_thought_chunk"
	ToolCall   Kind = "tool_call"
	ToolUpdate Kind = "tool_call_update"
	Used       Kind = "usage_update"
	Notice     Kind = "notice"
)

// unused are the kinds that the protocol defines but the office does not use.
var unused = map[Kind]bool{
	"user_message_chunk": true, "plan": true, "available_commands_update": true, "config_option_update": true,
	"current_mode_update": true, "session_info_update": true, "compaction_update": true, "compaction_summary_chunk": true,
}

// Update is one session update. Only the members of its kind are set.
type Update struct {
	Kind    Kind
	Session string
	Raw     jsontext.Value // the update as it was sent

	Text      string // set for Message, Thought and Notice
	MessageID string // set for Message; empty if the agent sends none
	Call      CallUpdate
	Cost      *float64    // set for Used: cost of the session so far, in US dollars
	Tokens    *TokenCount // usage that some agents attach to a message
}

// Known reports whether the protocol defines the kind of the update.
func (u Update) Known() bool {
	switch u.Kind {
	case Message, Thought, ToolCall, ToolUpdate, Used, Notice:
		return true
	}
	return unused[u.Kind]
}

// ReadUpdate reads the parameters of a session/update notification. It returns false if they
// contain no update.
func ReadUpdate(params jsontext.Value) (Update, bool) {
	var in struct {
		Session string         `json:"sessionId"`
		Update  jsontext.Value `json:"update"`
	}
	var head struct {
		Kind Kind `json:"sessionUpdate"`
	}
	if _, err := hud.Decode(params, &in); err != nil {
		return Update{}, false
	}
	if _, err := hud.Decode(in.Update, &head); err != nil {
		return Update{}, false
	}
	u := Update{Kind: head.Kind, Session: in.Session, Raw: in.Update}
	switch u.Kind {
	case Message, Thought:
		u.chunk()
	case ToolCall, ToolUpdate:
		_, _ = hud.Decode(in.Update, &u.Call)
	case Used:
		u.cost()
	case Notice:
		var n struct {
			Title string `json:"title"`
		}
		_, _ = hud.Decode(in.Update, &n)
		u.Text = n.Title
	}
	return u, true
}

func (u *Update) chunk() {
	var c struct {
		Content   jsontext.Value `json:"content"`
		MessageID string         `json:"messageId"`
		Meta      struct {
			Usage *TokenCount `json:"usage"`
		} `json:"_meta"`
	}
	_, _ = hud.Decode(u.Raw, &c)
	u.Text, u.MessageID, u.Tokens = blockText(c.Content), c.MessageID, c.Meta.Usage
}

func (u *Update) cost() {
	var c struct {
		Cost *struct {
			Amount   *float64 `json:"amount"`
			Currency string   `json:"currency"`
		} `json:"cost"`
	}
	if mismatched, err := hud.Decode(u.Raw, &c); err != nil || len(mismatched) > 0 {
		return
	}
	if c.Cost != nil && c.Cost.Amount != nil && *c.Cost.Amount >= 0 && c.Cost.Currency == "USD" {
		u.Cost = c.Cost.Amount
	}
}
