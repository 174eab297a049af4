package client

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/client/socket"
	"github.com/bullpen-office/bullpen/contracts"
)

// Message is one message from the office.
type Message struct {
	Type    contracts.MessageType `json:"type"`
	ID      string                `json:"id"`
	TS      int64                 `json:"ts"`
	Version int                   `json:"v"`
	Payload jsontext.Value        `json:"payload"`

	Seq uint64 `json:"-"` // position in the ledger; 0 if the message has none
	Raw []byte `json:"-"` // the whole message as received
}

// Decode decodes the payload into out, which must point to the type in package contracts that
// matches Type.
func (m *Message) Decode(out any) error {
	if err := json.Unmarshal(m.Payload, out); err != nil {
		return fmt.Errorf("read %s message %s: %w", m.Type, m.ID, err)
	}
	return nil
}

// Parse decodes a message. If the message is invalid, the error is a *MessageError.
func Parse(text []byte) (m Message, err error) {
	if err := json.Unmarshal(text, &m); err != nil {
		return m, &MessageError{text, err}
	}
	if m.Raw = text; m.Version != contracts.ProtocolVersion {
		return m, &MessageError{text, fmt.Errorf("protocol version %d, want %d", m.Version, contracts.ProtocolVersion)}
	}
	if !m.Type.MovesCursor() {
		return m, nil
	}
	var at struct {
		Seq uint64 `json:"seq"`
	}
	if err := json.Unmarshal(m.Payload, &at); err != nil {
		return m, &MessageError{text, err}
	}
	m.Seq = at.Seq
	return m, nil
}

func post(conn *socket.Conn, t contracts.MessageType, payload any) error {
	text, err := contracts.AppendEnvelope(nil, t, newID("msg"), time.Now().UnixMilli(), payload)
	if err != nil {
		return err
	}
	return conn.Write(text)
}
