package office

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// RedactRequest is a request to erase the text of records.
type RedactRequest struct {
	Seqs   []uint64
	All    bool   // also redact records that repeat the text or refer to the same content
	By     string // the principal
	Via    string // how the principal was authenticated
	Reason string // recorded with each redaction
	DryRun bool   // only report what would be erased
}

// Redactions is the result of a RedactRequest or of its dry run.
type Redactions struct {
	Records []Redacted `json:"records"`
	DryRun  bool       `json:"dry_run,omitzero"`
	Remains string     `json:"remains,omitzero"` // why erased text may still be in the ledger files
}

// Redacted is the result of redacting one record.
type Redacted struct {
	Seq      uint64         `json:"seq"`
	Kind     contracts.Kind `json:"kind"`
	Already  bool           `json:"already,omitzero"`  // the text had already been erased
	Recorded uint64         `json:"recorded,omitzero"` // seq of the record that reports the redaction
	Contents int            `json:"contents,omitzero"` // pieces of content erased with the record
	Shared   []uint64       `json:"shared,omitzero"`   // records that refer to the same content, so the content is kept
	Repeated []uint64       `json:"repeated,omitzero"` // records that contain the same text
}

// repeatMin and repeatMax limit the search for repeated text, in bytes. Other records are searched
// for the first repeatMax bytes of each erased string. Strings shorter than repeatMin are skipped,
// because they occur in too many records.
const repeatMin, repeatMax = 12, 256

// RedactStopped erases text in the ledger of an office that is not running.
func RedactStopped(ctx context.Context, l ledger.Ledger, ms int64, q RedactRequest) (Redactions, error) {
	r := newRedaction(l, q)
	if err := r.prepare(ctx); err != nil || q.DryRun {
		return r.result, err
	}
	head := l.Head()
	last, err := l.Read(ctx, head-1, 1)
	if err != nil {
		return r.result, err
	}
	if len(last) > 0 {
		ms = max(ms, last[0].TS) // times in a ledger never decrease
	}
	if err := r.carryOut(ctx, head, ms); err != nil {
		return r.result, err
	}
	return r.wipe(ctx), nil
}

// Redact erases text in the ledger, in the ledger's files and in the world. If a record cannot be
// redacted, it returns a *contracts.Refusal and changes nothing.
func (o *Office) Redact(ctx context.Context, q RedactRequest) (Redactions, error) {
	if o.redactText != nil {
		q.Reason = o.redactText(q.Reason)
	}
	r := newRedaction(o.ledger, q)
	if err := r.prepare(ctx); err != nil || q.DryRun {
		return r.result, err
	}
	select {
	case o.redactions <- r:
	case <-ctx.Done():
		return r.result, ctx.Err()
	case <-o.done:
		return r.result, errStopped
	}
	select {
	case err := <-r.ended:
		if err != nil {
			return r.result, err
		}
	case <-o.done:
		return r.result, errStopped
	}
	return r.wipe(ctx), nil
}

// redact executes a redaction. It then rebuilds the world, because the old world contains the
// redacted text.
func (o *Office) redact(r *redaction) error {
	if err := o.resolve(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(o.appendCtx, appendTimeout)
	defer cancel()
	if o.dirty {
		if err := o.refold(ctx); err != nil {
			return err
		}
	}
	if err := r.gather(ctx); err != nil { // again, because of records appended since prepare
		return err
	}
	o.dirty = true
	if err := r.carryOut(ctx, o.world.Seq(), o.moment().MS); err != nil {
		return err
	}
	if err := o.refold(ctx); err != nil {
		return err
	}
	o.publishWork()
	if err := o.saveCheckpoint(ctx); err != nil {
		o.log.Warn("checkpoint not saved; the next start will read more records", "error", err)
	}
	return nil
}

// redaction is a RedactRequest that is being carried out.
type redaction struct {
	RedactRequest
	ledger     ledger.Ledger
	tombstones []*redactedRecord
	swept      uint64 // records up to this seq have been searched
	result     Redactions
	ended      chan error
}

// redactedRecord is a record whose text is being erased.
type redactedRecord struct {
	Redacted
	body     []byte // the text-free body that replaces the record's body
	contents []string
	shared   []string // hashes of content that other records also refer to
	needles  [][]byte
}

func newRedaction(l ledger.Ledger, q RedactRequest) *redaction {
	q.Seqs = slices.Compact(slices.Sorted(slices.Values(q.Seqs)))
	q.Reason = contracts.Clip(contracts.CleanLine(q.Reason), contracts.LimitNote)
	return &redaction{RedactRequest: q, ledger: l, ended: make(chan error, 1)}
}

// prepare creates the tombstones and finds other records with the same text or content.
func (r *redaction) prepare(ctx context.Context) error {
	for _, seq := range r.Seqs {
		if err := r.plan(ctx, seq); err != nil {
			return err
		}
	}
	return r.gather(ctx)
}

// gather finds other records with the same text or content, and adds them if All is set.
func (r *redaction) gather(ctx context.Context) error {
	if err := r.search(ctx); err != nil || !r.All {
		return err
	}
	var more []uint64
	for _, s := range r.tombstones {
		more = append(append(more, s.Shared...), s.Repeated...)
	}
	if len(more) == 0 {
		return nil
	}
	if err := r.extend(ctx, more); err != nil {
		return err
	}
	return r.search(ctx)
}

// extend adds records to the redaction, except those that cannot be redacted.
func (r *redaction) extend(ctx context.Context, more []uint64) error {
	for _, s := range r.tombstones {
		s.Shared, s.Repeated, s.shared = nil, nil, nil
	}
	for _, seq := range slices.Compact(slices.Sorted(slices.Values(more))) {
		if len(r.tombstones) == contracts.LimitRedactSeqs {
			break // the remaining records are reported as repeating the text
		}
		if refusal := (*contracts.Refusal)(nil); slices.Contains(r.Seqs, seq) {
			continue
		} else if err := r.plan(ctx, seq); errors.As(err, &refusal) {
			continue
		} else if err != nil {
			return err
		}
		r.tombstones[len(r.tombstones)-1].needles = nil // search only for the requested text, not for the rest of this record
	}
	for _, s := range r.tombstones[len(r.Seqs):] {
		r.Seqs = append(r.Seqs, s.Seq)
	}
	slices.Sort(r.Seqs)
	r.swept = 0 // search again, now also for the content of the added records
	return nil
}

// plan creates the tombstone of a record. It returns a *contracts.Refusal if the record cannot be
// redacted.
func (r *redaction) plan(ctx context.Context, seq uint64) error {
	rec, err := r.find(ctx, seq)
	if err != nil {
		return err
	}
	s := &redactedRecord{Redacted: Redacted{Seq: seq, Kind: rec.Kind, Already: rec.Redacted}}
	if r.tombstones = append(r.tombstones, s); s.Already {
		return nil
	}
	if audits(rec) {
		return r.refuse(contracts.CodeConflict, "record %d is an audit record and cannot be redacted", seq)
	}
	var texts []string
	if s.body, texts, err = rec.Tombstone(); err != nil {
		return err
	}
	if s.body == nil {
		return r.refuse(contracts.CodeConflict, "record %d (%s) has no text to redact", seq, rec.Kind)
	}
	for _, text := range texts {
		if repeats(r.Reason, text) {
			return contracts.RefuseField("reason", "the reason repeats the text to redact; give another reason")
		}
		s.addNeedle(text)
	}
	s.contents, err = rec.ContentHashes()
	return err
}

// refuse drops the last tombstone and returns a refusal.
func (r *redaction) refuse(code contracts.ErrorCode, format string, args ...any) error {
	r.tombstones = r.tombstones[:len(r.tombstones)-1]
	return contracts.Refuse(code, format, args...)
}

func (r *redaction) find(ctx context.Context, seq uint64) (*contracts.Record, error) {
	if head := r.ledger.Head(); seq == 0 || seq > head {
		return nil, contracts.Refuse(contracts.CodeNotFound, "no record %d (the last one is %d)", seq, head)
	}
	recs, err := r.ledger.Read(ctx, seq-1, 1)
	if err != nil {
		return nil, err
	}
	if len(recs) == 0 || recs[0].Seq != seq {
		return nil, contracts.Refuse(contracts.CodeNotFound, "record %d was removed by retention", seq)
	}
	return &recs[0], nil
}

func audits(rec *contracts.Record) bool {
	body, err := rec.Decode()
	e, ok := body.(*contracts.Event)
	return err == nil && ok && (e.Name == contracts.EventAudited || e.Name == contracts.EventRecordRedacted)
}

// repeats reports whether the reason for a redaction quotes part of the erased text.
func repeats(reason, text string) bool {
	for i := 0; i+repeatMin <= len(reason); i++ {
		if strings.Contains(text, reason[i:i+repeatMin]) {
			return true
		}
	}
	return false
}

// addNeedle adds text, encoded as JSON, to the strings that other records are searched for. It
// skips short texts, and all texts beyond contracts.LimitRedactTexts.
func (s *redactedRecord) addNeedle(text string) {
	quoted, err := jsontext.AppendQuote(nil, text)
	if err != nil || len(s.needles) == contracts.LimitRedactTexts {
		return
	}
	if needle := quoted[1 : len(quoted)-1]; len(needle) >= repeatMin {
		s.needles = append(s.needles, needle[:min(len(needle), repeatMax)])
	}
}

// search searches the records that have not been searched yet for the text and content to be
// erased. It returns an error if a record to be redacted is gone.
func (r *redaction) search(ctx context.Context) error {
	for {
		recs, err := r.ledger.Read(ctx, r.swept, contracts.LimitFollowBatch)
		if err != nil {
			return err
		}
		if len(recs) == 0 {
			break
		}
		for i := range recs {
			if _, named := slices.BinarySearch(r.Seqs, recs[i].Seq); named {
				continue
			}
			for _, s := range r.tombstones {
				s.compare(&recs[i])
			}
		}
		r.swept = recs[len(recs)-1].Seq
	}
	r.result = Redactions{DryRun: r.DryRun}
	for _, s := range r.tombstones {
		if rec, err := r.find(ctx, s.Seq); err != nil {
			return err
		} else if s.Already = rec.Redacted; s.Already {
			s.Shared, s.Repeated, s.contents, s.shared = nil, nil, nil, nil
		}
		s.Contents = len(s.contents) - len(s.shared)
		r.result.Records = append(r.result.Records, s.Redacted)
	}
	return nil
}

func (s *redactedRecord) compare(other *contracts.Record) {
	for _, name := range s.contents {
		if bytes.Contains(other.Body, []byte(name)) {
			note(&s.Shared, other.Seq)
			if !slices.Contains(s.shared, name) {
				s.shared = append(s.shared, name)
			}
		}
	}
	for _, needle := range s.needles {
		if bytes.Contains(other.Body, needle) {
			note(&s.Repeated, other.Seq)
			return
		}
	}
}

func note(list *[]uint64, seq uint64) {
	if len(*list) < contracts.LimitRedactSeqs {
		*list = append(*list, seq)
	}
}

// carryOut redacts the records and appends the records that report the redactions, all or nothing.
func (r *redaction) carryOut(ctx context.Context, after uint64, ms int64) error {
	var erasures []ledger.Erasure
	for i, s := range r.tombstones {
		if s.Already {
			continue
		}
		rec, err := r.confirmation(s, after+uint64(len(erasures))+1, ms)
		if err != nil {
			return err
		}
		gone := slices.DeleteFunc(slices.Clone(s.contents), func(name string) bool { return slices.Contains(s.shared, name) })
		erasures = append(erasures, ledger.Erasure{Seq: s.Seq, Body: s.body, Contents: gone, Record: rec})
		r.result.Records[i].Recorded = rec.Seq
	}
	if len(erasures) == 0 {
		return nil
	}
	if err := r.ledger.Redact(ctx, after, erasures); err != nil {
		return fmt.Errorf("redaction failed, and nothing was changed: %w", err)
	}
	return nil
}

// confirmation returns the record that reports a redaction: who erased the text, when and why. It
// contains the tombstone's hash, so that the chain confirms the new body.
func (r *redaction) confirmation(s *redactedRecord, seq uint64, ms int64) (contracts.Record, error) {
	sum := sha256.Sum256(s.body)
	return contracts.NewRecord(seq, ms, "", &contracts.Event{
		Name: contracts.EventRecordRedacted, Reason: r.Reason,
		By: contracts.Clip(contracts.CleanLine(r.By), contracts.LimitID), Via: contracts.Clip(contracts.CleanLine(r.Via), contracts.LimitPreview),
		Redaction: &contracts.Redaction{Seq: s.Seq, SHA256: hex.EncodeToString(sum[:])},
		Meta:      &contracts.Meta{Title: "Text redacted", Summary: "record " + strconv.FormatUint(s.Seq, 10) + ": " + r.Reason},
	})
}

// wipe removes erased text from the ledger's files, including the text of earlier redactions, and
// returns the result of the redaction.
func (r *redaction) wipe(ctx context.Context) Redactions {
	if err := r.ledger.Wipe(ctx); err != nil {
		r.result.Remains = err.Error()
	}
	return r.result
}
