package hud

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Label returns the line that viewers show for a canonical call. result is nil while the call is
// running.
func Label(call Call, result jsontext.Value, roots Roots) string {
	return labelled(call, areaOf(result), roots)
}

// labelled is Label for a result that covers area.
func labelled(call Call, area FileArea, roots Roots) string {
	return Line(label(call.Tool, argumentsOf(call.Args), area, roots), contracts.LimitPreview)
}

func label(tool string, args arguments, area FileArea, roots Roots) string {
	file := roots.View(args.text("path"))
	said := func(prefix string, names ...string) string {
		for _, name := range names {
			if s := args.text(name); s != "" {
				return prefix + s
			}
		}
		return tool
	}
	switch tool {
	case "read", "edit", "append":
		if file != "" {
			return icons[tool] + file + lines(args, area)
		}
	case "write":
		if file != "" {
			return icons[tool] + file + " (overwrite)"
		}
	case "exec":
		return said(icons[tool], "command")
	case "web_fetch":
		return said(icons[tool], "url")
	case "web_search":
		return said(icons[tool], "query")
	case toolSpawn:
		return spawned(args)
	case toolQuestion:
		return asks(args)
	}
	// Other tools have no label in the HUD protocol; use the most telling argument.
	return said(tool+" ", "action", "pattern", "query", "description", "path", "url", "name")
}

// icons maps tools named in the HUD protocol to the emoji at the start of their labels.
var icons = map[string]string{
	"read": "👁 ", "write": "✏️ ", "edit": "✏️ ", "append": "✏️ ", "exec": "⚡ ", "web_fetch": "🌐 ", "web_search": "🔍 ",
}

const (
	toolSpawn    = "sessions_spawn"  // starts a sub-agent
	toolQuestion = "AskUserQuestion" // asks the person at the terminal
)

// spawned returns the label of a call that starts a sub-agent: which agent it starts, and what for.
func spawned(args arguments) string {
	who := cmp.Or(args.text("agent"), args.text("agentId"), args.text("label"), "a sub-agent")
	what := cmp.Or(args.text("action"), args.text("task"), args.text("prompt"))
	if what == "" {
		return "Asks " + who + " for help"
	}
	return "Asks " + who + " to: " + uncapitalized(strings.TrimSpace(what))
}

// uncapitalized returns text with a lower-case first letter, for use inside another sentence; text
// that starts with an acronym stays as it is.
func uncapitalized(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if second, _ := utf8.DecodeRuneInString(text[size:]); unicode.IsUpper(first) && (unicode.IsLower(second) || second == ' ') {
		return string(unicode.ToLower(first)) + text[size:]
	}
	return text
}

func asks(args arguments) string {
	var list []struct {
		Question string `json:"question"`
	}
	if json.Unmarshal(args.value("questions"), &list, Lenient) != nil || len(list) == 0 {
		return "Asks you something"
	}
	label := "Asks you: " + list[0].Question
	if more := len(list) - 1; more > 0 {
		label = fmt.Sprintf("%s (and %d more)", Shorten(label, contracts.LimitPreview-len(" (and 99 more)")), more)
	}
	return label
}

// areaOf returns the area in a result, or the zero value if there is none.
func areaOf(result jsontext.Value) FileArea {
	var r struct {
		Area FileArea `json:"area"`
	}
	if !bytes.Contains(result, []byte(`"area"`)) || json.Unmarshal(result, &r) != nil {
		return FileArea{}
	}
	return r.Area
}

func lines(args arguments, area FileArea) string {
	if area.StartLine <= 0 { // use the requested lines
		area = Window(args.number("offset"), args.number("limit"))
	}
	if area.StartLine <= 0 {
		return ""
	}
	return ":L" + strconv.Itoa(area.StartLine) + "–L" + strconv.Itoa(area.EndLine)
}
