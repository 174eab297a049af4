package cluster

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/office"
)

// wireCommand is a command on its way to the writer, where it is validated again.
type wireCommand struct {
	ID     string                `json:"id"`
	Caller contracts.Caller      `json:"caller"`
	Name   contracts.CommandName `json:"name"`
	Data   jsontext.Value        `json:"data"`
}

// wireReply is the reply to a command or fact.
type wireReply struct {
	Seq       uint64             `json:"seq"`
	Duplicate bool               `json:"duplicate,omitzero"`
	Result    contracts.Result   `json:"result,omitzero"`
	Refusal   *contracts.Refusal `json:"refusal,omitzero"`
}

// wireFacts are facts on their way to the writer.
type wireFacts struct {
	Teller contracts.Teller `json:"teller"`
	Facts  []jsontext.Value `json:"facts"`
}

// joinRequest requests a life for a node.
type joinRequest struct {
	Node    string   `json:"node"`
	Life    string   `json:"life,omitzero"` // the life to continue; empty for a new one
	Watches []string `json:"watches,omitzero"`
}

// joinAnswer identifies the life and the record that starts or continues it.
type joinAnswer struct {
	Life string `json:"life"`
	Seq  uint64 `json:"seq"`
}

// wireRedactions is the result of a redaction.
type wireRedactions struct {
	Redactions office.Redactions  `json:"redactions"`
	Refusal    *contracts.Refusal `json:"refusal,omitzero"`
}

func encodeCommand(cmd contracts.Command) ([]byte, error) {
	data, err := json.Marshal(cmd.Data)
	if err != nil {
		return nil, err
	}
	return json.Marshal(wireCommand{ID: cmd.ID, Caller: cmd.Caller, Name: cmd.Data.CommandName(), Data: data})
}

func decodeCommand(body []byte) (cmd contracts.Command, refusal *contracts.Refusal, err error) {
	var c wireCommand
	if err := json.Unmarshal(body, &c, json.RejectUnknownMembers(true)); err != nil {
		return cmd, nil, fmt.Errorf("decode a command from another node: %w", err)
	}
	cmd.ID, cmd.Caller = c.ID, c.Caller
	cmd.Data, refusal = contracts.ParseCommandData(c.Name, c.Data)
	return cmd, refusal, nil
}

func encodeReply(r contracts.Reply, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return json.Marshal(wireReply(r))
}

func decodeReply(answer []byte, reply *contracts.Reply) error {
	var w wireReply
	if err := json.Unmarshal(answer, &w); err != nil {
		return fmt.Errorf("decode the reply from another node: %w", err)
	}
	*reply = contracts.Reply(w)
	return nil
}

// factPart is a group of facts that fit into one request, or a single fact that is too large for
// any request.
type factPart struct {
	facts   []contracts.Fact
	encoded []jsontext.Value
	refusal *contracts.Refusal
}

// splitFacts splits facts into requests of limited size, always in the same way.
func splitFacts(facts []contracts.Fact) (parts []factPart) {
	size := 0
	for i, f := range facts {
		b, err := contracts.EncodeFact(f)
		switch {
		case err != nil:
			parts = append(parts, factPart{facts: facts[i : i+1], refusal: refuse(err)})
		case len(b) > contracts.LimitForwardedBytes:
			parts = append(parts, factPart{facts: facts[i : i+1], refusal: contracts.Refuse(contracts.CodeValidationFailed,
				"a fact of %d bytes is too large for an office with several nodes (limit %d)", len(b), contracts.LimitForwardedBytes)})
		default:
			if n := len(parts); n == 0 || parts[n-1].refusal != nil || size+len(b) > contracts.LimitForwardedBytes {
				parts, size = append(parts, factPart{}), 0
			}
			p := &parts[len(parts)-1]
			p.facts, p.encoded = append(p.facts, f), append(p.encoded, b)
			size += len(b)
		}
	}
	return parts
}

func decodeFacts(body []byte) (teller contracts.Teller, facts []contracts.Fact, err error) {
	var w wireFacts
	if err := json.Unmarshal(body, &w); err != nil {
		return teller, nil, fmt.Errorf("decode facts from another node: %w", err)
	}
	facts = make([]contracts.Fact, len(w.Facts))
	for i, b := range w.Facts {
		if facts[i], err = contracts.DecodeFact(b); err != nil {
			return teller, nil, err
		}
	}
	return w.Teller, facts, nil
}

func encodeReplies(replies []contracts.Reply) ([]byte, error) {
	wire := make([]wireReply, len(replies))
	for i := range replies {
		wire[i] = wireReply(replies[i])
	}
	return json.Marshal(wire)
}

func decodeReplies(answer []byte, n int) ([]contracts.Reply, error) {
	var wire []wireReply
	if err := json.Unmarshal(answer, &wire); err != nil {
		return nil, fmt.Errorf("decode the replies from another node: %w", err)
	}
	if len(wire) != n {
		return nil, fmt.Errorf("sent %d facts to another node, but received %d replies", n, len(wire))
	}
	replies := make([]contracts.Reply, n)
	for i := range wire {
		replies[i] = contracts.Reply(wire[i])
	}
	return replies, nil
}

func encodeRedactions(done office.Redactions, err error) ([]byte, error) {
	w := wireRedactions{Redactions: done}
	if err != nil && !errors.As(err, &w.Refusal) {
		return nil, err
	}
	return json.Marshal(w)
}

func decodeRedactions(answer []byte, err error) (office.Redactions, error) {
	if err != nil {
		return office.Redactions{}, err
	}
	var w wireRedactions
	if err := json.Unmarshal(answer, &w); err != nil {
		return office.Redactions{}, fmt.Errorf("decode the redactions from another node: %w", err)
	}
	if w.Refusal != nil {
		return w.Redactions, w.Refusal
	}
	return w.Redactions, nil
}
