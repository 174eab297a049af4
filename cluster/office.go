package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/office"
)

// Do executes a command on the node that writes. If its answer is lost, the command is sent again
// with the same id, so it counts once.
func (n *Node) Do(ctx context.Context, cmd contracts.Command) contracts.Reply {
	switch cmd.Data.(type) {
	case contracts.PlayerPos, contracts.MovePlayerTo:
		return n.cfg.Players.Do(cmd)
	}
	var reply contracts.Reply
	answer, err := n.carry(ctx, requestDo, func() ([]byte, error) { return encodeCommand(cmd) }, func(o *office.Office) bool {
		reply = o.Do(ctx, cmd)
		return !n.moved(ctx, o, reply)
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

// Tell records facts on the node that writes, in order, and returns one reply for each fact once it is
// durable. This node's life owns what the facts start.
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

// catchUp waits until this node knows what other nodes have recorded for a caller, so that the caller
// finds it here. A reply is not held back for longer than contracts.CatchUpTimeout.
func (n *Node) catchUp(ctx context.Context, replies ...contracts.Reply) {
	ctx, cancel := context.WithTimeout(ctx, contracts.CatchUpTimeout)
	defer cancel()
	for _, r := range replies {
		if n.cfg.Ledger.Await(ctx, r.Seq) != nil {
			return
		}
	}
}

// lifeOver reports whether a fact was refused because the office has ended the life of its teller.
func lifeOver(r contracts.Reply) bool {
	return r.Refusal != nil && r.Refusal.Field == contracts.FieldLife
}

// TellAs is Tell for the facts of a teller. If an answer is lost, the facts are sent again with the
// teller's key, so they count once. While this node writes, its own facts need no key: they are
// recorded directly.
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
	encode := func() ([]byte, error) { return json.Marshal(wireFacts{Teller: teller, Facts: p.encoded}) }
	answer, err := n.carry(ctx, requestTell, encode, func(o *office.Office) bool {
		replies = o.TellAs(ctx, teller, p.facts...)
		return !n.moved(ctx, o, replies...)
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

// Record records a fact. It returns a *contracts.Refusal if the fact is invalid or about work that is
// over. After any other error the same fact may be reported again.
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

// Redact erases text on the node that writes. It is sent once: after an error, check what is erased.
func (n *Node) Redact(ctx context.Context, q office.RedactRequest) (office.Redactions, error) {
	ctx, cancel := context.WithTimeout(ctx, contracts.ForwardRedaction)
	defer cancel()
	for {
		if o := n.writer(); o != nil {
			return o.Redact(ctx, q)
		}
		holder, ok, changed := n.writing.Holder()
		if err := n.permitted(holder, ok); err != nil {
			return office.Redactions{}, err
		}
		if ok && holder.Token != n.token {
			body, err := json.Marshal(q)
			if err != nil {
				return office.Redactions{}, err
			}
			answer, err := n.line.send(ctx, holder.Token, requestRedact, body)
			if !errors.Is(err, errNoWriter) {
				return decodeRedactions(answer, err)
			}
		}
		if !waitFor(ctx, changed) {
			return office.Redactions{}, errNoWriter
		}
	}
}

// Work returns what runners on this node should be doing now: everything while it writes, otherwise
// nothing.
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

// PlayerLeft removes a person's avatar from the room.
func (n *Node) PlayerLeft(id string) { n.cfg.Players.Left(id) }

// RetentionPaused returns why nothing is removed by age at the moment; empty if retention is not
// paused, or if another node is responsible.
func (n *Node) RetentionPaused() string {
	if o := n.writer(); o != nil {
		return o.RetentionPaused()
	}
	return ""
}

// carry takes a request to the node that writes: it calls local while this node writes, and sends the
// encoded request otherwise. It repeats the request until it is answered, so the request must count
// once. local returns false if the request must be repeated elsewhere. The answer is nil if local
// carried out the request.
func (n *Node) carry(ctx context.Context, name string, encode func() ([]byte, error), local func(*office.Office) bool) (answer []byte, err error) {
	limit, cancel := context.WithTimeout(ctx, contracts.ForwardTimeout)
	defer cancel()
	var body []byte
	unanswered := errNoWriter
	for {
		holder, ok, changed := n.writing.Holder()
		if o := n.writer(); o != nil {
			if local(o) {
				return nil, nil
			}
		} else if err = n.permitted(holder, ok); err != nil {
			return nil, err
		} else if ok && holder.Token != n.token {
			if body == nil {
				if body, err = encode(); err != nil {
					return nil, err
				}
			}
			answer, err = n.attempt(limit, holder.Token, changed, name, body)
			switch {
			case errors.Is(err, errUnknown):
				unanswered = err
			case !errors.Is(err, errNoWriter):
				return answer, err
			}
		}
		if !waitFor(limit, changed) {
			return nil, unanswered
		}
	}
}

// attempt sends a request once, and stops waiting when another node writes.
func (n *Node) attempt(ctx context.Context, token string, changed <-chan struct{}, name string, body []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, contracts.ForwardAttempt)
	defer cancel()
	answered := make(chan struct{})
	defer close(answered)
	go func() {
		select {
		case <-changed:
			cancel()
		case <-answered:
		}
	}()
	return n.line.send(ctx, token, name, body)
}

// waitFor waits until the writer may have changed. It returns false if ctx has ended.
func waitFor(ctx context.Context, changed <-chan struct{}) bool {
	select {
	case <-changed:
	case <-time.After(contracts.JetStreamPause): // the holder may not have subscribed yet
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

// moved reports whether a request failed because this node stopped writing.
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
		r = contracts.Refuse(contracts.CodeInternal, "outcome unknown: %v; send it again with the same id; it is executed only once", err)
	}
	r.RetryAfterMS = contracts.LeaseTTL.Milliseconds()
	return r
}
