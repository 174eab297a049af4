package ledger

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

// ArchiveOptions selects the records in an archive and whether to include content. The zero value
// selects all records, without content.
type ArchiveOptions struct {
	After   uint64
	Kinds   []contracts.Kind
	Content bool
}

// WriteArchive writes the ledger up to its current head and returns the final line. The office can
// keep running.
func WriteArchive(ctx context.Context, l Ledger, w io.Writer, o ArchiveOptions) (ArchiveEnd, error) {
	sum := sha256.New()
	a := archiveWriter{ledger: l, out: io.MultiWriter(w, sum), known: map[string]bool{}}
	a.header = ArchiveHeader{
		Format: ArchiveFormat, Version: ArchiveVersion, LedgerID: l.ID(), Schema: contracts.ProtocolVersion,
		Head: l.Head(), After: o.After, Kinds: o.Kinds, Content: o.Content,
	}
	if err := a.line(a.header); err != nil {
		return a.end, err
	}
	if err := a.records(ctx); err != nil {
		return a.end, err
	}
	a.end.End, a.end.Floor, a.end.SHA256 = true, l.Floor(), hex.EncodeToString(sum.Sum(nil))
	a.end.Lost = lost(l)
	return a.end, a.line(a.end)
}

// lost explains why records are missing from the ledger; it returns "" if none are known to be
// missing.
func lost(l Ledger) string {
	loss := (*LossError)(nil)
	if l, ok := l.(interface{ Damage() error }); ok && errors.As(l.Damage(), &loss) {
		return loss.Reason
	}
	return ""
}

type archiveWriter struct {
	ledger Ledger
	out    io.Writer
	header ArchiveHeader
	end    ArchiveEnd
	known  map[string]bool // hashes of the content written so far
	buf    []byte
}

func (a *archiveWriter) records(ctx context.Context) error {
	for after := a.header.After; after < a.header.Head; {
		recs, err := a.ledger.Read(ctx, after, contracts.LimitFollowBatch, a.header.Kinds...)
		if err != nil {
			return fmt.Errorf("read the ledger after record %d: %w", after, err)
		}
		if len(recs) == 0 {
			return nil
		}
		for i := range recs {
			if recs[i].Seq > a.header.Head {
				return nil
			}
			if err := a.record(ctx, &recs[i]); err != nil {
				return err
			}
		}
		after = recs[len(recs)-1].Seq
	}
	return nil
}

func (a *archiveWriter) record(ctx context.Context, r *contracts.Record) error {
	if a.header.Content {
		names, err := r.ContentHashes()
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := a.content(ctx, name); err != nil {
				return err
			}
		}
	}
	if !jsontext.Value(r.Body).IsValid() || bytes.ContainsAny(r.Body, "\r\n") {
		return &CorruptError{Seq: r.Seq, Reason: "has a body that is not single-line JSON"}
	}
	head, err := json.Marshal(archiveRecord{Seq: r.Seq, TS: r.TS, Kind: r.Kind, ID: r.ID, Key: r.Key, Redacted: r.Redacted})
	if err != nil {
		return fmt.Errorf("encode record %d: %w", r.Seq, err)
	}
	// Write the body unchanged: encoding it again could change its bytes.
	a.buf = append(append(append(a.buf[:0], head[:len(head)-1]...), `,"body":`...), r.Body...)
	a.end.Records++
	return a.flush(append(a.buf, '}'))
}

func (a *archiveWriter) content(ctx context.Context, name string) error {
	if a.known[name] {
		return nil
	}
	a.known[name] = true
	content, ok, err := a.ledger.Blob(ctx, name)
	if err != nil {
		return fmt.Errorf("read content %s: %w", name, err)
	}
	if !ok {
		a.end.Missing++
		return a.line(archiveContent{Content: name, Missing: true})
	}
	a.end.Contents++
	return a.line(archiveContent{Content: name, Base64: content})
}

func (a *archiveWriter) line(value any) error {
	b, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encode export line: %w", err)
	}
	return a.flush(b)
}

func (a *archiveWriter) flush(line []byte) error {
	_, err := a.out.Write(append(slices.Clip(line), '\n'))
	return err
}
