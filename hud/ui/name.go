package ui

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

const (
	namespace  = "abstract."
	deprecated = "abstractcode." // an alias for the namespace
)

// readers contains a reader for each event that the office draws. The keys are the event names
// without the namespace; they are also the kinds in POST /v1/ui/{kind}.
var readers = map[string]func(jsontext.Value) []Part{
	"status":         readStatus,
	"message":        readMessage,
	"tool_execution": readToolCalls,
	"tool_result":    readToolResults,
	"progress":       readProgress,
	"ask":            readAsk,
}

// reserved lists event names, without the namespace, that are used for other purposes. The office
// does not draw these events.
var reserved = []string{"summary", "chat", "media"}

// Kinds are the events that the office draws, without the prefix "abstract.", in the order that the
// documentation uses.
var Kinds = []string{"status", "message", "tool_execution", "tool_result", "progress", "ask"}

// NameOf returns the full event name for one of the Kinds.
func NameOf(kind string) string { return namespace + kind }

// Name returns the canonical form of an event's name: trimmed, and with the deprecated namespace
// replaced. It does not change the case.
func Name(name string) string {
	name = strings.TrimSpace(name)
	if rest, ok := strings.CutPrefix(name, deprecated); ok {
		return strings.Trim(namespace+rest, ".")
	}
	return name
}

// readerOf returns an event's reader, or the reason there is none.
func readerOf(name string) (read func(jsontext.Value) []Part, why string) {
	name = Name(name)
	if name == "" {
		return nil, "the event has no name"
	}
	kind, ok := strings.CutPrefix(name, namespace)
	if read, known := readers[kind]; ok && known {
		return read, ""
	}
	for _, r := range reserved {
		if ok && (kind == r || strings.HasPrefix(kind, r+".")) {
			return nil, fmt.Sprintf("%s is a reserved name and is not shown here", namespace+kind)
		}
	}
	return nil, fmt.Sprintf("unknown event %q; use %s%s",
		contracts.Clip(contracts.CleanLine(name), contracts.LimitName), namespace, strings.Join(Kinds, ", "+namespace))
}
