package translate

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/agents/guest"
	"github.com/bullpen-office/bullpen/hud"
)

// Item is a part of a turn. The app-server and rollout files spell types and members differently:
// the app-server sends commandExecution and exitCode; rollout files contain CommandExecution and
// exit_code.
type Item struct {
	Type string `json:"type"` // as the app-server spells it
	ID   string `json:"id"`
	Text string `json:"text"`

	Content jsontext.Value `json:"content"`
	Summary jsontext.Value `json:"summary"`

	Command jsontext.Value `json:"command"`
	Status  string         `json:"status"`
	Output  *string        `json:"aggregatedOutput"`
	Output2 *string        `json:"aggregated_output"`
	Exit    *int           `json:"exitCode"`
	Exit2   *int           `json:"exit_code"`

	Changes jsontext.Value `json:"changes"`

	Server    string         `json:"server"`
	Tool      string         `json:"tool"`
	Arguments jsontext.Value `json:"arguments"`
	Result    jsontext.Value `json:"result"`
	Error     jsontext.Value `json:"error"`

	Query  string         `json:"query"`
	Action jsontext.Value `json:"action"`

	Raw jsontext.Value `json:"-"`
}

// Types of items.
const (
	ItemUser      = "userMessage"
	ItemAgent     = "agentMessage"
	ItemReasoning = "reasoning"
	ItemPlan      = "plan"
	ItemCommand   = "commandExecution"
	ItemFiles     = "fileChange"
	ItemMCP       = "mcpToolCall"
	ItemSearch    = "webSearch"
	ItemHook      = "hookPrompt"
	ItemCompact   = "contextCompaction"
)

// ParseItem decodes an item. Members of an unexpected type are ignored; their names are in mismatched.
func ParseItem(v jsontext.Value) (it Item, mismatched []string, err error) {
	mismatched, err = hud.Decode(v, &it)
	if err != nil {
		return Item{}, nil, err
	}
	it.Raw = v
	it.ID, it.Type, it.Status = guest.Name(it.ID), lowerFirst(guest.Name(it.Type)), lowerFirst(camel(it.Status))
	it.Server, it.Tool = guest.Name(it.Server), guest.Name(it.Tool)
	it.Output, it.Exit = cmp.Or(it.Output, it.Output2), cmp.Or(it.Exit, it.Exit2)
	if slices.Contains(mismatched, "/exitCode") || slices.Contains(mismatched, "/exit_code") {
		it.Exit = nil
	}
	return it, mismatched, nil
}

func lowerFirst(s string) string {
	for i, r := range s {
		return string(unicode.ToLower(r)) + s[i+len(string(r)):]
	}
	return s
}

// camel turns in_progress into inProgress.
func camel(s string) string {
	parts := strings.Split(guest.Name(s), "_")
	for i, p := range parts[1:] {
		if p != "" {
			parts[i+1] = strings.ToUpper(p[:1]) + p[1:]
		}
	}
	return strings.Join(parts, "")
}

// IsCall reports whether the item is shown as a tool call. That is the case for known kinds of
// calls and for unknown types.
func (it *Item) IsCall() bool {
	return it.ID != "" && it.Type != "" && !slices.Contains([]string{ItemUser, ItemAgent, ItemReasoning, ItemPlan, ItemHook, ItemCompact}, it.Type)
}

// Call returns the item as a tool call, with the office's tool names. An item of an unknown type
// becomes a call to a tool named after the type.
func (it *Item) Call() hud.Call {
	switch it.Type {
	case ItemCommand:
		return hud.Call{Tool: "exec", Args: hud.Value(map[string]string{"command": Command(it.Command)})}
	case ItemFiles:
		list := it.files()
		if len(list) == 1 {
			return list[0].call()
		}
		return hud.Call{Tool: "apply_patch", Args: hud.Value(map[string]any{"changes": list})}
	case ItemMCP:
		return hud.Call{Tool: guest.Name("mcp__" + it.Server + "__" + it.Tool), Args: it.Arguments}
	case ItemSearch:
		return hud.Call{Tool: "web_search", Args: hud.Value(map[string]string{"query": it.query()})}
	}
	return hud.Call{Tool: it.Type, Args: nil}
}

func (it *Item) query() string {
	var action struct {
		Query string `json:"query"`
		URL   string `json:"url"`
	}
	_, _ = hud.Decode(it.Action, &action) // an action with another shape has no query
	return cmp.Or(it.Query, action.Query, action.URL)
}

// Outcome returns the result of the call.
func (it *Item) Outcome() hud.Result {
	call := it.Call()
	failure := it.failure()
	switch it.Type {
	case ItemCommand:
		return executed(call, text(it.Output), it.Exit, failure)
	case ItemFiles:
		if failure != "" {
			return hud.FailedCall(call, failure)
		}
		return it.changed(call)
	case ItemMCP:
		if failure == "" {
			failure = guest.Text(it.Error)
		}
		if failure != "" {
			return hud.FailedCall(call, failure)
		}
		return hud.ValueResult(call, it.Result, contentText(it.Result))
	case ItemSearch:
		return hud.TextResult(call, it.query())
	}
	if failure != "" {
		return hud.Failed(hud.Other(it.Raw), failure)
	}
	return hud.Other(it.Raw)
}

// failure returns the reason that the item failed, or "" if it did not fail.
func (it *Item) failure() string {
	switch it.Status {
	case "declined":
		return "permission denied"
	case "failed":
		var e struct {
			Message string `json:"message"`
		}
		_, _ = hud.Decode(it.Error, &e) // an error with another shape has no message
		return cmp.Or(e.Message, "the tool failed")
	}
	return ""
}

// executed returns the result of a command. An unknown exit code stays unknown.
func executed(call hud.Call, output string, exit *int, failure string) hud.Result {
	command := argument(call, "command")
	if exit == nil {
		r := hud.Exec(command, -1, output, "")
		if r.OK = true; failure != "" {
			return hud.Failed(r, failure)
		}
		return r
	}
	r := hud.Exec(command, *exit, output, "")
	if failure != "" && *exit == 0 {
		return hud.Failed(r, failure)
	}
	return r
}

func argument(c hud.Call, member string) string {
	var args map[string]jsontext.Value
	_ = json.Unmarshal(c.Args, &args, hud.Lenient) // arguments with another shape lack this member
	return guest.Text(args[member])
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Message returns the text of a message, a plan or a thought.
func (it *Item) Message() string {
	return cmp.Or(it.Text, contentText(it.Content), contentText(it.Summary))
}

// contentText returns the text of a message's content. It returns a string unchanged, joins the
// texts of a list, and uses the member "content" of an object.
func contentText(v jsontext.Value) string {
	switch v.Kind() {
	case '"':
		return guest.Text(v)
	case '{':
		var o struct {
			Content jsontext.Value `json:"content"`
		}
		_, _ = hud.Decode(v, &o) // an object with another shape has no content
		return contentText(o.Content)
	case '[':
		var blocks []jsontext.Value
		if json.Unmarshal(v, &blocks, hud.Lenient) != nil {
			return ""
		}
		var texts []string
		for _, b := range blocks {
			var block struct {
				Text string `json:"text"`
			}
			if b.Kind() == '"' {
				block.Text = guest.Text(b)
			} else if _, err := hud.Decode(b, &block); err != nil {
				continue
			}
			if block.Text != "" {
				texts = append(texts, block.Text)
			}
		}
		return strings.Join(texts, "\n")
	}
	return ""
}
