package office

import (
	"context"
	"fmt"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/director"
)

// turn is one batch of inputs on its way to one append.
type turn struct {
	o        *Office
	ctx      context.Context
	after    uint64
	recs     []contracts.Record
	receipts map[string]*contracts.Receipt // of commands in this very turn
}

// play decides every input and what follows from it. After an error the world
// is spoilt and nothing of the turn may be appended.
func (t *turn) play(batch []*request) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("a rule of the office broke: %v", p)
		}
	}()
	if err := t.advance(); err != nil {
		return err
	}
	for _, r := range batch {
		if err := t.input(r); err != nil {
			return err
		}
		if err := t.advance(); err != nil {
			return err
		}
	}
	return nil
}

// advance carries out what is due or follows from the world.
func (t *turn) advance() error {
	recs, err := t.o.director.Advance(t.o.world, t.o.moment())
	t.recs = append(t.recs, recs...)
	return err
}

func (t *turn) input(r *request) error {
	if r.fact != nil {
		recs, refusal, err := t.o.director.Observe(t.o.world, t.o.moment(), r.fact)
		t.recs = append(t.recs, recs...)
		r.outcome = contracts.Reply{Seq: t.o.world.Seq(), Refusal: refusal}
		return err
	}
	return t.command(r)
}

func (t *turn) command(r *request) error {
	key, print := director.ReceiptKey(*r.cmd), contracts.Fingerprint(r.cmd.Data)
	if again, known, err := t.known(key, print); known || err != nil {
		r.outcome = again
		return err
	}
	now := t.o.moment()
	recs, result, refusal, err := t.o.director.Decide(t.o.world, now, r.cmd.Data)
	if err != nil {
		return err
	}
	if refusal != nil {
		t.o.refused.remember(key, print, refusal)
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

// known finds the answer that a command id got before.
func (t *turn) known(key, print string) (contracts.Reply, bool, error) {
	if was, ok := t.o.refused.find(key); ok {
		if was.print != print {
			return contracts.Reply{Refusal: otherBody()}, true, nil
		}
		return contracts.Reply{Refusal: was.refusal, Duplicate: true}, true, nil
	}
	receipt := t.receipts[key]
	if receipt == nil {
		rec, ok, err := t.o.ledger.Lookup(t.ctx, key)
		if err != nil || !ok {
			return contracts.Reply{}, false, err
		}
		body, err := rec.Decode()
		if err != nil {
			return contracts.Reply{}, false, err
		}
		receipt = body.(*contracts.Receipt)
	}
	if receipt.Fingerprint != print {
		return contracts.Reply{Refusal: otherBody()}, true, nil
	}
	return contracts.Reply{Seq: receipt.LastSeq, Duplicate: true, Result: receipt.Result}, true, nil
}

func otherBody() *contracts.Refusal {
	return contracts.Refuse(contracts.CodeConflict, "This id was used for another command. Give every command an id of its own.")
}
