package translate

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

type block struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	URI      string `json:"uri"`
	Resource struct {
		URI  string `json:"uri"`
		Text string `json:"text"`
	} `json:"resource"`
}

// blockText returns the text of a content block: its text, the text or address of a resource, or
// "[image]" or "[audio]".
func blockText(v jsontext.Value) string {
	var b block
	if _, err := hud.Decode(v, &b); err != nil {
		return ""
	}
	switch b.Type {
	case "text":
		return b.Text
	case "resource_link":
		return b.URI
	case "resource":
		if b.Resource.Text != "" {
			return b.Resource.Text
		}
		return b.Resource.URI
	case "image", "audio":
		return "[" + b.Type + "]"
	}
	return ""
}

// content is one part of a tool call's content: a block, a diff or a terminal.
type content struct {
	Type     string         `json:"type"`
	Block    jsontext.Value `json:"content"`
	Path     string         `json:"path"`
	Old      *string        `json:"oldText"` // nil for a new file
	New      string         `json:"newText"`
	Terminal string         `json:"terminalId"`
}

// contents reads at most contracts.LimitACPContent parts of a tool call's content.
func contents(v jsontext.Value) []content {
	var list []jsontext.Value
	if _, err := hud.Decode(v, &list); err != nil {
		return nil
	}
	var parts []content
	for _, item := range list[:min(len(list), contracts.LimitACPContent)] {
		var c content
		if _, err := hud.Decode(item, &c); err == nil {
			parts = append(parts, c)
		}
	}
	return parts
}

// Terminal is the output of a command that the office ran for an agent.
type Terminal struct {
	Text string
	Exit *int // nil while the command is running, or if a signal ended it
}

// text returns the text of the content, and the exit code of the last terminal in it. terminals
// returns the output of a terminal.
func (c *Call) text(terminals func(id string) (Terminal, bool)) (text string, exit *int) {
	var parts []string
	for _, part := range c.content {
		switch part.Type {
		case "content":
			parts = append(parts, blockText(part.Block))
		case "terminal":
			if out, ok := terminals(part.Terminal); ok {
				parts, exit = append(parts, out.Text), out.Exit
			}
		}
	}
	return strings.TrimRight(strings.Join(parts, "\n"), "\n"), exit
}

func (c *Call) diffs() (list []content) {
	for _, part := range c.content {
		if part.Type == "diff" {
			list = append(list, part)
		}
	}
	return list
}
