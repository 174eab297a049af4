package sqlite

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// chainSchema creates the tables of the chain. A proof is the chain's data for a record; its length
// determines its form. Most proofs are stored in the rows of their records. The proofs table
// contains the others: the proofs of records older than the chain, and the last proof of each run
// of removed records. A segment's token is hashed into the chain before the segment's first record.
const chainSchema = `
CREATE TABLE IF NOT EXISTS proofs (seq INTEGER PRIMARY KEY, proof BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS segments (n INTEGER PRIMARY KEY, after INTEGER NOT NULL, token TEXT NOT NULL);
`

// Sizes of the proof forms.
const (
	linkSize     = len(ledger.Link{})              // only the link: retention removed the record
	saltedSize   = len(ledger.Salt{}) + linkSize   // salt and link
	redactedSize = len(ledger.Digest{}) + linkSize // digest and link: the body is redacted, and a later record confirms this
	importedSize = 1 + saltedSize                  // a byte, salt and link: a tombstone that was imported or salvaged
)

type proof []byte

// seal is the part of a proof that does not depend on the records before it.
type seal struct {
	salt   ledger.Salt
	digest ledger.Digest
}

func sealBody(salt ledger.Salt, body []byte) seal { return seal{salt, ledger.ChainDigest(salt, body)} }

// sealRecords seals every record with its own salt and appends the seals to dst.
func sealRecords(dst []seal, recs []contracts.Record) []seal {
	for i := range recs {
		var salt ledger.Salt
		rand.Read(salt[:])
		dst = append(dst, sealBody(salt, recs[i].Body))
	}
	return dst
}

// appendProof appends a record's proof to dst; before is the previous record's link. It returns dst
// and the record's own link.
func appendProof(dst proof, before ledger.Link, r *contracts.Record, s seal) (proof, ledger.Link) {
	link := ledger.ChainRecord(before, r, s.digest)
	if r.Redacted {
		dst = append(dst, 'r')
	}
	return append(append(dst, s.salt[:]...), link[:]...), link
}

// link returns the record's link; ok is false if the proof is damaged.
func (p proof) link() (link ledger.Link, ok bool) {
	switch len(p) {
	case linkSize, saltedSize, redactedSize, importedSize:
		copy(link[:], p[len(p)-linkSize:])
		return link, true
	}
	return link, false
}

// digest computes a body's digest; for a redacted body it returns the stored digest.
func (p proof) digest(body []byte) (d ledger.Digest) {
	if len(p) == redactedSize {
		copy(d[:], p)
		return d
	}
	var salt ledger.Salt
	copy(salt[:], p[max(0, len(p)-saltedSize):])
	return ledger.ChainDigest(salt, body)
}

// check verifies a record against the previous record's link, and returns the record's own link.
func (p proof) check(before ledger.Link, r *contracts.Record) (ledger.Link, error) {
	link, ok := p.link()
	if !ok || len(p) == linkSize || ledger.ChainRecord(before, r, p.digest(r.Body)) != link {
		return link, &ledger.CorruptError{Seq: r.Seq, Reason: "does not continue the chain of the records before it"}
	}
	return link, nil
}

// proofColumns selects records with their proofs.
var proofColumns = "SELECT seq, ts, kind, id, key, body, " + redactedColumn + ", sum, coalesce(proof, (SELECT proof FROM proofs WHERE proofs.seq = records.seq)) FROM records "

// scanWithProof reads one row and verifies its checksum.
func (l *Ledger) scanWithProof(row interface{ Scan(...any) error }, r *contracts.Record) (p proof, err error) {
	var sum int64
	if err := scanRecord(row, r, &sum, (*[]byte)(&p)); err != nil {
		return nil, err
	}
	return p, l.sums.check(r, sum)
}

// linkBefore returns the link and seq of the last chained record whose seq is at most upTo.
func linkBefore(ctx context.Context, db source, root string, upTo uint64) (link ledger.Link, at uint64, err error) {
	link = ledger.ChainStart(root)
	for _, query := range []string{
		"SELECT seq, proof FROM records WHERE seq <= ? AND proof IS NOT NULL ORDER BY seq DESC LIMIT 1",
		"SELECT seq, proof FROM proofs WHERE seq <= ? ORDER BY seq DESC LIMIT 1",
	} {
		var seq uint64
		var p proof
		err := db.QueryRowContext(ctx, query, int64(upTo)).Scan(&seq, (*[]byte)(&p))
		if errors.Is(err, sql.ErrNoRows) || err == nil && seq <= at {
			continue
		}
		if err != nil {
			return link, 0, explain(err)
		}
		var ok bool
		if link, ok = p.link(); !ok {
			return link, seq, &ledger.CorruptError{Seq: seq, Reason: "has no valid link in the chain"}
		}
		at = seq
	}
	return link, at, nil
}

// segment is the part of the history that one run of the writer appended, starting after a seq.
type segment struct {
	after uint64
	token string
}

// segments lists the segments in the order they started.
type segments []segment

func readSegments(ctx context.Context, db source) (all segments, err error) {
	rows, err := db.QueryContext(ctx, "SELECT after, token FROM segments ORDER BY n")
	if err != nil {
		return nil, explain(err)
	}
	defer rows.Close()
	for rows.Next() {
		var s segment
		if err := rows.Scan(&s.after, &s.token); err != nil {
			return nil, explain(err)
		}
		if n := len(all); n > 0 && s.after < all[n-1].after {
			return nil, corruptf("segments are out of order: the segment that starts after record %d follows one that starts later", s.after)
		}
		all = append(all, s)
	}
	return all, explain(rows.Err())
}

// begin hashes the tokens of the segments that start directly after a seq, and returns link extended
// by them.
func (s segments) begin(link ledger.Link, after uint64) ledger.Link {
	i, _ := slices.BinarySearchFunc(s, after, func(s segment, after uint64) int { return cmp.Compare(s.after, after) })
	for ; i < len(s) && s[i].after == after; i++ {
		link = ledger.ChainSegment(link, s[i].token)
	}
	return link
}

// holds reports whether a seq that was read in a segment belongs to this history. The same segment
// may be longer in another history.
func (s segments) holds(token string, seq, head uint64) bool {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i].token == token {
			return seq <= head
		}
		head = s[i].after
	}
	return false
}

// chainCheck walks the chain, record by record.
type chainCheck struct {
	db       source
	segments segments
	link     ledger.Link // link of the record whose seq is in at
	at       uint64
}

// next verifies a record against the record before it. If retention removed records in between, the
// proofs table contains the link of the last removed record.
func (c *chainCheck) next(ctx context.Context, r *contracts.Record, p proof) (err error) {
	if r.Seq != c.at+1 {
		var removed proof
		var at uint64
		err := c.db.QueryRowContext(ctx, "SELECT seq, proof FROM proofs WHERE seq > ? AND seq < ? ORDER BY seq DESC LIMIT 1", int64(c.at), int64(r.Seq)).Scan(&at, (*[]byte)(&removed))
		if err == nil {
			var ok bool
			if c.link, ok = removed.link(); !ok {
				return &ledger.CorruptError{Seq: at, Reason: "has no valid link in the chain"}
			}
			c.at = at
		} else if !errors.Is(err, sql.ErrNoRows) {
			return explain(err)
		}
	}
	c.link, err = p.check(c.segments.begin(c.link, c.at), r)
	c.at = r.Seq
	return err
}

func corruptf(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ledger.ErrCorrupt, fmt.Sprintf(format, args...))
}
