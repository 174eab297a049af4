package hud

import (
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/go-json-experiment/json/jsontext"
)

// Subtype is the kind of a received message.
type Subtype string

// The subtypes that the HUD protocol defines.
const (
	SubtypeNewSession  Subtype = "new_session"
	SubtypeAgentSwitch Subtype = "agent_switch"
	SubtypeStop        Subtype = "stop"
	SubtypeKill        Subtype = "kill"
	SubtypeHandover    Subtype = "handover"
	SubtypeReconnect   Subtype = "reconnect"
	SubtypeMessage     Subtype = "message"
)

// Received returns a fact that acknowledges something an agent has received. Such a fact is
// complete in itself: no end follows it.
func Received(s Source, id string, subtype Subtype, label string, payload jsontext.Value) contracts.HUD {
	h := s.event(id, contracts.HUDReceived, Span{})
	h.Subtype = string(subtype)
	h.Label = Line(label, contracts.LimitPreview)
	h.Payload = Bound(payload)
	return h
}

// ReceivedReconnect acknowledges that a session has reconnected.
func ReceivedReconnect(s Source, id, sessionKey string) contracts.HUD {
	return Received(s, id, SubtypeReconnect, "reconnected — replaying history", payload("sessionKey", sessionKey))
}

// ReceivedMessage acknowledges a message and quotes its beginning.
func ReceivedMessage(s Source, id, text string) contracts.HUD {
	return Received(s, id, SubtypeMessage, "message received", payload("preview", Line(text, contracts.LimitReceivedPreview)))
}

// payload returns an object of name-value pairs without empty values, or nil if all values are empty.
func payload(pairs ...string) jsontext.Value {
	var list members
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			list = append(list, member{pairs[i], Value(pairs[i+1])})
		}
	}
	if list == nil {
		return nil
	}
	return list.encode()
}
