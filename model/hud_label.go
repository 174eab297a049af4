package model

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

// FactWords returns the label of a single activity fact, as in the activity tree.
func FactWords(h *contracts.HUD) string { return label(h, h.Args) }

// label returns a fact's label: the label that the sender set or, if there is none, one made from
// the tool and its arguments.
func label(h *contracts.HUD, args jsontext.Value) string {
	switch {
	case h.Label != "":
		return h.Label
	case h.Tool != "":
		return toolLabel(h.Tool, members(args), members(h.Result))
	case strings.HasPrefix(string(h.Event), "think"):
		return contracts.SayThinking
	case strings.HasPrefix(string(h.Event), "turn"):
		return contracts.SayTurn
	case h.Event == contracts.HUDReceived && h.Subtype != "":
		return strings.ReplaceAll(h.Subtype, "_", " ")
	case h.Event == contracts.HUDReceived:
		return contracts.SayReceived
	}
	return strings.ReplaceAll(string(h.Event), "_", " ")
}

func toolLabel(tool string, args, result map[string]any) string {
	sign := contracts.ToolSigns[tool]
	path := text(args["path"])
	if path != "" && tool == "write" {
		return fmt.Sprintf(contracts.SayOverwrite, sign+" "+path)
	}
	if path != "" && sign != "" {
		return sign + " " + path + lineRange(args, result)
	}
	for _, name := range []string{"command", "url", "query"} {
		if said := text(args[name]); said != "" && sign != "" {
			return sign + " " + said
		}
	}
	if action := text(args["action"]); action != "" {
		return tool + " " + action
	}
	return tool
}

func lineRange(args, result map[string]any) string {
	area, _ := result["area"].(map[string]any)
	first, given := number(area["startLine"])
	if !given {
		first, _ = number(args["offset"])
	}
	last, given := number(area["endLine"])
	if !given {
		limit, _ := number(args["limit"])
		last = first + limit
	}
	if first <= 0 {
		return ""
	}
	return fmt.Sprintf(":L%d–L%d", int64(first), int64(last))
}

// members decodes a JSON object. It returns nil for any other value.
func members(v jsontext.Value) map[string]any {
	var m map[string]any
	if v == nil || json.Unmarshal(v, &m) != nil {
		return nil
	}
	return m
}

func text(v any) string { s, _ := v.(string); return s }

func number(v any) (float64, bool) {
	n, ok := v.(float64)
	return n, ok && !math.IsInf(n, 0) && !math.IsNaN(n)
}

// Unsigned removes the symbol at the start of a label, because clients draw their own.
func Unsigned(label string) string {
	r, size := utf8.DecodeRuneInString(label)
	if r < '\u2190' || !unicode.Is(unicode.So, r) {
		return label
	}
	return strings.TrimLeft(strings.TrimPrefix(label[size:], "\uFE0F"), " ")
}
