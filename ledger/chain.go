package ledger

import (
	"encoding/binary"
	"encoding/hex"

	"golang.org/x/crypto/blake2b"

	"github.com/bullpen-office/bullpen/contracts"
)

// The chain links every record to all records before it, so that a lost, replaced or reordered
// record is detected even if its own checksum is right. The functions below are pure; an engine
// stores their results next to the records.
//
//	link(n) = BLAKE2b-256(link before n, seq, ts, kind, id, key, digest of the body)
//
// The digest is salted, so that a tombstone can keep it without revealing a body that can be
// guessed. Where retention removed records, the link before n is the link of the last removed
// record. A segment consists of the records that one run of a writer appends; its token is hashed
// into the chain before its first record.

// Link is the hash of a record and everything before it.
type Link [blake2b.Size256]byte

// String returns the link in hex.
func (l Link) String() string { return hex.EncodeToString(l[:]) }

// Digest is the salted hash that represents a body in the chain.
type Digest [blake2b.Size256]byte

// Salt makes it infeasible to guess a body from its digest. Records that are older than the chain
// have a zero salt.
type Salt [16]byte

// ChainStart returns the link that the first record of a ledger continues from.
func ChainStart(ledgerID string) Link {
	return blake2b.Sum256([]byte("bullpen chain 1\n" + ledgerID))
}

// ChainDigest computes the digest of a body.
func ChainDigest(salt Salt, body []byte) Digest {
	var b [1024]byte
	if len(body) <= len(b)-len(salt) { // most bodies are short, and one call is faster
		return blake2b.Sum256(append(append(b[:0], salt[:]...), body...))
	}
	h, _ := blake2b.New256(nil) // fails only if the key is too long
	h.Write(salt[:])
	h.Write(body)
	var d Digest
	h.Sum(d[:0])
	return d
}

// ChainRecord computes a record's link from the previous record's link. It uses the body's digest d
// and does not read the body.
func ChainRecord(before Link, r *contracts.Record, d Digest) Link {
	var b [256]byte
	h := append(b[:0], 'r')
	h = append(h, before[:]...)
	h = binary.LittleEndian.AppendUint64(h, r.Seq)
	h = binary.LittleEndian.AppendUint64(h, uint64(r.TS))
	for _, text := range [...]string{string(r.Kind), r.ID, r.Key} {
		h = binary.AppendUvarint(h, uint64(len(text)))
		h = append(h, text...)
	}
	return blake2b.Sum256(append(h, d[:]...))
}

// ChainSegment computes the link that a segment starts with.
func ChainSegment(before Link, token string) Link {
	h := append([]byte{'s'}, before[:]...)
	return blake2b.Sum256(append(h, token...))
}
