package jetstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// Restoration configures Restore. From and Origin are required.
type Restoration struct {
	From     ledger.Ledger
	Origin   string                  // identifies the history in From, so that an interrupted copy is continued only from the same history
	Progress func(done, head uint64) // called after each batch; may be nil
}

// Restore copies a ledger into an office that has no records, and verifies the copy. The copy has a
// new identity but the same sequence numbers. Until Restore has succeeded, Open refuses the office.
// After an interruption, a call with the same source continues the copy. The caller must prevent
// other nodes from writing to the office in the meantime.
func Restore(ctx context.Context, config Config, r Restoration) (id string, err error) {
	config.restoring = true
	l, err := Open(ctx, config)
	if err != nil {
		return "", err
	}
	defer l.Close()
	c := &copying{Restoration: r, to: l, known: map[string]bool{}}
	if err := c.begin(ctx); err != nil {
		return "", err
	}
	if err := c.run(ctx); err != nil {
		return "", fmt.Errorf("the import into office %q is incomplete; run it again to continue: %w", l.config.Office, err)
	}
	return l.id, nil
}

// restoreName is the name of the stored value that marks an incomplete copy.
const restoreName = "document.restore"

// restoreMark identifies the source of an incomplete copy.
type restoreMark struct {
	Origin string `json:"origin"`
	Head   uint64 `json:"head"`
	Floor  uint64 `json:"floor,omitzero"`
}

// checkRestored fails if a copy into the office is incomplete.
func (l *Ledger) checkRestored(ctx context.Context) error {
	if l.config.restoring {
		return nil
	}
	_, _, revision, err := l.get(ctx, restoreName)
	if err == nil && revision != 0 {
		err = errors.New("an import into this office is running or was interrupted: wait until it ends, or import the same export again")
	}
	return err
}

// copying is a Restore in progress.
type copying struct {
	Restoration
	to    *Ledger
	known map[string]bool    // hashes of content that was copied or is missing from the source
	batch []contracts.Record // records to append
	bytes int                // total bytes of the batch's bodies
}

// begin marks the office as incomplete, or checks that it is an incomplete copy of the same source.
func (c *copying) begin(ctx context.Context) error {
	l := c.to
	want := restoreMark{Origin: c.Origin, Head: c.From.Head(), Floor: c.From.Floor()}
	data, _, revision, err := l.get(ctx, restoreName)
	switch {
	case err != nil:
		return err
	case revision == 0 && l.Head() > 0:
		return fmt.Errorf("office %q already exists in the NATS cluster, with records up to %d: choose another name", l.config.Office, l.Head())
	case revision == 0:
		if data, err = json.Marshal(want); err == nil {
			_, err = l.put(ctx, restoreName, nil, data, 0)
		}
		return err
	}
	var found restoreMark
	if err := json.Unmarshal(data, &found); err != nil || found != want {
		return c.other(fmt.Sprintf("ledger %s up to record %d", found.Origin, found.Head))
	}
	return c.compare(ctx)
}

// other returns the error for an office that is an incomplete copy of another source.
func (c *copying) other(what string) error {
	return fmt.Errorf("office %[2]s contains an interrupted import of %[1]s: import that export again, choose another office name, or delete the streams %[3]s and %[4]s", what, c.to.config.Office, c.to.recordStream(), c.to.extraStream())
}

// compare checks that the records of an interrupted copy match the source.
func (c *copying) compare(ctx context.Context) error {
	l := c.to
	for after, head := uint64(0), l.Head(); after < head; {
		page, next, err := l.page(ctx, after, head, contracts.LimitFollowBatch, nil)
		if err != nil {
			return l.noteDamage(err)
		}
		page = slices.DeleteFunc(page, func(e entry) bool { return e.Kind == gapKind })
		want, err := c.From.Read(ctx, after, len(page)+1)
		if err != nil {
			return fmt.Errorf("read the records to import: %w", err)
		}
		for i := range page {
			if i == len(want) || !sameRecord(&page[i].Record, &want[i]) {
				return c.other(fmt.Sprintf("another ledger (its record %d differs)", page[i].Seq))
			}
		}
		if n := len(page); n < len(want) && want[n].Seq <= next {
			return c.other(fmt.Sprintf("a different ledger (it lacks record %d)", want[n].Seq))
		}
		after = next
	}
	return nil
}

func sameRecord(a, b *contracts.Record) bool {
	return a.Seq == b.Seq && a.TS == b.TS && a.Kind == b.Kind && a.ID == b.ID && a.Key == b.Key && a.Redacted == b.Redacted && bytes.Equal(a.Body, b.Body)
}

// run copies the missing records and verifies the copy.
func (c *copying) run(ctx context.Context) error {
	if err := c.to.Lead(ctx); err != nil {
		return err
	}
	if err := c.copyRecords(ctx); err != nil {
		return err
	}
	if err := c.removeGaps(ctx); err != nil {
		return err
	}
	if err := c.to.Verify(ctx); err != nil {
		return err
	}
	return c.to.drop(ctx, restoreName)
}

// gapKind is the kind of the records that occupy the sequence numbers of removed records until the
// copy is complete.
const gapKind contracts.Kind = "removed"

// copyRecords appends the records that the copy does not have yet.
func (c *copying) copyRecords(ctx context.Context) error {
	head := c.From.Head()
	for next := c.to.Head() + 1; next <= head; {
		recs, err := c.From.Read(ctx, next-1, contracts.LimitFollowBatch)
		if err != nil {
			return fmt.Errorf("read the records to import: %w", err)
		}
		if len(recs) == 0 {
			recs = []contracts.Record{{Seq: head, Kind: gapKind}}
		}
		for i := range recs {
			for ; next < recs[i].Seq; next++ {
				if err := c.add(ctx, contracts.Record{Seq: next, Kind: gapKind}); err != nil {
					return err
				}
			}
			if err := c.add(ctx, recs[i]); err != nil {
				return err
			}
			next++
		}
	}
	return c.flush(ctx)
}

// add stores the content of a record and queues the record.
func (c *copying) add(ctx context.Context, r contracts.Record) error {
	if r.Kind != gapKind {
		if err := c.copyContent(ctx, &r); err != nil {
			return err
		}
	}
	if len(c.batch) == contracts.LimitJetStreamBatch || c.bytes+len(r.Body) > contracts.LimitJetStreamBytes {
		if err := c.flush(ctx); err != nil {
			return err
		}
	}
	c.batch, c.bytes = append(c.batch, r), c.bytes+len(r.Body)
	return nil
}

// copyContent stores the content of a record, if the source has it.
func (c *copying) copyContent(ctx context.Context, r *contracts.Record) error {
	names, err := r.ContentHashes()
	if err != nil {
		return err
	}
	for _, name := range names {
		if c.known[name] {
			continue
		}
		content, ok, err := c.From.Blob(ctx, name)
		if ok && err == nil {
			_, err = c.to.PutBlob(ctx, content)
		}
		if err != nil {
			return fmt.Errorf("copy content %s: %w", name, err)
		}
		c.known[name] = true
	}
	return nil
}

// flush appends the queued records.
func (c *copying) flush(ctx context.Context) error {
	if len(c.batch) == 0 {
		return nil
	}
	if err := c.to.Append(ctx, c.batch[0].Seq-1, c.batch); err != nil {
		return err
	}
	if c.Progress != nil {
		c.Progress(c.to.Head(), c.From.Head())
	}
	c.batch, c.bytes = nil, 0
	return nil
}

// removeGaps removes the placeholders that were appended for removed records. It saves the
// document first, so that no node shows a placeholder that a replica still has.
func (c *copying) removeGaps(ctx context.Context) error {
	l, floor := c.to, c.From.Floor()
	if floor == 0 {
		return nil
	}
	if err := l.keepSegments(ctx); err != nil {
		return err
	}
	st := l.state.Load()
	err := l.saveDocument(ctx, func(d *document) {
		d.Floor = floor
		d.advance(st)
		d.Kinds[gapKind] = kindCut{UpTo: floor}
	})
	if err != nil {
		return err
	}
	for before := uint64(1); before <= floor; {
		before = min(before+contracts.LimitJetStreamPurge, floor+1)
		if err := l.purge(ctx, l.recordStream(), l.kindSubject(gapKind), before); err != nil {
			return fmt.Errorf("remove placeholders before record %d: %w", before, err)
		}
	}
	return nil
}
