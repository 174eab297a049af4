package contracts

import (
	"bytes"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// HUDHead is the part of an activity fact that is needed to track open turns and calls. For the end
// of a turn or call, only the first six members are set, so that the result, which can be large,
// usually does not have to be decoded.
type HUDHead struct {
	Event         HUDEvent       `json:"event"`
	CorrelationID string         `json:"correlationId"`
	ParentID      string         `json:"parentId"`
	AgentID       string         `json:"agent_id"`
	Session       string         `json:"session"`
	Impact        *Impact        `json:"impact"`
	TaskID        string         `json:"task_id"`
	Tool          string         `json:"tool"`
	Args          jsontext.Value `json:"args"`
	Label         string         `json:"label"`
	Rehearsal     bool           `json:"rehearsal"`
	Owner         string         `json:"owner"`
	Origin        string         `json:"origin"`
	Root          string         `json:"root"`
}

// Starts reports whether the event starts a turn or a call.
func (e HUDEvent) Starts() bool {
	return e == HUDTurnStart || e == HUDThinkStart || e == HUDToolStart
}

// Ends reports whether the event ends a turn or a call.
func (e HUDEvent) Ends() bool { return e == HUDTurnEnd || e == HUDThinkEnd || e == HUDToolEnd }

// Head returns the head of a HUD record. ok is false for a fact that neither starts nor ends a turn
// or call, for a fact without a correlation id, and for a body that cannot be decoded. A new record
// and the same record read from a ledger have the same head.
func (r *Record) Head() (h HUDHead, ok bool) {
	if v, made := r.value.(*HUD); made {
		h = HUDHead{Event: v.Event, CorrelationID: v.CorrelationID, ParentID: v.ParentID, AgentID: v.AgentID, Session: v.Session, Impact: v.Impact}
		if v.Event.Starts() {
			h.TaskID, h.Tool, h.Args, h.Label, h.Rehearsal = v.TaskID, v.Tool, v.Args, v.Label, v.Rehearsal
			h.Owner, h.Origin, h.Root = v.Owner, v.Origin, v.Root
		}
		return h, h.pairs()
	}
	if bytes.HasPrefix(r.Body, headReceived) {
		return h, false
	}
	if h, ok := headOfEnd(r.Body); ok {
		return h, h.pairs()
	}
	if err := json.Unmarshal(r.Body, &h); err != nil {
		return HUDHead{}, false
	}
	if !h.Event.Starts() {
		h = HUDHead{Event: h.Event, CorrelationID: h.CorrelationID, ParentID: h.ParentID, AgentID: h.AgentID, Session: h.Session, Impact: h.Impact}
	}
	return h, h.pairs()
}

func (h *HUDHead) pairs() bool {
	return h.CorrelationID != "" && (h.Event.Starts() || h.Event.Ends())
}

var (
	headReceived = []byte(`{"event":"received"`)
	headEnds     = [][]byte{[]byte(`{"event":"tool_end"`), []byte(`{"event":"think_end"`), []byte(`{"event":"turn_end"`)}
)

// headOfEnd reads the members at the start of a body that ends a turn or call, and stops before the
// result. It relies on the order in which the members are written. ok is false if the body has to
// be decoded in full.
func headOfEnd(body []byte) (h HUDHead, ok bool) {
	if !bytes.HasPrefix(body, headEnds[0]) && !bytes.HasPrefix(body, headEnds[1]) && !bytes.HasPrefix(body, headEnds[2]) {
		return h, false
	}
	for rest := body[1:]; len(rest) > 0 && rest[0] == '"'; {
		name, after, ok := cutString(rest)
		if !ok || len(after) == 0 || after[0] != ':' {
			return h, false
		}
		var to *string
		switch string(name) {
		case "event":
			to = (*string)(&h.Event)
		case "correlationId":
			to = &h.CorrelationID
		case "parentId":
			to = &h.ParentID
		case "agent_id":
			to = &h.AgentID
		case "session":
			to = &h.Session
		case "impact":
			return h, json.UnmarshalDecode(jsontext.NewDecoder(bytes.NewReader(after[1:])), &h.Impact) == nil
		default:
			return h, true
		}
		value, after, ok := cutString(after[1:])
		if !ok {
			return h, false
		}
		*to = string(value)
		rest = bytes.TrimPrefix(after, []byte(","))
	}
	return h, true
}

// cutString splits b into the JSON string at its start and the rest. ok is false if b does not
// start with a string, or if the string contains escapes.
func cutString(b []byte) (s, rest []byte, ok bool) {
	if len(b) == 0 || b[0] != '"' {
		return nil, nil, false
	}
	n := bytes.IndexByte(b[1:], '"')
	if n < 0 || bytes.IndexByte(b[1:n+1], '\\') >= 0 {
		return nil, nil, false
	}
	return b[1 : n+1], b[n+2:], true
}

// SmallArgs returns as much of a call's arguments as fits in limit bytes: all of them, or only the
// short members of an object, such as a path without the file's content. It returns nil if nothing
// fits. The result is compact JSON, as in a record.
func SmallArgs(args jsontext.Value, limit int) jsontext.Value {
	if len(args) == 0 {
		return nil
	}
	small, err := jsontext.AppendFormat(nil, args)
	if err == nil && len(small) > limit {
		small = shortMembers(small, limit)
	}
	if err != nil || len(small) > limit {
		return nil
	}
	return small
}

// shortMembers returns an object with as many members of args as fit within limit, except those
// with a value longer than a quarter of limit. It returns nil if args is not an object.
func shortMembers(args jsontext.Value, limit int) jsontext.Value {
	d := jsontext.NewDecoder(bytes.NewReader(args))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return nil
	}
	out := []byte{'{'}
	for d.PeekKind() == '"' {
		name, err := d.ReadValue()
		if err != nil {
			return nil
		}
		name = name.Clone()
		value, err := d.ReadValue()
		if err != nil {
			return nil
		}
		if size := len(name) + len(value) + len(":,}"); len(value) > limit/4 || len(out)+size > limit {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, name...), ':'), value...)
	}
	return append(out, '}')
}
