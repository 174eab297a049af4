package ui

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

const (
	namespace  = "abstract."
	deprecated = "abstractcode." // an alias of the namespace
)

// readers is the table of events that are drawn, by the part of the name after
// the namespace. The keys are the kinds of POST /v1/ui/{kind}.
var readers = map[string]func(jsontext.Value) []Part{
	"status":         readStatus,
	"message":        readMessage,
	"tool_execution": readToolCalls,
	"tool_result":    readToolResults,
	"progress":       readProgress,
	"ask":            readAsk,
}

// reserved are names of the family that mean something elsewhere; nobody may use
// them for something of their own.
var reserved = []string{"summary", "chat", "media"}

// Kinds are the last parts of the names that are drawn, in the order of the table
// in docs.
var Kinds = []string{"status", "message", "tool_execution", "tool_result", "progress", "ask"}

// NameOf is the full name of a kind of Kinds.
func NameOf(kind string) string { return namespace + kind }

// Name is the canonical form: without white space around it, and with the
// deprecated namespace replaced. It is case-sensitive.
func Name(name string) string {
	name = strings.TrimSpace(name)
	if rest, ok := strings.CutPrefix(name, deprecated); ok {
		return strings.Trim(namespace+rest, ".")
	}
	return name
}

// readerOf finds who reads an event, or says why nobody does.
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
			return nil, fmt.Sprintf("%s is a reserved name that is not drawn here", namespace+kind)
		}
	}
	return nil, fmt.Sprintf("%q is no event that is drawn; the names are %s{%s}",
		contracts.Clip(contracts.CleanLine(name), contracts.LimitName), namespace, strings.Join(Kinds, ","))
}
