package ui

import (
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// Encode is an item as the wire has it. What a run says that another run started
// is marked so (F8).
func Encode(item Item, subrun bool) jsontext.Value {
	b, err := json.Marshal(item)
	if err != nil { // items hold only clean text and checked values
		b = jsontext.Value(`{}`)
	}
	if subrun {
		b = append(b[:len(b)-1], `,"subrun":true}`...)
	}
	return b
}

// recordedRaw is hud.Clean(Kept(v, LimitUIRaw)). What Kept keeps as it is, is cleaned
// once; only bytes that are no UTF-8 can make it longer.
func recordedRaw(v jsontext.Value) jsontext.Value {
	if len(v) > 0 && len(v) <= contracts.LimitUIRaw && utf8.Valid(v) {
		if clean, ok := hud.CleanWithin(v, contracts.LimitDepth); ok {
			return clean
		}
	}
	return hud.Clean(Kept(v, contracts.LimitUIRaw))
}

// Recorded is a part as a record keeps it: bounded, and without credentials.
func Recorded(p Part, subrun bool) (normalized, raw jsontext.Value) {
	if p.Item != nil {
		normalized = recordedItem(p.Item, subrun)
	}
	return normalized, recordedRaw(p.Raw)
}

// recordedItem is hud.Clean(Encode(item, subrun)). What is only text, under names that
// are ours, is redacted before it is encoded and need not be decoded again.
func recordedItem(item Item, subrun bool) jsontext.Value {
	switch item := item.(type) {
	case *ToolCall:
		clean, ok := *item, false
		if clean.Args, ok = hud.CleanWithin(item.Args, contracts.LimitDepth); ok && item.ArgsRaw == nil {
			clean.Tool, clean.CallID = hud.Redact(item.Tool), hud.Redact(item.CallID)
			return Encode(&clean, subrun)
		}
	case *ToolResult:
		clean := *item
		clean.Tool, clean.Text, clean.CallID = hud.Redact(item.Tool), hud.Redact(item.Text), hud.Redact(item.CallID)
		return Encode(&clean, subrun)
	}
	return hud.Clean(Encode(item, subrun))
}
