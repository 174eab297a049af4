package cluster

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/office"
)

// Names of requests.
const (
	requestDo     = "do"
	requestTell   = "tell"
	requestJoin   = "join"
	requestRedact = "redact"
)

// handle carries out a request from another node.
func (n *Node) handle(ctx context.Context, o *office.Office, name string, body []byte) ([]byte, error) {
	switch name {
	case requestDo:
		cmd, refusal, err := decodeCommand(body)
		if err != nil || refusal != nil {
			return encodeReply(contracts.Reply{Refusal: refusal}, err)
		}
		reply := o.Do(ctx, cmd)
		if n.moved(context.WithoutCancel(ctx), o, reply) {
			return nil, errMoved
		}
		return encodeReply(reply, nil)
	case requestTell:
		teller, facts, err := decodeFacts(body)
		if err != nil {
			return nil, err
		}
		replies := o.TellAs(ctx, teller, facts...)
		if n.moved(context.WithoutCancel(ctx), o, replies...) {
			return nil, errMoved
		}
		return encodeReplies(replies)
	case requestJoin:
		return n.admit(ctx, o, body)
	case requestRedact:
		var q office.RedactRequest
		if err := json.Unmarshal(body, &q); err != nil {
			return nil, fmt.Errorf("decode a redaction from another node: %w", err)
		}
		return encodeRedactions(o.Redact(ctx, q))
	}
	return nil, fmt.Errorf("unknown request %q: run the same version of Bullpen on all nodes", name)
}
