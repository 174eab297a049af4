package model

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

// Message is one decoded server message. Payload points to a value of the contracts type for Type;
// it is nil for a pong.
type Message struct {
	Type    contracts.MessageType
	ID      string
	TS      int64
	Seq     uint64 // 0 if the message does not move the cursor
	Payload any
}

// wire is the envelope as sent.
type wire struct {
	Type    contracts.MessageType `json:"type"`
	ID      string                `json:"id"`
	TS      int64                 `json:"ts"`
	V       int                   `json:"v"`
	Payload jsontext.Value        `json:"payload"`
}

// ErrUnknown reports a message type that this version does not support. The message can be skipped:
// a newer server may send new types.
type ErrUnknown struct{ Type contracts.MessageType }

func (e ErrUnknown) Error() string { return fmt.Sprintf("unknown message type %q", e.Type) }

// Read decodes a message. It returns an error if the message violates the protocol; such a message
// must not be used.
func Read(data []byte) (Message, error) {
	var w wire
	if err := json.Unmarshal(data, &w); err != nil {
		return Message{}, fmt.Errorf("read message: %w", err)
	}
	m := Message{Type: w.Type, ID: w.ID, TS: w.TS, Payload: payloadOf(w.Type)}
	if w.V != contracts.ProtocolVersion {
		return m, fmt.Errorf("message %s has version %d, not %d", w.ID, w.V, contracts.ProtocolVersion)
	}
	if w.Type == contracts.TypePong {
		return m, nil
	}
	if m.Payload == nil {
		return m, ErrUnknown{w.Type}
	}
	if err := json.Unmarshal(w.Payload, m.Payload); err != nil {
		return m, fmt.Errorf("read %s message %s: %w", w.Type, w.ID, err)
	}
	if w.Type.MovesCursor() {
		var at struct {
			Seq uint64 `json:"seq"`
		}
		if err := json.Unmarshal(w.Payload, &at); err != nil {
			return m, fmt.Errorf("read the seq of %s message %s: %w", w.Type, w.ID, err)
		}
		m.Seq = at.Seq
	}
	if h, ok := m.Payload.(*contracts.HUD); ok {
		h.UUID = w.ID
	}
	return m, nil
}

func payloadOf(t contracts.MessageType) any {
	switch t {
	case contracts.TypeHelloAck:
		return new(contracts.HelloAck)
	case contracts.TypeSnapshot:
		return new(contracts.Snapshot)
	case contracts.TypeEvent:
		return new(contracts.Event)
	case contracts.MessageType(contracts.KindGoal):
		return new(contracts.AgentGoal)
	case contracts.TypeChat:
		return new(contracts.Chat)
	case contracts.MessageType(contracts.KindHUD):
		return new(contracts.HUD)
	case contracts.MessageType(contracts.KindUI):
		return new(contracts.UI)
	case contracts.TypeStream:
		return new(contracts.StreamDelta)
	case contracts.TypeAck:
		return new(contracts.Ack)
	case contracts.TypeError:
		return new(contracts.ErrorPayload)
	}
	return nil
}
