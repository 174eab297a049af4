package responses

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/bridge/completion"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
)

// Request is the decoded body of a request to POST /v1/responses.
type Request struct {
	completion.Request
	Instructions string
	Previous     string // id of the response that the request continues
	Store        bool   // a later request may continue the response
}

// ownMembers lists the members of a request that Read itself reads.
var ownMembers = []string{"model", "input", "instructions", "previous_response_id", "store", "stream", "stream_options", "user"}

// Read decodes a request body strictly and refuses anything that no agent supports. before returns
// the conversation up to and including an earlier response, or false if that response is not known.
func Read(body []byte, before func(id string) ([]drive.Message, bool)) (*Request, *completion.Error) {
	var w struct {
		Model        string         `json:"model"`
		Input        jsontext.Value `json:"input"`
		Instructions string         `json:"instructions"`
		Previous     string         `json:"previous_response_id"`
		Store        *bool          `json:"store"`
		Stream       bool           `json:"stream"`
		User         string         `json:"user"`
	}
	r := &Request{Request: completion.Request{Member: "input", Rules: Rules}}
	if bad := completion.Decode(body, "Responses", &w, &r.Parameters); bad != nil {
		return nil, bad
	}
	if _, bad := completion.CheckMembers("stream_options", r.Parameters["stream_options"], []string{"include_obfuscation"}, nil); bad != nil {
		return nil, bad
	}
	if bad := completion.Flatten(r.Parameters, "text", "reasoning"); bad != nil {
		return nil, bad
	}
	if format := r.Parameters["text.format"]; format != nil {
		r.Parameters["text.format"] = formatOf(format)
	}
	if bad := r.CheckParameters(ownMembers...); bad != nil {
		return nil, bad
	}
	r.Model, r.Stream, r.User, r.Instructions, r.Previous, r.Store = w.Model, w.Stream, w.User, w.Instructions, w.Previous, w.Store == nil || *w.Store
	if text := completion.Texts(w.Instructions); text != nil {
		r.Add("instructions", drive.Message{Role: completion.RoleSystem, Parts: text})
	}
	if bad := r.resume(before); bad != nil {
		return nil, bad
	}
	if bad := r.input(w.Input); bad != nil {
		return nil, bad
	}
	return r, r.CheckMessages()
}

// resume adds the conversation that the request continues.
func (r *Request) resume(before func(id string) ([]drive.Message, bool)) *completion.Error {
	if r.Previous == "" {
		return nil
	}
	list, known := before(r.Previous)
	if !known {
		return &completion.Error{Param: "previous_response_id", Code: "previous_response_not_found", Message: fmt.Sprintf(
			"Previous response with id %q not found. The office keeps up to %d recent responses until it restarts, except those with store: false. Send the whole conversation as input.",
			contracts.Clip(contracts.CleanLine(r.Previous), contracts.LimitName), contracts.LimitBridgeResponses)}
	}
	for _, m := range list {
		r.Add("previous_response_id", m)
	}
	return nil
}

// Conversation returns the conversation that a later request continues: all messages and this
// answer, but not the instructions, which apply to one response only.
func (r *Request) Conversation(answer string) []drive.Message {
	var list []drive.Message
	for i, m := range r.Messages {
		if r.Places[i] != "instructions" {
			list = append(list, m)
		}
	}
	return append(list, completion.Reply(answer))
}
