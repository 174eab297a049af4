package policy

import (
	"cmp"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Request is a tool call that needs permission.
type Request struct {
	Tool string         // canonical name
	Args jsontext.Value // with canonical names

	AgentID string
	Repo    string // the agent's repository, as in its profile
	Dir     string // absolute path of the directory that relative paths are resolved against; empty if unknown
	Home    string // the agent's home directory; empty if unknown

	AskReason string // why no rule may allow the call, for example because the repository's rules are unreadable; empty if rules may allow it
	DenyOnly  bool   // the request has no option to allow the call once, for example because the call cannot be shown completely
}

// call is a request, parsed as far as possible.
type call struct {
	Request
	line line   // the shell line of an exec call
	all  line   // the shell lines in all arguments, including nested lines
	file string // path of the file that the call reads or changes, as in the arguments
	host string // host of a web_fetch call

	mentioned []string // text that may name files or hosts; only restricting rules use it
	unclear   string   // why no rule can allow the call; "" if rules can allow it
}

// members lists, by tool, the arguments that are understood. A call to one of these tools with
// another argument is unclear, because the argument may change what the call does.
var members = map[string]string{
	"exec":      " command description timeout timeout_ms run_in_background ",
	"read":      " path offset limit pages ",
	"write":     " path content operation ",
	"append":    " path content operation ",
	"edit":      " path operation old_string new_string replace_all edits new_source cell_id cell_type edit_mode ",
	"web_fetch": " url prompt ",
}

func read(q Request) *call {
	c := &call{Request: q, unclear: q.AskReason}
	known, understood := members[q.Tool]
	var args map[string]jsontext.Value
	if json.Unmarshal(q.Args, &args) != nil {
		c.markUnclear("the arguments cannot be read")
		return c
	}
	c.readArguments(args)
	if !understood {
		return c
	}
	for name := range args {
		if !strings.Contains(known, " "+name+" ") {
			c.markUnclear("the call has an unknown argument: " + contracts.Clip(contracts.CleanLine(name), contracts.LimitName))
		}
	}
	switch q.Tool {
	case "exec":
		c.line = parseLine(c.text(args, "command"))
		c.markUnclear(c.line.unclear)
	case "web_fetch":
		c.readURL(c.text(args, "url"))
	default:
		c.file = c.text(args, "path")
		c.markUnclear(c.unclearPath(c.file))
		if c.severalFiles(args["edits"]) {
			c.markUnclear("the call changes several files")
		}
	}
	return c
}

// bodies lists the arguments with text that a tool reads or writes. Files and hosts that occur in
// such text do not count.
const bodies = " content description prompt old_string new_string new_source "

// lines lists the arguments that may be shell command lines. Connected agents send input_preview,
// which is a preview of all arguments.
const lines = " command cmd script input_preview "

// readArguments collects the files, hosts and commands in the arguments, for restricting rules.
func (c *call) readArguments(args map[string]jsontext.Value) {
	for _, name := range slices.Sorted(maps.Keys(args)) {
		c.readValue(name, args[name], contracts.LimitRuleDepth)
	}
}

// readValue collects the files, hosts and commands in one argument. Each value in a list is read
// under the list's name.
func (c *call) readValue(name string, v jsontext.Value, depth int) {
	if depth == 0 {
		c.markUnclear("the arguments are nested too deeply")
		return
	}
	switch v.Kind() {
	case '"':
		var text string
		if json.Unmarshal(v, &text) == nil && !strings.Contains(bodies, " "+name+" ") {
			c.readText(name, text)
		}
	case '[':
		var list []jsontext.Value
		if json.Unmarshal(v, &list) == nil {
			for _, item := range list {
				c.readValue(name, item, depth-1)
			}
		}
	case '{':
		var inner map[string]jsontext.Value
		if json.Unmarshal(v, &inner) != nil {
			c.markUnclear("the arguments cannot be read")
		}
		for _, name := range slices.Sorted(maps.Keys(inner)) {
			c.readValue(name, inner[name], depth-1)
		}
	}
}

func (c *call) readText(name, text string) {
	c.mentioned = append(c.mentioned, text)
	if strings.Contains(lines, " "+name+" ") {
		l := parseLine(text).nested(contracts.LimitShellDepth)
		c.all.pipelines = append(c.all.pipelines, l.pipelines...)
		c.mentioned = append(c.mentioned, l.mentions()...)
	}
}

// severalFiles reports whether a list of edits may change a file other than the one that the call
// names.
func (c *call) severalFiles(edits jsontext.Value) bool {
	type edit struct {
		Path string `json:"path"`
	}
	var list []edit
	if edits == nil {
		return false
	}
	return json.Unmarshal(edits, &list) != nil || slices.ContainsFunc(list, func(e edit) bool { return e.Path != "" && e.Path != c.file })
}

// markUnclear records why the call is unclear. The first reason is kept; an empty reason has no
// effect.
func (c *call) markUnclear(why string) {
	if c.unclear == "" {
		c.unclear = why
	}
}

func (c *call) text(args map[string]jsontext.Value, name string) (text string) {
	if json.Unmarshal(args[name], &text) != nil || text == "" {
		c.markUnclear("the argument \"" + name + "\" is missing or is not a string")
	}
	return text
}

// plainURL matches URLs in which every program recognizes the same host.
var plainURL = regexp.MustCompile(`^(?i:https?)://([A-Za-z0-9.-]+)(:[0-9]+)?([/?#][!-~]*)?$`)

func (c *call) readURL(text string) {
	found := plainURL.FindStringSubmatch(text)
	if found == nil || strings.Contains(text, `\`) {
		c.markUnclear("the address is not a plain http or https URL")
		return
	}
	c.host = strings.ToLower(strings.TrimSuffix(found[1], "."))
}

// unclearPath returns the reason if it is unclear which file a path refers to, and "" otherwise.
func (c *call) unclearPath(p string) string {
	switch {
	case strings.ContainsAny(p, "$`*?[]{}\\\x00\n\r"):
		return "the path contains special characters"
	case p == ".." || strings.HasPrefix(p, "../") || strings.Contains(p, "/../") || strings.HasSuffix(p, "/.."):
		return "the path contains .."
	case strings.HasPrefix(p, "~") && (!strings.HasPrefix(p, "~/") || c.Home == ""):
		return "the home directory in the path is unknown"
	case !path.IsAbs(p) && !strings.HasPrefix(p, "~/") && !path.IsAbs(c.Dir):
		return "the base directory of the relative path is unknown"
	}
	return ""
}

// absolute returns a path as a cleaned absolute path. A path with an unknown base directory is
// placed under /, so that patterns that begin with ** still match it.
func (c *call) absolute(p string) string {
	if rest, ok := strings.CutPrefix(p, "~/"); ok {
		return path.Join("/", cmp.Or(c.Home, "~"), rest)
	}
	if path.IsAbs(p) {
		return path.Clean(p)
	}
	return path.Join("/", c.Dir, p)
}
