package messages

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/bridge/completion"
	"github.com/bullpen-office/bullpen/drive"
)

// formats lists the parameters that set the format of the answer.
var formats = []string{"output_config.format", "output_format"}

// Read decodes a request body strictly and refuses anything that no agent supports.
func Read(body []byte) (*completion.Request, *completion.Error) {
	var w struct {
		Model    string           `json:"model"`
		Messages []jsontext.Value `json:"messages"`
		System   jsontext.Value   `json:"system"`
		Stream   bool             `json:"stream"`
	}
	r := &completion.Request{Member: "messages", Rules: Rules}
	if bad := completion.Decode(body, "Messages", &w, &r.Parameters); bad != nil {
		return nil, bad
	}
	if bad := completion.Flatten(r.Parameters, "output_config"); bad != nil {
		return nil, bad
	}
	for _, name := range formats {
		if format := r.Parameters[name]; format != nil {
			r.Parameters[name] = formatOf(format)
		}
	}
	if bad := r.CheckParameters("model", "messages", "system", "stream"); bad != nil {
		return nil, bad
	}
	r.Model, r.Stream = w.Model, w.Stream
	if bad := add(r, "system", completion.RoleSystem, w.System); bad != nil {
		return nil, bad
	}
	for i, raw := range w.Messages {
		if bad := read(r, fmt.Sprintf("messages.%d", i), raw); bad != nil {
			return nil, bad
		}
	}
	r.Shown = shown(r.Messages)
	return r, r.CheckMessages()
}

// read decodes one message and adds it to r.
func read(r *completion.Request, at string, raw jsontext.Value) *completion.Error {
	var m struct {
		Role    string         `json:"role"`
		Content jsontext.Value `json:"content"`
	}
	if bad := completion.Unmarshal(at, raw, &m); bad != nil {
		return bad
	}
	if _, bad := completion.CheckMembers(at, raw, []string{"role", "content"}, nil); bad != nil {
		return bad
	}
	if bad := completion.CheckRole(at, m.Role, completion.RoleUser, completion.RoleAssistant, completion.RoleSystem); bad != nil {
		return bad
	}
	return add(r, at, m.Role, m.Content)
}

// reminder is the start of text that Claude Code adds to a person's message.
const reminder = "<system-reminder>"

// shown returns the newest user message as people see it: its text without the reminders that
// Claude Code adds for the agent. The result is empty if the message contains only reminders.
func shown(list []drive.Message) string {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Role != completion.RoleUser {
			continue
		}
		var said []string
		for _, p := range list[i].Parts {
			if p.Image == nil && !strings.HasPrefix(p.Text, reminder) {
				said = append(said, p.Text)
			}
		}
		return strings.Join(said, "\n")
	}
	return ""
}
