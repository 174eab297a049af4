package intake

import (
	"bytes"
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud/ui"
)

// lineTypes are the media types for one JSON value per line.
var lineTypes = []string{"application/x-ndjson", "application/ndjson", "application/jsonlines", "application/x-jsonlines", "application/jsonl"}

// readEvents splits the body of POST /v1/events into events. An event that cannot be read is
// refused; the others are not affected. many means that the response is a list.
func readEvents(r *http.Request, body []byte) (events []event, many bool, refusal *contracts.Refusal) {
	contentType := r.Header.Get("Content-Type")
	all := fromRequest(r, body)
	body = bytes.TrimSpace(body)
	switch kind := mediaType(contentType); {
	case isBinaryCloudEvent(r):
		e, refusal := readBinaryCloudEvent(r, body, all)
		return []event{e}, false, refusal
	case slices.Contains(lineTypes, kind), isLines(body):
		return readLines(body, all), true, nil
	}
	if len(body) == 0 || body[0] != '{' && body[0] != '[' {
		return nil, false, contracts.RefuseField("body", "send events as a JSON object, a list of objects, or one object per line; for plain text, use POST /v1/ui/{%s}", strings.Join(ui.Kinds, "|"))
	}
	if o, ok := members(body); ok {
		return []event{readObject(body, o, all)}, false, nil
	}
	if err := oneValue(body); err != nil {
		return nil, false, refuseJSON(body, place{}, err)
	}
	var list []jsontext.Value
	if err := json.Unmarshal(body, &list, lenient); err != nil {
		return nil, false, refuseJSON(body, place{}, err)
	}
	events = make([]event, len(list))
	for i, v := range list {
		events[i] = readEvent(v, all.numbered(i))
	}
	return events, true, nil
}

// isLines reports whether a body has several lines and the first is a complete JSON object.
func isLines(body []byte) bool {
	first, rest, more := bytes.Cut(body, []byte("\n"))
	first = bytes.TrimSpace(first)
	return more && len(bytes.TrimSpace(rest)) > 0 && len(first) > 0 && first[0] == '{' && oneValue(first) == nil
}

// readLines reads one event per line, and stops after the first event over the limit.
func readLines(body []byte, all event) (events []event) {
	var at place
	for line := range bytes.SplitSeq(body, []byte("\n")) {
		text := bytes.TrimRight(line, " \t\r")
		switch err := oneValue(text); {
		case len(text) == 0:
		case len(events) > contracts.LimitEvents:
			return events
		case err != nil:
			events = append(events, event{refusal: refuseJSON(text, at, err)})
		default:
			events = append(events, readEvent(bytes.TrimLeft(text, " \t"), all.numbered(at.line+1)))
		}
		at.line++
		at.byte += len(line) + 1
	}
	return events
}

// readEvent reads one event: a record of a workflow's ledger, a CloudEvent, a HUD
// event, or {name|type, payload|data, …}. Missing fields are taken from the request.
func readEvent(v jsontext.Value, all event) event {
	o, ok := members(v)
	if !ok {
		return event{refusal: contracts.RefuseField("events", "an event must be an object with a name and a payload, not %s", kindOf(v))}
	}
	return readObject(v, o, all)
}

// readObject reads the event v; o contains its members.
func readObject(v jsontext.Value, o object, all event) event {
	if emitted, ok := ui.FromRecord(o); ok {
		return readRecord(emitted, v, o, all)
	}
	if _, ok := o["specversion"]; ok {
		return readCloudEvent(o, all)
	}
	if isHUD(o) {
		return readHUD(o, all)
	}
	e := all.with(event{
		name: o.text("name", "event_name", "type"), payload: o.value("payload", "data"), id: o.text("id", "event_id"), source: o.text("source"),
		agent: o.text("agent", "agent_id"), run: o.text("run_id", "run"), session: o.text("session_id", "session"), ts: o.millis("ts", "time"),
	})
	if e.name == "" && e.payload == nil {
		e.payload = v // unknown format: keep all of it
	}
	return e
}

// readRecord reads an event from a workflow's ledger. The event's agent is the actor of the record,
// unless the request names an agent.
func readRecord(emitted ui.Emitted, v jsontext.Value, o object, all event) event {
	e := all.with(event{
		name: emitted.Name, payload: emitted.Payload, id: cmp.Or(o.text("id", "event_id"), emitted.Step), run: emitted.RunID, session: emitted.Session,
		subrun: emitted.Subrun, ignored: emitted.Ignored,
	})
	e.agent = cmp.Or(e.agent, emitted.Actor)
	if e.ignored != "" || e.payload == nil {
		e.payload = v
		if e.ignored == "" {
			e.payload = jsontext.Value("null")
		}
	}
	return e
}

// with returns e with its empty fields filled from the request.
func (all event) with(e event) event {
	for _, f := range []struct{ to, from *string }{
		{&e.id, &all.id}, {&e.source, &all.source}, {&e.agent, &all.agent}, {&e.run, &all.run}, {&e.session, &all.session},
	} {
		if *f.to == "" {
			*f.to = *f.from
		}
	}
	e.replaced = all.replaced
	return e
}

func kindOf(v jsontext.Value) string {
	switch v.Kind() {
	case '[':
		return "a list"
	case '"':
		return "a string"
	case '0':
		return "a number"
	}
	return string(v)
}
