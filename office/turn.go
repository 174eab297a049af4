package office

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/director"
	"github.com/bullpen-office/bullpen/world"
)

// turn is one batch of inputs that are appended together.
type turn struct {
	o        *Office
	ctx      context.Context
	batch    []*request // inputs that have no answer yet
	after    uint64     // the head that the append expects
	recs     []contracts.Record
	receipts map[string]*contracts.Receipt // receipts of the commands in this turn
	facts    map[string]contracts.Reply    // replies to the facts in this turn that may be recorded only once
	refused  map[string]refused            // refusals in this turn; remembered once the turn is written
	unknown  map[string]bool               // keys in this turn that no earlier record has
	begins   bool                          // this turn records the beginning of the office's life
}

// run decides on the batch and appends the result. After an error, the world is dirty. Unless the
// error is errUnknown, nothing was appended.
func (t *turn) run() error {
	if t.o.dirty {
		if err := t.o.refold(t.ctx); err != nil {
			return err
		}
	}
	t.after = t.o.world.Seq()
	if err := t.play(t.batch); err != nil || len(t.recs) == 0 {
		return err
	}
	err := t.append(t.ctx)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return t.resend()
	}
	return err
}

// play decides on every input and its consequences. After an error, the world is dirty, and nothing
// from this turn may be appended.
func (t *turn) play(batch []*request) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error in an office rule: %v", p)
		}
	}()
	if err := t.begin(batch); err != nil {
		return err
	}
	if err := t.lookAhead(batch); err != nil {
		return err
	}
	if err := t.advance(); err != nil {
		return err
	}
	for _, r := range batch {
		before := len(t.recs)
		if err := t.input(r); err != nil {
			return err
		}
		if !slices.ContainsFunc(t.recs[before:], hasConsequences) {
			continue
		}
		if err := t.advance(); err != nil {
			return err
		}
	}
	return nil
}

// lookAhead looks up all keys of a batch in the ledger with one query. Most keys are new, and a query
// for many keys costs little more than a query for one.
func (t *turn) lookAhead(batch []*request) error {
	var keys []string
	for _, r := range batch {
		if r.key = r.keyOf(); r.key != "" {
			keys = append(keys, r.key)
		}
	}
	if len(keys) < 2 {
		return nil
	}
	known, err := t.o.ledger.Known(t.ctx, keys)
	if err != nil {
		return err
	}
	t.unknown = make(map[string]bool, len(keys))
	for i, key := range keys {
		t.unknown[key] = !known[i]
	}
	return nil
}

// find returns the record with the given key if an earlier turn wrote one; otherwise it returns
// false.
func (t *turn) find(key string) (contracts.Record, bool, error) {
	if t.unknown[key] {
		return contracts.Record{}, false, nil
	}
	return t.o.ledger.Lookup(t.ctx, key)
}

// begin records the beginning of the office's life together with the first input, if Open could not
// do so.
func (t *turn) begin(batch []*request) error {
	if t.o.life != "" || len(batch) == 0 {
		return nil
	}
	life, recs, err := t.o.director.Begin(t.o.world, t.o.beginning(), t.o.lastSign, t.o.watches)
	t.begins = true
	t.o.setLife(life)
	t.recs = append(t.recs, recs...)
	return err
}

// hasConsequences reports whether the director's rules may apply after a record. An activity record
// has consequences only if it starts or ends a turn, which is visible in the room, or if it reports
// a check, which can change the inbox.
func hasConsequences(r contracts.Record) bool {
	if r.Kind != contracts.KindHUD {
		return world.Means(r.Kind)
	}
	h, ok := r.Head()
	return ok && (h.Event == contracts.HUDTurnStart || h.Event == contracts.HUDTurnEnd || h.Impact != nil && h.Impact.Kind == contracts.ImpactCheck)
}

// advance executes the director's steps that are due and adds their records to the turn.
func (t *turn) advance() error {
	recs, err := t.o.director.Advance(t.o.world, t.o.moment())
	t.recs = append(t.recs, recs...)
	return err
}

func (t *turn) input(r *request) error {
	if r.fact != nil {
		return t.observe(r)
	}
	return t.command(r)
}

// observe records a fact. A fact that may be recorded only once and is already known has no effect.
func (t *turn) observe(r *request) error {
	key := r.key
	if again, known, err := t.repeated(key); known || err != nil {
		r.outcome = again
		return err
	}
	now := t.o.moment()
	if r.teller.Life != "" {
		if o := t.o.world.Owner(r.teller.Life); o == nil || !o.Up || o.Node != r.teller.Node {
			r.outcome = contracts.Reply{Refusal: contracts.RefuseField(contracts.FieldLife, "the office has ended %s of node %q: start a new life", r.teller.Life, r.teller.Node)}
			return nil
		}
		now.Node, now.Life = r.teller.Node, r.teller.Life
	}
	recs, result, refusal, err := t.o.director.Observe(t.o.world, now, r.fact)
	if err != nil {
		return err
	}
	r.outcome = contracts.Reply{Seq: t.o.world.Seq(), Result: result, Refusal: refusal}
	if len(recs) > 0 && key == r.teller.Key && key != "" {
		if recs, err = t.keyed(recs, now, key, result); err != nil {
			return err
		}
	}
	t.recs = append(t.recs, recs...)
	if key != "" && refusal == nil && len(recs) > 0 {
		r.outcome.Seq = recs[0].Seq // the fact itself, without its consequences
		t.facts[key] = r.outcome
	}
	return nil
}

// keyed sets the key of a fact's first record to the key that another node sent with the fact. A
// record that already has a key keeps it, because readers use that key to find the record; keyed
// then appends a receipt with the node's key.
func (t *turn) keyed(recs []contracts.Record, now director.Now, key string, result contracts.Result) ([]contracts.Record, error) {
	if recs[0].Key == "" {
		recs[0].Key = key
		return recs, nil
	}
	receipt, err := t.o.director.FactReceipt(t.o.world, now, key, recs[0].Seq, result)
	return append(recs, receipt), err
}

// repeated returns the earlier reply to a fact that may be recorded only once, or false if the fact
// is new.
func (t *turn) repeated(key string) (contracts.Reply, bool, error) {
	if key == "" {
		return contracts.Reply{}, false, nil
	}
	if again, ok := t.facts[key]; ok {
		again.Duplicate = true
		return again, true, nil
	}
	rec, ok, err := t.find(key)
	if err != nil || !ok {
		return contracts.Reply{}, false, err
	}
	again := contracts.Reply{Seq: rec.Seq, Duplicate: true}
	body, err := rec.Decode()
	switch b := body.(type) {
	case *contracts.UI:
		again.Result.DecisionID = b.DecisionID
	case *contracts.Event:
		again.Result.DecisionID = b.DecisionID
	case *contracts.Receipt:
		again.Seq, again.Result = b.LastSeq, b.Result
	}
	return again, true, err
}

func (t *turn) command(r *request) error {
	key, print := r.key, contracts.Fingerprint(r.cmd.Data)
	if again, known, err := t.known(*r.cmd, print); known || err != nil {
		r.outcome = again
		return err
	}
	now := t.o.moment()
	recs, result, refusal, err := t.o.director.Decide(t.o.world, now, r.cmd.Caller, r.cmd.Data)
	if err != nil {
		return err
	}
	if refusal != nil {
		t.refuse(key, print, refusal)
		r.outcome = contracts.Reply{Refusal: refusal}
		return nil
	}
	r.outcome = contracts.Reply{Seq: t.o.world.Seq(), Result: result}
	receipt, err := t.o.director.Receipt(t.o.world, now, *r.cmd, result)
	if err != nil {
		return err
	}
	t.receipts[key] = &contracts.Receipt{Fingerprint: print, LastSeq: r.outcome.Seq, Result: result}
	t.recs = append(append(t.recs, recs...), receipt)
	return nil
}

func (t *turn) refuse(key, print string, refusal *contracts.Refusal) {
	if t.refused == nil {
		t.refused = map[string]refused{}
	}
	t.refused[key] = refused{print, refusal}
}

func (t *turn) rememberRefusals() {
	for key, was := range t.refused {
		t.o.refused.remember(key, was)
	}
}

// known returns the earlier reply to a command id, or false if the id is new.
func (t *turn) known(cmd contracts.Command, print string) (contracts.Reply, bool, error) {
	key := director.ReceiptKey(cmd)
	was, ok := t.refused[key]
	if !ok {
		was, ok = t.o.refused.find(key)
	}
	if ok {
		if was.print != print {
			return contracts.Reply{Refusal: otherBody()}, true, nil
		}
		return contracts.Reply{Refusal: was.refusal, Duplicate: true}, true, nil
	}
	if receipt := t.receipts[key]; receipt != nil {
		return answerOf(receipt, print), true, nil
	}
	return t.written(cmd)
}

// written returns the reply to a command id from the ledger, or false if there is none.
func (t *turn) written(cmd contracts.Command) (contracts.Reply, bool, error) {
	rec, ok, err := t.find(director.ReceiptKey(cmd))
	if err != nil || !ok {
		return contracts.Reply{}, false, err
	}
	body, err := rec.Decode()
	if err != nil {
		return contracts.Reply{}, false, err
	}
	return answerOf(body.(*contracts.Receipt), contracts.Fingerprint(cmd.Data)), true, nil
}

// answerOf returns the reply in a receipt, or a refusal if the command's data differs. If the
// receipt was redacted, the data is not compared.
func answerOf(receipt *contracts.Receipt, print string) contracts.Reply {
	if receipt.Fingerprint != print && receipt.Fingerprint != contracts.Redacted {
		return contracts.Reply{Refusal: otherBody()}
	}
	return contracts.Reply{Seq: receipt.LastSeq, Duplicate: true, Result: receipt.Result}
}

func otherBody() *contracts.Refusal {
	return contracts.Refuse(contracts.CodeConflict, "this id was already used for another command; use a new id for each command")
}
