package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

// Writer is the office of the node that writes.
type Writer interface {
	// Do carries out a command and returns its final reply.
	Do(ctx context.Context, cmd contracts.Command) contracts.Reply
	// Tell takes facts in order, and returns one reply for each once it is durable.
	Tell(ctx context.Context, facts ...contracts.Fact) []contracts.Reply
}

// Office is the office on any node: it forwards commands and facts to the node that writes.
type Office struct {
	line *Line

	mu    sync.Mutex
	local Writer // nil while another node writes
}

// NewOffice returns an office that reaches its writer through line.
func NewOffice(line *Line) *Office { return &Office{line: line} }

// Lead makes a local office the writer until ctx ends, and answers the other nodes.
func (o *Office) Lead(ctx context.Context, token string, w Writer) error {
	o.use(w)
	defer o.use(nil)
	return o.line.Serve(ctx, token, func(ctx context.Context, name string, body []byte) ([]byte, error) {
		return handle(ctx, w, name, body)
	})
}

func (o *Office) use(w Writer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.local = w
}

func (o *Office) writer() Writer {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.local
}

// Names of requests.
const (
	requestDo   = "do"
	requestTell = "tell"
)

// wireCommand is a command on its way to the node that writes. Both the node that received it and
// the node that writes validate it.
type wireCommand struct {
	ID     string                `json:"id"`
	Caller contracts.Caller      `json:"caller"`
	Name   contracts.CommandName `json:"name"`
	Data   jsontext.Value        `json:"data"`
}

// wireReply is the reply to a wireCommand.
type wireReply struct {
	Seq       uint64             `json:"seq"`
	Duplicate bool               `json:"duplicate,omitzero"`
	Result    contracts.Result   `json:"result,omitzero"`
	Refusal   *contracts.Refusal `json:"refusal,omitzero"`
}

// Do carries out a command on the node that writes. If the answer is lost, the command is sent
// again with the same id, so that it counts once.
func (o *Office) Do(ctx context.Context, cmd contracts.Command) contracts.Reply {
	if w := o.writer(); w != nil {
		return w.Do(ctx, cmd)
	}
	data, err := json.Marshal(cmd.Data)
	if err == nil {
		data, err = json.Marshal(wireCommand{ID: cmd.ID, Caller: cmd.Caller, Name: cmd.Data.CommandName(), Data: data})
	}
	var answer []byte
	if err == nil {
		answer, err = o.insist(ctx, requestDo, data)
	}
	var reply wireReply
	if err == nil {
		err = json.Unmarshal(answer, &reply)
	}
	if err != nil {
		return contracts.Reply{Refusal: refuse(err)}
	}
	return contracts.Reply(reply)
}

// insist sends an idempotent request again until it is answered or ctx ends.
func (o *Office) insist(ctx context.Context, name string, body []byte) (answer []byte, err error) {
	for {
		answer, err = o.line.Ask(ctx, name, body)
		if !errors.Is(err, ErrUnknown) || !pause(ctx) {
			return answer, err
		}
	}
}

// Tell records facts on the node that writes. If the answer is lost, the facts are sent again only
// if each of them has a key and so counts once.
func (o *Office) Tell(ctx context.Context, facts ...contracts.Fact) []contracts.Reply {
	if w := o.writer(); w != nil {
		return w.Tell(ctx, facts...)
	}
	replies, err := o.forward(ctx, facts)
	if err != nil {
		replies = make([]contracts.Reply, len(facts))
		for i := range replies {
			replies[i].Refusal = refuse(err)
		}
	}
	return replies
}

func (o *Office) forward(ctx context.Context, facts []contracts.Fact) ([]contracts.Reply, error) {
	list := make([]jsontext.Value, len(facts))
	once := true
	for i, f := range facts {
		b, err := contracts.EncodeFact(f)
		if err != nil {
			return nil, err
		}
		list[i] = b
		once = once && contracts.FactKey(f) != ""
	}
	body, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	ask := o.line.Ask
	if once {
		ask = o.insist
	}
	answer, err := ask(ctx, requestTell, body)
	if err != nil {
		return nil, err
	}
	var got []wireReply
	if err := json.Unmarshal(answer, &got); err != nil {
		return nil, err
	}
	if len(got) != len(facts) {
		return nil, fmt.Errorf("%d facts, but %d replies", len(facts), len(got))
	}
	replies := make([]contracts.Reply, len(got))
	for i := range got {
		replies[i] = contracts.Reply(got[i])
	}
	return replies, nil
}

// Record records one fact. It fails with a *contracts.Refusal if the fact is refused.
func (o *Office) Record(ctx context.Context, f contracts.Fact) error {
	if refusal := o.Tell(ctx, f)[0].Refusal; refusal != nil {
		return refusal
	}
	return nil
}

func refuse(err error) *contracts.Refusal {
	r := contracts.Refuse(contracts.CodeInternal, "not carried out: %v", err)
	if errors.Is(err, ErrUnknown) {
		r = contracts.Refuse(contracts.CodeInternal, "outcome unknown: %v; send it again with the same id; it counts once", err)
	}
	r.RetryAfterMS = contracts.LeaseTTL.Milliseconds()
	return r
}

// handle carries out a request of another node.
func handle(ctx context.Context, w Writer, name string, body []byte) ([]byte, error) {
	switch name {
	case requestDo:
		var c wireCommand
		if err := json.Unmarshal(body, &c, json.RejectUnknownMembers(true)); err != nil {
			return nil, fmt.Errorf("decode a command from another node: %w", err)
		}
		data, refusal := contracts.ParseCommandData(c.Name, c.Data)
		if refusal != nil {
			return json.Marshal(wireReply{Refusal: refusal})
		}
		return json.Marshal(wireReply(w.Do(ctx, contracts.Command{ID: c.ID, Caller: c.Caller, Data: data})))
	case requestTell:
		var list []jsontext.Value
		if err := json.Unmarshal(body, &list); err != nil {
			return nil, fmt.Errorf("decode facts from another node: %w", err)
		}
		facts := make([]contracts.Fact, len(list))
		for i, b := range list {
			var err error
			if facts[i], err = contracts.DecodeFact(b); err != nil {
				return nil, err
			}
		}
		replies := w.Tell(ctx, facts...)
		wire := make([]wireReply, len(replies))
		for i := range replies {
			wire[i] = wireReply(replies[i])
		}
		return json.Marshal(wire)
	}
	return nil, fmt.Errorf("unknown request %q: the nodes have different versions", name)
}
