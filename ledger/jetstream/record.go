package jetstream

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"regexp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// entry is a record with its place in the chain.
type entry struct {
	contracts.Record
	before  ledger.Link // link of the previous record
	segment string      // token of the segment that starts with this record; empty if no segment starts here
	salt    ledger.Salt
	digest  ledger.Digest
}

// seal returns an entry for r with a new salt. Its place in the chain is not set yet.
func seal(r contracts.Record) entry {
	e := entry{Record: r}
	rand.Read(e.salt[:])
	e.digest = ledger.ChainDigest(e.salt, r.Body)
	return e
}

// link returns the record's own link.
func (e *entry) link() ledger.Link {
	before := e.before
	if e.segment != "" {
		before = ledger.ChainSegment(before, e.segment)
	}
	return ledger.ChainRecord(before, &e.Record, e.digest)
}

// The payload of a message: a version, a checksum of the rest, flags, time, kind, id, key,
// salt, the previous record's link, the token of the segment that starts here (if any), and the body.
const (
	payloadVersion = 1
	payloadStart   = 5

	flagRedacted = 1 << 0
	flagSegment  = 1 << 1
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func (e *entry) encode() []byte {
	b := make([]byte, payloadStart, payloadStart+96+len(e.Kind)+len(e.ID)+len(e.Key)+len(e.segment)+len(e.Body))
	b[0] = payloadVersion
	var flags byte
	if e.Redacted {
		flags |= flagRedacted
	}
	if e.segment != "" {
		flags |= flagSegment
	}
	b = append(b, flags)
	b = binary.AppendVarint(b, e.TS)
	for _, text := range [...]string{string(e.Kind), e.ID, e.Key} {
		b = appendText(b, text)
	}
	b = append(append(b, e.salt[:]...), e.before[:]...)
	if e.segment != "" {
		b = appendText(b, e.segment)
	}
	b = append(b, e.Body...)
	binary.LittleEndian.PutUint32(b[1:], crc32.Checksum(b[payloadStart:], castagnoli))
	return b
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

// decode reads the payload of the message with the given sequence number. The body shares memory
// with b.
func decode(seq uint64, b []byte) (e entry, err error) {
	if len(b) < payloadStart || b[0] != payloadVersion {
		return e, &ledger.CorruptError{Seq: seq, Reason: "was written by another program or by a newer version of Bullpen"}
	}
	if crc32.Checksum(b[payloadStart:], castagnoli) != binary.LittleEndian.Uint32(b[1:]) {
		return e, &ledger.CorruptError{Seq: seq, Reason: "does not match its checksum"}
	}
	p := payload(b[payloadStart:])
	flags, ok := p.take(1)
	if !ok {
		return e, p.short(seq)
	}
	e.Seq, e.TS, e.Redacted = seq, p.number(), flags[0]&flagRedacted != 0
	e.Kind, e.ID, e.Key = contracts.Kind(p.text()), p.text(), p.text()
	salt, ok := p.take(len(e.salt))
	if !ok {
		return e, p.short(seq)
	}
	copy(e.salt[:], salt)
	before, ok := p.take(len(e.before))
	if !ok {
		return e, p.short(seq)
	}
	copy(e.before[:], before)
	if flags[0]&flagSegment != 0 {
		if e.segment = p.text(); e.segment == "" {
			return e, p.short(seq)
		}
	}
	e.Body = p
	e.digest = ledger.ChainDigest(e.salt, e.Body)
	return e, nil
}

// payload is the part of a message that is still to be decoded. The checksum was correct, so data
// is missing only if another program wrote the message.
type payload []byte

func (p *payload) short(seq uint64) error {
	return &ledger.CorruptError{Seq: seq, Reason: "is incomplete"}
}

func (p *payload) take(n int) ([]byte, bool) {
	if n < 0 || n > len(*p) {
		*p = nil
		return nil, false
	}
	b := (*p)[:n]
	*p = (*p)[n:]
	return b, true
}

func (p *payload) number() int64 {
	v, n := binary.Varint(*p)
	p.take(n)
	return v
}

func (p *payload) text() string {
	v, n := binary.Uvarint(*p)
	if p.take(n); v > uint64(len(*p)) {
		*p = nil
		return ""
	}
	b, _ := p.take(int(v))
	return string(b)
}

// noKey ends the subject of a record without a key. A key is a separate part of the subject, so
// that the server refuses a key that is already in use.
const noKey = "_"

func (l *Ledger) subject(r *contracts.Record) string {
	token := noKey
	if r.Key != "" {
		token = keyToken(r.Key)
	}
	return l.records + string(r.Kind) + "." + token
}

// keySubject returns the subject filter for the record with the given key, of any kind.
func (l *Ledger) keySubject(key string) string { return l.records + "*." + keyToken(key) }

func (l *Ledger) kindSubject(k contracts.Kind) string { return l.records + string(k) + ".*" }

func keyToken(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:12])
}

var validToken = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
