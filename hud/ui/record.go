package ui

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

// Emitted is the event in a record from a workflow's ledger.
type Emitted struct {
	Name    string
	Payload jsontext.Value
	RunID   string
	Session string
	Actor   string
	Step    string // identifies a record that was posted alone, so that it is recorded only once; may be empty
	Subrun  bool   // another run started the event's run
	Ignored string // why the record is not an event for this subscriber
}

// FromRecord reads {"record":{…},"subscriber":{…}}, or a record alone, which is an object with a
// status and an effect. A record is an event if it is completed, has an emit_event effect, and has
// the subscriber's actor and session. A subscriber without an actor or session accepts records from
// all actors or sessions. ok is false if the object has neither shape.
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
		if e.Step != "" { // a step is recorded at its start and end, and may be retried
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

// refused returns the reason the record is not an event for this subscriber, or "". The filters are
// applied in the same order as in the reference implementation.
func refused(record, subscriber, effect, sent object) string {
	for _, k := range []string{"actor_id", "session_id"} {
		if want := subscriber.id(k); want != "" && record.id(k) != want {
			return "the record is for another " + strings.TrimSuffix(k, "_id")
		}
	}
	status := record.id("status")
	switch {
	case status != "completed":
		return "the record's status is " + orMissing(status) + ", not completed"
	case effect == nil:
		return "the record has no effect"
	case effect.id("type") != "emit_event":
		return "the effect is " + orMissing(effect.id("type")) + ", not emit_event"
	case sent == nil:
		return "the effect's payload is not an object"
	}
	return ""
}

// id returns a member that is used as an identifier. Only surrounding whitespace is removed.
func (o object) id(name string) string {
	s, _ := scalar(o[name])
	return strings.TrimSpace(s)
}

func orMissing(s string) string {
	if s == "" {
		return "missing"
	}
	return contracts.Clip(contracts.CleanLine(s), contracts.LimitName)
}
