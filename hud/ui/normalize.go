package ui

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// Item is something that a host draws: a Status, Message, ToolCall, ToolResult, Progress or Ask.
// On the wire, it is the member `normalized` of contracts.UI.
type Item interface{ ItemKind() contracts.UIKind }

// Part is one element of an event: an item to draw, or the reason nothing is drawn.
type Part struct {
	Item    Item           // nil if the part was ignored
	Ignored string         // why the part was ignored; empty if there is an item
	Note    string         // how the item differs from what was sent; may be empty
	Raw     jsontext.Value // as received, of any size; Recorded prepares it for a record
}

// Normalize reads an event. An empty payload counts as null. It returns at least one part, and
// several if the payload is a list of tool calls or results.
func Normalize(name string, payload jsontext.Value) []Part {
	if len(payload) == 0 {
		payload = jsontext.Value("null")
	}
	read, why := readerOf(name)
	if why != "" {
		return ignored(payload, "%s", why)
	}
	if err := check(payload); err != nil {
		return ignored(payload, "the payload is not JSON: %v", err)
	}
	return read(payload)
}

// Items returns the items in parts or, if there are none, the reason the first part was ignored.
func Items(parts []Part) (items []Item, why string) {
	for _, p := range parts {
		if p.Item != nil {
			items = append(items, p.Item)
		} else if why == "" {
			why = p.Ignored
		}
	}
	if len(items) > 0 {
		why = ""
	}
	return items, why
}

func ignored(raw jsontext.Value, format string, args ...any) []Part {
	return []Part{{Ignored: hud.Shorten(fmt.Sprintf(format, args...), contracts.LimitNote), Raw: raw}}
}

func drawn(raw jsontext.Value, item Item) []Part { return []Part{{Item: item, Raw: raw}} }

// each reads every element of a list. A list that is empty or too long is ignored.
func each(list jsontext.Value, read func(jsontext.Value) Part) []Part {
	elements := elementsOf(list)
	if len(elements) == 0 {
		return ignored(list, "the list is empty")
	}
	if len(elements) > contracts.LimitEvents {
		return ignored(list, "the list has %d elements (limit %d); send it in parts", len(elements), contracts.LimitEvents)
	}
	parts := make([]Part, len(elements))
	for i, e := range elements {
		parts[i] = read(e)
		parts[i].Raw = e
	}
	return parts
}
