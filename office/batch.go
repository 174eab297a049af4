package office

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/director"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/world"
)

// batch is a set of inputs that are appended together.
type batch struct {
	o        *Office
	ctx      context.Context
	inputs   []*request // inputs that have no answer yet
	after    uint64     // the head that the append expects
	recs     []contracts.Record
	receipts map[string]*contracts.Receipt // receipts of the commands in this batch
	facts    map[string]contracts.Reply    // replies to the facts in this batch that may be recorded only once
	refused  map[string]refused            // refusals in this batch; remembered once the batch is written
	unknown  map[string]bool               // keys in this batch that no earlier record has
	begins   bool                          // this batch records the beginning of the office's life
}

// run decides on the batch and appends the result. After an error, the world is dirty. If the error
// is errUnknown, the records may have been appended, or may still be appended.
func (b *batch) run() error {
	if b.o.dirty {
		if err := b.o.refold(b.ctx); err != nil {
			return err
		}
	}
	b.after = b.o.world.Seq()
	if err := b.decide(b.inputs); err != nil || len(b.recs) == 0 {
		return err
	}
	err := b.append(b.ctx)
	if errors.Is(err, ledger.ErrUnconfirmed) {
		return b.resend()
	}
	return err
}

// decide creates the records for every input and its consequences. After an error, the world is
// dirty, and nothing from this batch may be appended.
func (b *batch) decide(inputs []*request) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error in an office rule: %v", p)
		}
	}()
	if err := b.begin(inputs); err != nil {
		return err
	}
	if err := b.lookUpKeys(inputs); err != nil {
		return err
	}
	if err := b.advance(); err != nil {
		return err
	}
	for _, r := range inputs {
		before := len(b.recs)
		if err := b.input(r); err != nil {
			return err
		}
		if !slices.ContainsFunc(b.recs[before:], hasConsequences) {
			continue
		}
		if err := b.advance(); err != nil {
			return err
		}
	}
	return nil
}

// lookUpKeys looks up all keys of the inputs in the ledger with one query. Most keys are new, and a
// query for many keys costs little more than a query for one.
func (b *batch) lookUpKeys(inputs []*request) error {
	var keys []string
	for _, r := range inputs {
		if r.key = r.keyOf(); r.key != "" {
			keys = append(keys, r.key)
		}
	}
	if len(keys) < 2 {
		return nil
	}
	known, err := b.o.ledger.HasKeys(b.ctx, keys)
	if err != nil {
		return err
	}
	b.unknown = make(map[string]bool, len(keys))
	for i, key := range keys {
		b.unknown[key] = !known[i]
	}
	return nil
}

// find returns the record with the given key if an earlier batch wrote one; otherwise it returns
// false.
func (b *batch) find(key string) (contracts.Record, bool, error) {
	if b.unknown[key] {
		return contracts.Record{}, false, nil
	}
	return b.o.ledger.Lookup(b.ctx, key)
}

// begin records the beginning of the office's life together with the first input, if Open could not
// do so.
func (b *batch) begin(inputs []*request) error {
	if b.o.life != "" || len(inputs) == 0 {
		return nil
	}
	life, recs, err := b.o.director.Begin(b.o.world, b.o.beginning(), b.o.lastRecordAt, b.o.watches)
	b.begins = true
	b.o.setLife(life)
	b.recs = append(b.recs, recs...)
	return err
}

// hasConsequences reports whether the director's rules may apply after a record. An activity record
// has consequences only if it starts or ends a turn, which is visible in the room, or if it reports
// a check, which can change the inbox.
func hasConsequences(r contracts.Record) bool {
	if r.Kind != contracts.KindHUD {
		return world.HasLastingEffect(r.Kind)
	}
	h, ok := r.Head()
	return ok && (h.Event == contracts.HUDTurnStart || h.Event == contracts.HUDTurnEnd || h.Impact != nil && h.Impact.Kind == contracts.ImpactCheck)
}

// advance executes the director's steps that are due and adds their records to the batch.
func (b *batch) advance() error {
	recs, err := b.o.director.Advance(b.o.world, b.o.moment())
	b.recs = append(b.recs, recs...)
	return err
}

func (b *batch) input(r *request) error {
	if r.fact != nil {
		return b.observe(r)
	}
	return b.command(r)
}

// observe records a fact. A fact that may be recorded only once and is already known has no effect.
func (b *batch) observe(r *request) error {
	key := r.key
	if again, known, err := b.findFactReply(key); known || err != nil {
		r.outcome = again
		return err
	}
	now := b.o.moment()
	if r.teller.Life != "" {
		if o := b.o.world.Owner(r.teller.Life); o == nil || !o.Up || o.Node != r.teller.Node {
			r.outcome = contracts.Reply{Refusal: contracts.RefuseField(contracts.FieldLife, "the office has ended %s of node %q: start a new life", r.teller.Life, r.teller.Node)}
			return nil
		}
		now.Node, now.Life = r.teller.Node, r.teller.Life
	}
	recs, result, refusal, err := b.o.director.Observe(b.o.world, now, r.fact)
	if err != nil {
		return err
	}
	r.outcome = contracts.Reply{Seq: b.o.world.Seq(), Result: result, Refusal: refusal}
	if len(recs) > 0 && key == r.teller.Key && key != "" {
		if recs, err = b.setFactKey(recs, now, key, result); err != nil {
			return err
		}
	}
	b.recs = append(b.recs, recs...)
	if key != "" && refusal == nil && len(recs) > 0 {
		r.outcome.Seq = recs[0].Seq // the fact itself, without its consequences
		b.facts[key] = r.outcome
	}
	return nil
}

// setFactKey sets the key of a fact's first record to the key that another node sent with the fact.
// A record that already has a key keeps it, because readers use that key to find the record;
// setFactKey then appends a receipt with the node's key.
func (b *batch) setFactKey(recs []contracts.Record, now director.Now, key string, result contracts.Result) ([]contracts.Record, error) {
	if recs[0].Key == "" {
		recs[0].Key = key
		return recs, nil
	}
	receipt, err := b.o.director.FactReceipt(b.o.world, now, key, recs[0].Seq, result)
	return append(recs, receipt), err
}

// findFactReply returns the earlier reply to a fact that may be recorded only once, or false if the
// fact is new.
func (b *batch) findFactReply(key string) (contracts.Reply, bool, error) {
	if key == "" {
		return contracts.Reply{}, false, nil
	}
	if again, ok := b.facts[key]; ok {
		again.Duplicate = true
		return again, true, nil
	}
	rec, ok, err := b.find(key)
	if err != nil || !ok {
		return contracts.Reply{}, false, err
	}
	again := contracts.Reply{Seq: rec.Seq, Duplicate: true}
	body, err := rec.Decode()
	switch body := body.(type) {
	case *contracts.UI:
		again.Result.DecisionID = body.DecisionID
	case *contracts.Event:
		again.Result.DecisionID = body.DecisionID
	case *contracts.Receipt:
		again.Seq, again.Result = body.LastSeq, body.Result
	}
	return again, true, err
}

func (b *batch) command(r *request) error {
	key, fingerprint := r.key, contracts.Fingerprint(r.cmd.Data)
	if again, known, err := b.findReply(*r.cmd, fingerprint); known || err != nil {
		r.outcome = again
		return err
	}
	now := b.o.moment()
	recs, result, refusal, err := b.o.director.Decide(b.o.world, now, r.cmd.Caller, r.cmd.Data)
	if err != nil {
		return err
	}
	if refusal != nil {
		b.refuse(key, fingerprint, refusal)
		r.outcome = contracts.Reply{Refusal: refusal}
		return nil
	}
	r.outcome = contracts.Reply{Seq: b.o.world.Seq(), Result: result}
	receipt, err := b.o.director.Receipt(b.o.world, now, *r.cmd, result)
	if err != nil {
		return err
	}
	b.receipts[key] = &contracts.Receipt{Fingerprint: fingerprint, LastSeq: r.outcome.Seq, Result: result}
	b.recs = append(append(b.recs, recs...), receipt)
	return nil
}

func (b *batch) refuse(key, fingerprint string, refusal *contracts.Refusal) {
	if b.refused == nil {
		b.refused = map[string]refused{}
	}
	b.refused[key] = refused{fingerprint, refusal}
}

func (b *batch) rememberRefusals() {
	for key, was := range b.refused {
		b.o.refused.remember(key, was)
	}
}

// findReply returns the earlier reply to a command id, or false if the id is new.
func (b *batch) findReply(cmd contracts.Command, fingerprint string) (contracts.Reply, bool, error) {
	key := director.ReceiptKey(cmd)
	was, ok := b.refused[key]
	if !ok {
		was, ok = b.o.refused.find(key)
	}
	if ok {
		if was.fingerprint != fingerprint {
			return contracts.Reply{Refusal: refuseReusedID()}, true, nil
		}
		return contracts.Reply{Refusal: was.refusal, Duplicate: true}, true, nil
	}
	if receipt := b.receipts[key]; receipt != nil {
		return answerOf(receipt, fingerprint), true, nil
	}
	return b.recordedReply(cmd)
}

// recordedReply returns the reply that the ledger contains for a command, or false if there is
// none.
func (b *batch) recordedReply(cmd contracts.Command) (contracts.Reply, bool, error) {
	rec, ok, err := b.find(director.ReceiptKey(cmd))
	if err != nil || !ok {
		return contracts.Reply{}, false, err
	}
	body, err := rec.Decode()
	if err != nil {
		return contracts.Reply{}, false, err
	}
	return answerOf(body.(*contracts.Receipt), contracts.Fingerprint(cmd.Data)), true, nil
}

// answerOf returns the reply in a receipt, or a refusal if the receipt belongs to a command with
// other data. If the receipt was redacted, the data is not compared.
func answerOf(receipt *contracts.Receipt, fingerprint string) contracts.Reply {
	if receipt.Fingerprint != fingerprint && receipt.Fingerprint != contracts.Redacted {
		return contracts.Reply{Refusal: refuseReusedID()}
	}
	return contracts.Reply{Seq: receipt.LastSeq, Duplicate: true, Result: receipt.Result}
}

func refuseReusedID() *contracts.Refusal {
	return contracts.Refuse(contracts.CodeConflict, "this id was already used for another command; use a new id for each command")
}
