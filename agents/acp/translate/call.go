package translate

import (
	"cmp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// CallUpdate is the part of a tool call that one message describes. Absent members change nothing.
type CallUpdate struct {
	ID        string         `json:"toolCallId"`
	Name      string         `json:"name"`
	Title     string         `json:"title"`
	Kind      string         `json:"kind"`
	Status    string         `json:"status"`
	Content   jsontext.Value `json:"content"`
	Locations jsontext.Value `json:"locations"`
	Input     jsontext.Value `json:"rawInput"`
	Output    jsontext.Value `json:"rawOutput"`
}

// Call is a tool call, with everything that its messages have reported so far.
type Call struct {
	name, title, kind, status string
	path                      string // the first location
	places                    []string
	content                   []content
	input, output             jsontext.Value
}

// Merge updates the call with a message about it.
func (c *Call) Merge(u CallUpdate) {
	c.name, c.title = cmp.Or(u.Name, c.name), cmp.Or(u.Title, c.title)
	c.kind, c.status = cmp.Or(u.Kind, c.kind), cmp.Or(u.Status, c.status)
	if u.Content.Kind() == '[' {
		c.content = contents(u.Content)
	}
	var places []struct {
		Path string `json:"path"`
	}
	if _, err := hud.Decode(u.Locations, &places); err == nil && len(places) > 0 {
		c.path, c.places = cmp.Or(places[0].Path, c.path), nil
		for _, p := range places[:min(len(places), contracts.LimitOptions)] {
			c.places = append(c.places, p.Path)
		}
	}
	if len(members(u.Input)) > 0 || u.Input.Kind() == '"' {
		c.input = u.Input.Clone()
	}
	if k := u.Output.Kind(); k != 0 && k != 'n' {
		c.output = u.Output.Clone()
	}
}

// Over reports whether the call has completed or failed.
func (c *Call) Over() bool { return c.status == "completed" || c.status == "failed" }

// Ready reports whether enough is known to show the call. A call that is running or has ended is
// ready. A pending call is ready once its main arguments are known.
func (c *Call) Ready() bool {
	if c.status != "" && c.status != "pending" {
		return true
	}
	args := members(hud.Canonical(hud.Call{Tool: c.tool(), Args: c.input}).Args)
	switch c.tool() {
	case "exec":
		return args["command"] != nil
	case "read", "edit", "write":
		return args["path"] != nil
	}
	return len(args) > 0
}

// kinds maps the protocol's tool kinds to the office's tools.
var kinds = map[string]string{"read": "read", "edit": "edit", "execute": "exec", "fetch": "web_fetch", "search": "search", "delete": "delete", "move": "move", "think": "think", "switch_mode": "switch_mode"}

// tool returns the office's name for the tool. A call with a command and no path counts as "exec",
// whatever kind the agent declares.
func (c *Call) tool() string {
	args := members(c.input)
	if _, command := args["command"]; command && c.kind != "execute" && args["path"] == nil {
		return "exec"
	}
	tool := kinds[c.kind]
	switch {
	case tool == "edit" && (c.creates() || hud.CanonicalTool(c.name) == "write"):
		return "write"
	case tool != "":
		return tool
	case c.name != "":
		return hud.CanonicalTool(c.name)
	case c.title != "" && !strings.ContainsAny(c.title, " \t\n"):
		return c.title
	}
	return "tool"
}

// creates reports whether the call's only change is a new file.
func (c *Call) creates() bool {
	list := c.diffs()
	return len(list) == 1 && list[0].Old == nil
}

// OfficeCall returns the call, with the names that the office uses for the tool and its arguments.
// Arguments that the agent does not send are taken from the call's title, location or diff.
func (c *Call) OfficeCall() hud.Call {
	call := hud.Canonical(hud.Call{Tool: c.tool(), Args: c.input})
	args := members(call.Args)
	if args == nil {
		args = map[string]jsontext.Value{}
		if c.input.Kind() == '"' {
			args["input"] = c.input
		}
	}
	fill := func(name, text string) {
		if args[name] == nil && text != "" {
			args[name] = hud.Value(contracts.CleanText(text))
		}
	}
	switch call.Tool {
	case "exec":
		fill("command", strings.Trim(c.title, "`"))
	case "read", "delete":
		fill("path", c.path)
	case "edit", "write":
		c.fillChange(call.Tool, args, fill)
	case "web_fetch":
		if strings.HasPrefix(c.title, "http://") || strings.HasPrefix(c.title, "https://") {
			fill("url", c.title)
		}
	}
	if len(args) == 0 || args["input"] != nil {
		fill("title", c.title)
	}
	call.Args = hud.Value(args)
	return call
}

// fillChange adds the path and the texts of a change if the arguments lack them.
func (c *Call) fillChange(tool string, args map[string]jsontext.Value, fill func(name, text string)) {
	list := c.diffs()
	if len(list) == 0 {
		fill("path", c.path)
		return
	}
	fill("path", list[0].Path)
	for name := range args {
		if name != "path" && name != "operation" { // the arguments already describe the change
			return
		}
	}
	switch {
	case len(list) > 1:
		args["edits"] = edits(list)
	case tool == "write":
		fill("content", list[0].New)
	default:
		if list[0].Old != nil {
			fill("old_string", *list[0].Old)
		}
		args["new_string"] = hud.Value(contracts.CleanText(list[0].New))
	}
}

// edits returns several diffs as one argument.
func edits(list []content) jsontext.Value {
	type edit struct {
		Path string  `json:"path"`
		Old  *string `json:"old_string"`
		New  string  `json:"new_string"`
	}
	var all []edit
	for _, d := range list {
		all = append(all, edit{d.Path, d.Old, d.New})
	}
	return hud.Value(all)
}

// members returns the members of an object, or nil for anything else.
func members(v jsontext.Value) map[string]jsontext.Value {
	var m map[string]jsontext.Value
	if v.Kind() != '{' || json.Unmarshal(v, &m, hud.Lenient) != nil {
		return nil
	}
	return m
}
