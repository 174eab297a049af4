package ui

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// Message is a notification.
type Message struct {
	Kind      contracts.UIKind `json:"kind"`
	Text      string           `json:"text"`
	Level     string           `json:"level"` // info, success, warning or error
	Title     string           `json:"title,omitzero"`
	Meta      jsontext.Value   `json:"meta,omitzero"`
	Truncated bool             `json:"truncated,omitzero"`
	Bytes     int              `json:"bytes,omitzero"`
}

// ItemKind returns UIMessage.
func (*Message) ItemKind() contracts.UIKind { return contracts.UIMessage }

var messageKeys = []string{"text", "value", "message", "status", "content"}

// levels translates the levels that programs send into those of Message; any other level becomes
// info.
var levels = map[string]string{
	"info":    "info",
	"success": "success", "ok": "success",
	"warning": "warning", "warn": "warning",
	"error": "error", "err": "error", "fatal": "error", "critical": "error",
}

func readMessage(v jsontext.Value) []Part {
	content, o, ok := contentOf(v, messageKeys)
	if !ok || contracts.Blank(content) {
		return ignored(v, "a message needs text")
	}
	t := bounded(strings.TrimSpace(content))
	m := &Message{Kind: contracts.UIMessage, Text: t.Text, Truncated: t.Truncated, Bytes: t.Bytes, Level: "info"}
	note := ""
	if s, ok := str(o["level"]); ok {
		if level, known := levels[strings.ToLower(strings.TrimSpace(s))]; known {
			m.Level = level
		} else {
			note = fmt.Sprintf("the level %q is unknown and is shown as info; use info, success, warning or error", contracts.Clip(contracts.CleanLine(s), contracts.LimitName))
		}
	}
	if s, ok := str(o["title"]); ok && !contracts.Blank(s) {
		m.Title = hud.Shorten(s, contracts.LimitPreview)
	}
	if meta := o["meta"]; meta.Kind() == '{' {
		m.Meta = boundValue(meta, contracts.LimitHUDInline)
	}
	return []Part{{Item: m, Note: note, Raw: v}}
}
