package contracts

import (
	"math"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// secondsBelow separates seconds from milliseconds (W1): as milliseconds, it falls in 1973; as
// seconds, in 5138.
const secondsBelow = 1e11

// Parse validates one message from a client against the schemas (W5). It also rejects member names
// that differ from a known name only in case, and whole numbers written as 1.0 or 1e3. Other
// unknown members are ignored. On refusal, only ID is set: to the message's id, or to UnknownMsgID
// if the id cannot be read.
func Parse(raw []byte) (Inbound, *Refusal) {
	in, r := parse(raw)
	if r != nil {
		return Inbound{ID: readableID(raw)}, r
	}
	return in, nil
}

func parse(raw []byte) (Inbound, *Refusal) {
	tree, r := readTree(raw)
	if r != nil {
		return Inbound{}, r
	}
	if r := checkEnvelope(tree); r != nil {
		return Inbound{}, r
	}
	in := Inbound{Type: MessageType(tree["type"].(string)), ID: tree["id"].(string), TS: millis(tree["ts"].(float64))}
	payload := tree["payload"].(map[string]any)
	var envelope struct {
		Payload jsontext.Value `json:"payload"`
	}
	if err := json.Unmarshal(raw, &envelope); err != nil {
		return Inbound{}, RefuseField("payload", "payload cannot be decoded")
	}
	switch in.Type {
	case TypeHello:
		in.Hello, r = parseHello(payload, envelope.Payload)
	case TypeSubscribe:
		in.Subscribe, r = parseSubscribe(payload, envelope.Payload)
	case TypeChat:
		in.Command, r = parseChat(payload, envelope.Payload)
	case TypeCommand:
		in.Command, r = parseCommandPayload(payload, envelope.Payload)
	}
	if r != nil {
		return Inbound{}, r
	}
	return in, nil
}

// checkEnvelope validates a message's envelope. It checks the version first, because a message of
// another version may differ in everything else.
func checkEnvelope(tree map[string]any) *Refusal {
	if v, ok := tree["v"].(float64); ok && v == math.Trunc(v) && v != ProtocolVersion {
		return &Refusal{
			Code:    CodeVersionUnsupported,
			Field:   "v",
			Message: "unsupported protocol version (this server supports version 1); update the client",
		}
	}
	if t, ok := tree["type"].(string); ok {
		if r := checkType(MessageType(t)); r != nil {
			return r
		}
	}
	if r := check(inboundSchemas().envelope, tree, ""); r != nil {
		return r
	}
	if !saneID(tree["id"].(string)) {
		return RefuseField("id", "id must be 1 to %d printable bytes and not %q", LimitID, UnknownMsgID)
	}
	return nil
}

// checkType rejects unknown message types and types that only the server sends. It returns nil for
// a type that a client may send.
func checkType(t MessageType) *Refusal {
	switch t {
	case TypeHello, TypeSubscribe, TypeChat, TypeCommand, TypePing, TypePong:
		return nil
	case TypeEvent, TypeSnapshot, TypeAck, TypeHelloAck, TypeSegment, TypeStream, TypeError,
		MessageType(KindGoal), MessageType(KindHUD), MessageType(KindUI):
		return &Refusal{Code: CodeNotAllowed, Field: "type", Message: "only the server may send this message type: " + string(t)}
	}
	return RefuseField("type", "unknown message type %q", clip(string(t)))
}

func millis(ts float64) int64 {
	if ts < secondsBelow {
		ts *= 1000
	}
	return int64(math.Round(ts))
}

func parseHello(tree map[string]any, raw jsontext.Value) (*Hello, *Refusal) {
	h := new(Hello)
	if r := decode(inboundSchemas().payload[TypeHello], tree, raw, "payload", h); r != nil {
		return nil, r
	}
	c := &h.Client
	c.ID, c.Name, c.Build, c.Platform = CleanLine(c.ID), CleanLine(c.Name), CleanLine(c.Build), CleanLine(c.Platform)
	if Blank(c.Name) {
		return nil, RefuseField("payload.client.name", "payload.client.name must not be empty")
	}
	return h, nil
}

func parseSubscribe(tree map[string]any, raw jsontext.Value) (*Subscribe, *Refusal) {
	s := new(Subscribe)
	if r := decode(inboundSchemas().payload[TypeSubscribe], tree, raw, "payload", s); r != nil {
		return nil, r
	}
	return s, nil
}

func parseChat(tree map[string]any, raw jsontext.Value) (CommandData, *Refusal) {
	return decodeCommand(CmdChat, tree, raw, "payload")
}

// parseCommandPayload validates and decodes a command. It checks the name first, so that an unknown
// command is reported as unknown, regardless of its data.
func parseCommandPayload(tree map[string]any, raw jsontext.Value) (CommandData, *Refusal) {
	name, isString := tree["name"].(string)
	if isString && !KnownCommand(CommandName(name)) {
		return nil, RefuseField("payload.name", "unknown command %q", clip(name))
	}
	var payload struct {
		Data jsontext.Value `json:"data"`
	}
	if r := decode(inboundSchemas().payload[TypeCommand], tree, raw, "payload", &payload); r != nil {
		return nil, r
	}
	return decodeCommand(CommandName(name), tree["data"], payload.Data, "payload.data")
}
