package hub

import (
	"bytes"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

// messageHead holds the fields of a message that are read before the message is parsed: enough to
// check the role and rate without the cost of the schema check.
type messageHead struct {
	kind contracts.MessageType
	id   string
	name contracts.CommandName
}

// headDecoders pools decoders, so that their buffers are reused.
var headDecoders = sync.Pool{New: func() any { return jsontext.NewDecoder(bytes.NewReader(nil)) }}

// readHead reads a message's type, id and command name. It stops at the first error, because Parse
// reports that error to the client.
func readHead(raw []byte) (g messageHead) {
	d := headDecoders.Get().(*jsontext.Decoder)
	defer headDecoders.Put(d)
	d.Reset(bytes.NewReader(raw))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return g
	}
	for d.PeekKind() == '"' {
		member, _ := d.ReadToken()
		switch key := member.String(); {
		case key == "payload" && d.PeekKind() == '{':
			if !readCommandName(d, &g) {
				return g
			}
		case (key == "type" || key == "id") && d.PeekKind() == '"':
			v, err := d.ReadToken()
			if err != nil {
				return g
			}
			if key == "id" {
				g.id = v.String()
			} else {
				g.kind = contracts.MessageType(v.String())
			}
		default:
			if d.SkipValue() != nil {
				return g
			}
		}
	}
	return g
}

func readCommandName(d *jsontext.Decoder, g *messageHead) bool {
	if _, err := d.ReadToken(); err != nil {
		return false
	}
	for d.PeekKind() == '"' {
		member, _ := d.ReadToken()
		if member.String() == "name" && d.PeekKind() == '"' {
			v, err := d.ReadToken()
			if err != nil {
				return false
			}
			g.name = contracts.CommandName(v.String())
			continue
		}
		if d.SkipValue() != nil {
			return false
		}
	}
	_, err := d.ReadToken()
	return err == nil
}

// onMessage handles one message. It checks role, rate and schema, in the protocol's order. The
// office then checks that everything the message refers to exists and is in a suitable state.
func (s *session) onMessage(raw []byte) {
	now := time.Now()
	if wait, ok := s.rates.inbound.use(now, contracts.InboundPerSecond, contracts.InboundPerSecond); !ok {
		g := readHead(raw[:min(len(raw), contracts.LimitIDSearch)]) // so that a flood is cheap to refuse
		s.refuse(replyID(g.id), tooFast("messages", wait))
		s.countViolation()
		return
	}
	g := readHead(raw)
	if r := s.precheck(&g, now); r != nil {
		s.refuse(replyID(g.id), r)
		if r.Code == contracts.CodeNotAllowed && !s.greeted {
			s.countViolation()
		}
		return
	}
	in, r := contracts.Parse(raw)
	if r != nil {
		s.rejectInvalid(&g, in.ID, r)
		return
	}
	switch in.Type {
	case contracts.TypeHello:
		s.onHello(in.ID, in.Hello)
	case contracts.TypeSubscribe:
		s.onSubscribe(in.ID, in.Subscribe)
	case contracts.TypeCommand, contracts.TypeChat:
		s.onCommand(in.ID, in.Command)
	case contracts.TypePing:
		s.post(contracts.TypePong, pong{InReplyTo: in.ID})
	}
}

// pong is the payload of the reply to a ping.
type pong struct {
	InReplyTo string `json:"in_reply_to"`
}

// precheck checks a message before it is parsed. It refuses a message that comes before hello, is
// not allowed for the role or exceeds the rate limit.
func (s *session) precheck(g *messageHead, now time.Time) *contracts.Refusal {
	if !s.greeted {
		if g.kind != contracts.TypeHello && slices.Contains(clientTypes, g.kind) {
			return contracts.Refuse(contracts.CodeNotAllowed, "send hello first")
		}
		return nil
	}
	if g.kind != contracts.TypeCommand && g.kind != contracts.TypeChat {
		return nil
	}
	if a := s.principal.Access; a != contracts.AccessOperator {
		return contracts.RefuseRole(a, contracts.AccessOperator)
	}
	return s.rates.countCommand(g, now)
}

var clientTypes = []contracts.MessageType{
	contracts.TypeSubscribe, contracts.TypeCommand, contracts.TypeChat, contracts.TypePing, contracts.TypePong,
}

// rejectInvalid answers a message that Parse refused. Invalid data in a command is a user error and
// is already rate limited; anything else is a protocol violation.
func (s *session) rejectInvalid(g *messageHead, id string, r *contracts.Refusal) {
	if r.Code == contracts.CodeVersionUnsupported {
		s.refuseVersion(id, r.Message)
		return
	}
	s.refuse(id, r)
	if g.kind != contracts.TypeCommand && g.kind != contracts.TypeChat {
		s.countViolation()
	}
}

func replyID(id string) string {
	if id == "" || len(id) > contracts.LimitID {
		return contracts.UnknownMsgID
	}
	return id
}

func (s *session) refuse(id string, r *contracts.Refusal) {
	s.hub.metrics.refused(r.Code)
	s.post(contracts.TypeError, contracts.ErrorPayload{InReplyTo: id, Refusal: *r})
}

// post sends a message to this client only.
func (s *session) post(t contracts.MessageType, payload any) {
	s.send(s.privateFrame(t, payload))
}

// idPrefix is the id prefix of private messages, by type.
var idPrefix = map[contracts.MessageType]string{
	contracts.TypeHelloAck: "hello", contracts.TypeAck: "ack", contracts.TypeError: "err",
	contracts.TypePong: "pong", contracts.TypeEvent: "evt",
}

func (s *session) privateFrame(t contracts.MessageType, payload any) []byte {
	msg, err := contracts.AppendEnvelope(nil, t, s.messageID(idPrefix[t]), s.hub.now().UnixMilli(), payload)
	if err != nil {
		s.hub.logger.Error("could not encode a private message", "type", t, "err", err)
		return nil
	}
	return textFrame(msg)
}
