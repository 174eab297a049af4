package hud

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// tools maps vendors' tool names to those of the HUD protocol. Names are compared in lower
// case without separators.
var tools = map[string]string{
	"read": "read", "readfile": "read", "view": "read", "viewfile": "read", "fsread": "read", "openfile": "read", "notebookread": "read",
	"write": "write", "writefile": "write", "createfile": "write", "fswrite": "write", "savefile": "write",
	"edit": "edit", "multiedit": "edit", "notebookedit": "edit", "editfile": "edit", "strreplace": "edit", "searchreplace": "edit", "replaceinfile": "edit",
	"append": "append", "appendfile": "append", "appendtofile": "append",
	"exec": "exec", "bash": "exec", "shell": "exec", "runcommand": "exec", "execcommand": "exec", "executecommand": "exec", "shellcommand": "exec",
	"runshellcommand": "exec", "runterminalcmd": "exec", "runinterminal": "exec", "localshell": "exec", "powershell": "exec", "terminal": "exec",
	"webfetch": "web_fetch", "fetch": "web_fetch", "fetchurl": "web_fetch", "urlfetch": "web_fetch", "readurl": "web_fetch", "fetchwebpage": "web_fetch",
	"websearch": "web_search", "searchweb": "web_search", "googlewebsearch": "web_search", "googlesearch": "web_search",
}

// editors are tools that perform different operations, depending on their "command" argument.
var editors = map[string]bool{"strreplacebasededittool": true, "strreplaceeditor": true}

var editorCommands = map[string]string{"view": "read", "create": "write", "str_replace": "edit", "insert": "edit", "undo_edit": "edit"}

// aliases maps vendors' argument names to those of the HUD protocol, grouped by the shape of the
// tool's results. The protocol's own name takes precedence.
var aliases = map[string][]struct{ name, canonical string }{
	"read": {
		{"file_path", "path"}, {"filePath", "path"}, {"filepath", "path"}, {"absolute_path", "path"}, {"target_file", "path"},
		{"notebook_path", "path"}, {"filename", "path"}, {"file", "path"},
		{"start_line", "offset"}, {"startLine", "offset"}, {"num_lines", "limit"}, {"max_lines", "limit"},
		{"contents", "content"}, {"text", "content"}, {"file_text", "content"},
	},
	"exec": {{"cmd", "command"}, {"script", "command"}, {"commandLine", "command"}, {"command_line", "command"}, {"CommandLine", "command"}},
	"web":  {{"uri", "url"}, {"link", "url"}, {"q", "query"}, {"search_term", "query"}, {"searchTerm", "query"}},
}

// Canonical returns a call with its tool and arguments renamed as in the HUD protocol. Tools and
// arguments that the protocol does not name, and calls that are already canonical, stay as they
// are.
func Canonical(call Call) Call {
	name := strings.Map(withoutSeparators, strings.ToLower(call.Tool))
	args := unquoted(call.Args)
	tool, known := tools[name]
	if editors[name] {
		tool, known = editorCommands[argumentsOf(args).text("command")]
	}
	if known {
		call.Tool = tool
	}
	call.Args = canonicalArgs(call.Tool, args)
	return call
}

// CanonicalTool returns the HUD protocol's name for a tool, or name if the protocol has none.
func CanonicalTool(name string) string { return Canonical(Call{Tool: name}).Tool }

func withoutSeparators(r rune) rune {
	if r == '_' || r == '-' || r == ' ' || r == '.' {
		return -1
	}
	return r
}

// shapeOf returns the shape of a canonical tool's results.
func shapeOf(tool string) string {
	switch tool {
	case "read", "exec", "edit":
		return tool
	case "write", "append":
		return "write"
	case "web_search", "web_fetch":
		return "web"
	case "browser", "canvas", "nodes", "message":
		return "action"
	}
	if strings.HasPrefix(tool, "sessions_") {
		return "action"
	}
	return "other"
}

func canonicalArgs(tool string, args jsontext.Value) jsontext.Value {
	shape := shapeOf(tool)
	names := aliases[shape]
	if shape == "write" || shape == "edit" {
		names = aliases["read"]
	}
	list, ok := membersOf(args)
	if !ok || names == nil {
		return args
	}
	changed := false
	for _, alias := range names {
		if list.find(alias.canonical) < 0 {
			if i := list.find(alias.name); i >= 0 {
				list[i].name, changed = alias.canonical, true
			}
		}
	}
	if i := list.find("command"); shape == "exec" && i >= 0 && list[i].value.Kind() == '[' {
		list[i].value, changed = Value(commandLine(list[i].value)), true
	}
	if (shape == "write" || shape == "edit") && list.find("operation") < 0 {
		list, changed = append(list, member{"operation", Value(tool)}), true
	}
	if !changed {
		return args
	}
	return list.encode()
}

// shells are programs that run the script after -c.
var shells = map[string]bool{
	"sh": true, "bash": true, "dash": true, "zsh": true, "/bin/sh": true, "/bin/bash": true, "/bin/dash": true, "/bin/zsh": true, "/usr/bin/sh": true, "/usr/bin/bash": true, "/usr/bin/zsh": true,
}

// scriptOptions are the shell options that are followed by a script. Other options that end in c,
// such as --norc, are followed by a file.
var scriptOptions = []string{"-c", "-lc", "-ic", "-lic"}

// commandLine joins a list of arguments into the line that a person would type. For a shell with
// -c, it returns only the script.
func commandLine(v jsontext.Value) string {
	var words []string
	if json.Unmarshal(v, &words, jsontext.AllowInvalidUTF8(true)) != nil {
		return string(v)
	}
	if len(words) == 3 && shells[words[0]] && slices.Contains(scriptOptions, words[1]) {
		return words[2]
	}
	for i, w := range words {
		if w == "" || strings.ContainsAny(w, " \t\n\"'\\$`|&;<>(){}*?#") {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// unquoted decodes arguments that are JSON text in a string, which is how some model APIs send
// them.
func unquoted(args jsontext.Value) jsontext.Value {
	if args.Kind() != '"' {
		return args
	}
	var text string
	if json.Unmarshal(args, &text, jsontext.AllowInvalidUTF8(true)) != nil {
		return args
	}
	if inner := jsontext.Value(strings.TrimSpace(text)); inner.Kind() == '{' && inner.IsValid(jsontext.AllowInvalidUTF8(true)) {
		return inner
	}
	return args
}

// arguments are the arguments of a call. A member of an unexpected type counts as absent.
type arguments struct{ members }

func argumentsOf(v jsontext.Value) arguments {
	list, _ := readMembers(v, jsontext.AllowInvalidUTF8(true))
	return arguments{list}
}

func (a arguments) value(name string) jsontext.Value {
	if i := a.find(name); i >= 0 {
		return a.members[i].value
	}
	return nil
}

func (a arguments) text(name string) string {
	text, _ := Text(a.value(name))
	return text
}

// number returns an integer argument, with or without quotes, or 0 for anything else.
func (a arguments) number(name string) int {
	digits := strings.Trim(string(a.value(name)), `"`)
	n, err := strconv.ParseInt(digits, 10, 32)
	if err != nil {
		return 0
	}
	return int(n)
}
