package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/office"
)

// Do executes a command on the writer. If the answer is lost, the command is sent again with the
// same id, so it is executed only once.
func (n *Node) Do(ctx context.Context, cmd contracts.Command) contracts.Reply {
	switch cmd.Data.(type) {
	case contracts.PlayerPos, contracts.MovePlayerTo:
		return n.cfg.Players.Do(cmd)
	}
	var reply contracts.Reply
	answer, err := n.forward(ctx, request{
		name: requestDo, timeout: contracts.ForwardTimeout,
		encode: func() ([]byte, error) { return encodeCommand(cmd) },
		local: func(o *office.Office) bool {
			reply = o.Do(ctx, cmd)
			return !n.moved(ctx, o, reply)
		},
	})
	if err == nil && answer != nil {
		err = decodeReply(answer, &reply)
		n.catchUp(ctx, reply)
	}
	if err != nil {
		return contracts.Reply{Refusal: refuse(err)}
	}
	return reply
}

// Tell records facts on the writer, in order, and returns one reply for each fact once it is
// durable. This node's life owns everything that the facts start.
func (n *Node) Tell(ctx context.Context, facts ...contracts.Fact) []contracts.Reply {
	key := rand.Text()
	for again := false; ; again = true {
		replies := n.TellAs(ctx, contracts.Teller{Node: n.cfg.Name, Life: n.Life(), Key: key}, facts...)
		if again || !slices.ContainsFunc(replies, lifeOver) {
			return replies
		}
		if err := n.join(ctx); err != nil {
			return refuseAll(facts, refuse(err))
		}
	}
}

// catchUp waits until this node has the records that other nodes wrote for a caller, so that the
// caller finds them here. It delays a reply by at most contracts.CatchUpTimeout.
func (n *Node) catchUp(ctx context.Context, replies ...contracts.Reply) {
	ctx, cancel := context.WithTimeout(ctx, contracts.CatchUpTimeout)
	defer cancel()
	for _, r := range replies {
		if n.cfg.Ledger.Await(ctx, r.Seq) != nil {
			return
		}
	}
}

// lifeOver reports whether a fact was refused because the office has ended the life of the
// node that reported the fact.
func lifeOver(r contracts.Reply) bool {
	return r.Refusal != nil && r.Refusal.Field == contracts.FieldLife
}

// TellAs is like Tell, for facts from the given teller, whose life owns everything that they start.
// If an answer is lost, the facts are sent again with the teller's key, so they are recorded only
// once. While this node is the writer, its own facts are recorded directly and need no key.
func (n *Node) TellAs(ctx context.Context, teller contracts.Teller, facts ...contracts.Fact) []contracts.Reply {
	if o := n.writer(); o != nil && teller.Node == n.cfg.Name {
		return o.Tell(ctx, facts...)
	}
	var replies []contracts.Reply
	for i, p := range splitFacts(facts) {
		part := teller
		if part.Key != "" && i > 0 {
			part.Key = fmt.Sprintf("%s.%d", teller.Key, i)
		}
		replies = append(replies, n.tellPart(ctx, part, p)...)
	}
	return replies
}

func (n *Node) tellPart(ctx context.Context, teller contracts.Teller, p factPart) []contracts.Reply {
	if p.refusal != nil {
		return refuseAll(p.facts, p.refusal)
	}
	var replies []contracts.Reply
	answer, err := n.forward(ctx, request{
		name: requestTell, timeout: contracts.ForwardTimeout,
		encode: func() ([]byte, error) { return json.Marshal(wireFacts{Teller: teller, Facts: p.encoded}) },
		local: func(o *office.Office) bool {
			replies = o.TellAs(ctx, teller, p.facts...)
			return !n.moved(ctx, o, replies...)
		},
	})
	if err == nil && answer != nil {
		replies, err = decodeReplies(answer, len(p.facts))
		n.catchUp(ctx, replies...)
	}
	if err != nil {
		return refuseAll(p.facts, refuse(err))
	}
	return replies
}

// Record records a fact. It returns a *contracts.Refusal if the fact is invalid or about work that
// has ended. After any other error, the same fact may be reported again.
func (n *Node) Record(ctx context.Context, f contracts.Fact) error {
	switch refusal := n.Tell(ctx, f)[0].Refusal; {
	case refusal == nil:
		return nil
	case refusal.Code == contracts.CodeInternal:
		return errors.New(refusal.Message)
	default:
		return refusal
	}
}

// Redact erases text on the office's writer. A request with an unknown outcome is not repeated, so
// after an error, check which records were erased.
func (n *Node) Redact(ctx context.Context, q office.RedactRequest) (done office.Redactions, err error) {
	var failure error
	answer, err := n.forward(ctx, request{
		name: requestRedact, timeout: contracts.ForwardRedaction, once: true,
		encode: func() ([]byte, error) { return json.Marshal(q) },
		local: func(o *office.Office) bool {
			done, failure = o.Redact(ctx, q)
			return true
		},
	})
	if err == nil && answer == nil {
		return done, failure
	}
	return decodeRedactions(answer, err)
}

// Work returns the work for the runners on this node: everything if this node is the writer,
// otherwise nothing.
func (n *Node) Work() []contracts.Work {
	if o := n.writer(); o != nil {
		return o.Work()
	}
	return nil
}

// WorkChanged returns a channel that signals that Work may have changed since it was last read.
func (n *Node) WorkChanged() <-chan struct{} { return n.workChanged }

// Players returns the people in the room, on all nodes.
func (n *Node) Players() []contracts.Player { return n.cfg.Players.List() }

// SetSceneFunc makes people on this node walk in the scene that current returns; see
// office.Players.SetSceneFunc.
func (n *Node) SetSceneFunc(current office.SceneFunc) { n.cfg.Players.SetSceneFunc(current) }

// PlayerLeft removes a person's avatar from the room.
func (n *Node) PlayerLeft(id string) { n.cfg.Players.Remove(id) }

// RetentionPaused explains why retention is paused. It returns "" if retention is not paused or
// another node is responsible for it.
func (n *Node) RetentionPaused() string {
	if o := n.writer(); o != nil {
		return o.RetentionPaused()
	}
	return ""
}

// moved reports whether a request failed because this node is no longer the writer.
func (n *Node) moved(ctx context.Context, o *office.Office, replies ...contracts.Reply) bool {
	return ctx.Err() == nil && n.writer() != o && slices.ContainsFunc(replies, failed)
}

func failed(r contracts.Reply) bool {
	return r.Refusal != nil && r.Refusal.Code == contracts.CodeInternal
}

func refuseAll(facts []contracts.Fact, refusal *contracts.Refusal) []contracts.Reply {
	replies := make([]contracts.Reply, len(facts))
	for i := range replies {
		replies[i].Refusal = refusal
	}
	return replies
}

func refuse(err error) *contracts.Refusal {
	r := contracts.Refuse(contracts.CodeInternal, "not executed: %v", err)
	if errors.Is(err, errUnknown) {
		r = contracts.Refuse(contracts.CodeInternal, "outcome unknown: %v; retry with the same id, so that the request is executed only once", err)
	}
	r.RetryAfterMS = contracts.LeaseTTL.Milliseconds()
	return r
}
