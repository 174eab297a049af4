package view

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/world"
)

// Batch is a group of records that are applied in one step.
type Batch struct {
	Records    []contracts.Record
	Edited     bool               // text was erased: drop everything derived from older records
	Tombstones []contracts.Record // the tombstones of the erased records, except those that retention removed

	erased []uint64 // the seqs of the erased records
}

// newBatch returns recs as a batch. If recs report redactions, the batch also contains the
// tombstones, and newBatch returns a world that was rebuilt without the erased text. Otherwise the
// world is nil.
func (v *View) newBatch(ctx context.Context, recs []contracts.Record) (Batch, *world.World, error) {
	b := Batch{Records: recs}
	for i := range recs {
		seq, err := redactedSeq(&recs[i])
		if err != nil {
			return b, nil, err
		}
		if seq == 0 {
			continue
		}
		b.Edited = true
		b.erased = append(b.erased, seq)
		found, err := v.ledger.Read(ctx, seq-1, 1)
		if err != nil {
			return b, nil, fmt.Errorf("read redacted record %d: %w", seq, err)
		}
		if len(found) > 0 && found[0].Seq == seq { // retention may have removed the record since
			b.Tombstones = append(b.Tombstones, found[0])
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

// redactedSeq returns the seq of the record that a record_redacted event names, or 0 for other
// records.
func redactedSeq(r *contracts.Record) (uint64, error) {
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
