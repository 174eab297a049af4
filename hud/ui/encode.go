package ui

import (
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// Encode returns an item in its wire form. subrun marks the item as part of a run that another run
// started.
func Encode(item Item, subrun bool) jsontext.Value {
	b, err := json.Marshal(item)
	if err != nil { // cannot happen: items contain only clean text and checked values
		b = jsontext.Value(`{}`)
	}
	if subrun {
		b = append(b[:len(b)-1], `,"subrun":true}`...)
	}
	return b
}

// recordedRaw is hud.Clean(boundValue(v, LimitUIRaw)), but faster: a value that fits is cleaned only
// once. Invalid UTF-8 takes the slow path, because cleaning makes it longer.
func recordedRaw(v jsontext.Value) jsontext.Value {
	if len(v) > 0 && len(v) <= contracts.LimitUIRaw && utf8.Valid(v) {
		if clean, ok := hud.CleanWithin(v, contracts.LimitDepth); ok {
			return clean
		}
	}
	return hud.Clean(boundValue(v, contracts.LimitUIRaw))
}

// Recorded returns the stored form of a part: bounded, and without credentials. normalized is nil
// if the part was ignored.
func Recorded(p Part, subrun bool) (normalized, raw jsontext.Value) {
	if p.Item != nil {
		normalized = recordedItem(p.Item, subrun)
	}
	return normalized, recordedRaw(p.Raw)
}

// recordedItem is hud.Clean(Encode(item, subrun)), but faster: the fields of a call or a result are
// redacted before they are encoded, so that the encoded item need not be decoded again.
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
