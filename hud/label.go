package hud

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Label is the line that a viewer shows for a canonical call. The result may be
// nil while the call runs.
func Label(call Call, result jsontext.Value, roots Roots) string {
	return Line(label(call.Tool, argumentsOf(call.Args), result, roots), contracts.LimitPreview)
}

func label(tool string, args arguments, result jsontext.Value, roots Roots) string {
	file := roots.View(args.text("path"))
	said := func(sign string, names ...string) string {
		for _, name := range names {
			if s := args.text(name); s != "" {
				return sign + s
			}
		}
		return tool
	}
	switch tool {
	case "read", "edit", "append":
		if file != "" {
			return signs[tool] + file + lines(args, result)
		}
	case "write":
		if file != "" {
			return signs[tool] + file + " (overwrite)"
		}
	case "exec":
		return said(signs[tool], "command")
	case "web_fetch":
		return said(signs[tool], "url")
	case "web_search":
		return said(signs[tool], "query")
	case toolSpawn:
		return spawned(args)
	case toolQuestion:
		return asks(args)
	}
	// Of a tool that the seed does not label, the argument that says most.
	return said(tool+" ", "action", "pattern", "query", "description", "path", "url", "name")
}

// signs stand before the labels of the tools that the seed names.
var signs = map[string]string{
	"read": "👁 ", "write": "✏️ ", "edit": "✏️ ", "append": "✏️ ", "exec": "⚡ ", "web_fetch": "🌐 ", "web_search": "🔍 ",
}

const (
	toolSpawn    = "sessions_spawn"  // hands work to a sub-agent
	toolQuestion = "AskUserQuestion" // asks the person at the terminal
)

// spawned says whom a sub-agent call asks for what.
func spawned(args arguments) string {
	who := cmp.Or(args.text("agent"), args.text("agentId"), args.text("label"), "a sub-agent")
	what := cmp.Or(args.text("action"), args.text("task"), args.text("prompt"))
	if what == "" {
		return "Asks " + who + " for help"
	}
	return "Asks " + who + " to: " + uncapitalized(strings.TrimSpace(what))
}

// uncapitalized is a sentence inside another; what begins with an acronym or a name
// in capitals stays as it is.
func uncapitalized(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if second, _ := utf8.DecodeRuneInString(text[size:]); unicode.IsUpper(first) && (unicode.IsLower(second) || second == ' ') {
		return string(unicode.ToLower(first)) + text[size:]
	}
	return text
}

// asks says what a call of AskUserQuestion asks.
func asks(args arguments) string {
	var list []struct {
		Question string `json:"question"`
	}
	if json.Unmarshal(args["questions"], &list, Lenient) != nil || len(list) == 0 {
		return "Asks you something"
	}
	label := "Asks you: " + list[0].Question
	if more := len(list) - 1; more > 0 {
		label = fmt.Sprintf("%s (and %d more)", Shorten(label, contracts.LimitPreview-len(" (and 99 more)")), more)
	}
	return label
}

func lines(args arguments, result jsontext.Value) string {
	var r struct {
		Area FileArea `json:"area"`
	}
	// A result of another shape leaves the area that was asked for.
	if !bytes.Contains(result, []byte(`"area"`)) || json.Unmarshal(result, &r) != nil || r.Area.StartLine <= 0 {
		r.Area = Window(args.number("offset"), args.number("limit"))
	}
	if r.Area.StartLine <= 0 {
		return ""
	}
	return fmt.Sprintf(":L%d–L%d", r.Area.StartLine, r.Area.EndLine)
}
