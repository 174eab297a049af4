package ui

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

// Emitted is the event inside a record of a workflow's ledger.
type Emitted struct {
	Name    string
	Payload jsontext.Value
	RunID   string
	Session string
	Actor   string
	Step    string // identifies a record that was posted alone, so that it counts once; may be empty
	Subrun  bool   // of a run that another run started
	Ignored string // why the record is no event for this subscriber
}

// FromRecord reads {"record":{…},"subscriber":{…}}, or a record alone, which is an
// object with a status and an effect. Only completed emit_event effects of the
// subscriber's own actor and session are events; a subscriber that names neither gets
// all. ok is false when the object has another shape.
func FromRecord(members map[string]jsontext.Value) (e Emitted, ok bool) {
	o := object(members)
	record := objectOf(o["record"])
	if record == nil {
		_, status := o["status"]
		if _, effect := o["effect"]; !status || !effect {
			return e, false
		}
		record = o
		e.Step = record.id("step_id")
		if e.Step != "" { // a step is recorded when it starts and when it ends, and may be retried
			e.Step += "/" + record.id("status") + "/" + record.id("attempt")
		}
	}
	subscriber := objectOf(o["subscriber"])
	e.RunID, e.Session, e.Actor = record.id("run_id"), record.id("session_id"), record.id("actor_id")
	effect := objectOf(record["effect"])
	sent := objectOf(effect["payload"])
	e.Payload = sent["payload"]
	if e.Name = sent.id("name"); e.Name == "" {
		e.Name = sent.id("event_name")
	}
	if parent := record.id("parent_run_id"); parent != "" && parent != e.RunID {
		e.Subrun = true
	}
	if root := subscriber.id("run_id"); root != "" && root != e.RunID {
		e.Subrun = true
	}
	e.Ignored = refused(record, subscriber, effect, sent)
	return e, true
}

// refused are the filters, in the order of the reference.
func refused(record, subscriber, effect, sent object) string {
	for _, k := range []string{"actor_id", "session_id"} {
		if want := subscriber.id(k); want != "" && record.id(k) != want {
			return "the record has another " + strings.TrimSuffix(k, "_id") + " than the subscriber"
		}
	}
	status := record.id("status")
	switch {
	case status != "completed":
		return "the record is not completed but " + orNothing(status)
	case effect == nil:
		return "the record has no effect"
	case effect.id("type") != "emit_event":
		return "the effect is no emit_event but " + orNothing(effect.id("type"))
	case sent == nil:
		return "the payload of the effect is no object"
	}
	return ""
}

// id is a member that must be equal to be the same: its white space is trimmed
// and nothing else.
func (o object) id(name string) string {
	s, _ := scalar(o[name])
	return strings.TrimSpace(s)
}

func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return contracts.Clip(contracts.CleanLine(s), contracts.LimitName)
}
