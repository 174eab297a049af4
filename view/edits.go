package view

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// edits returns recs as a batch. If recs report redactions, the batch also contains the tombstones,
// and edits returns a world that was rebuilt without the erased text. Otherwise the world is nil.
func (v *View) edits(ctx context.Context, recs []contracts.Record) (Batch, *world.World, error) {
	b := Batch{Records: recs}
	for i := range recs {
		seq, err := redacted(&recs[i])
		if err != nil {
			return b, nil, err
		}
		if seq == 0 {
			continue
		}
		b.Edited = true
		b.erased = append(b.erased, seq)
		stone, err := v.ledger.Read(ctx, seq-1, 1)
		if err != nil {
			return b, nil, fmt.Errorf("read redacted record %d: %w", seq, err)
		}
		if len(stone) > 0 && stone[0].Seq == seq { // retention may have removed the record since
			b.Stones = append(b.Stones, stone[0])
		}
	}
	if !b.Edited {
		return b, nil, nil
	}
	if v.load == nil {
		return b, nil, errors.New("a record was redacted, but the view has no Load function to rebuild the world")
	}
	w, err := v.load(ctx, recs[len(recs)-1].Seq)
	if err != nil {
		return b, nil, fmt.Errorf("rebuild the world without redacted text: %w", err)
	}
	return b, w, nil
}

// redacted returns the seq of the record that a record_redacted event names, or 0 for other records.
func redacted(r *contracts.Record) (uint64, error) {
	if r.Kind != contracts.KindEvent || !bytes.Contains(r.Body, []byte(contracts.EventRecordRedacted)) {
		return 0, nil
	}
	body, err := r.Decode()
	if err != nil {
		return 0, err
	}
	if e := body.(*contracts.Event); e.Name == contracts.EventRecordRedacted && e.Redaction != nil {
		return e.Redaction.Seq, nil
	}
	return 0, nil
}
