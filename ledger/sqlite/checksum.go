package sqlite

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) } // computed on first use, then cached

// checksummer computes the checksums of one ledger's records. The checksums also cover the ledger's
// identity, so that a record from another ledger does not match.
type checksummer uint32

func newChecksummer(id string) checksummer {
	return checksummer(crc32.Checksum([]byte(id), castagnoli()))
}

// sum returns a checksum over all fields of a record. It includes the lengths of strings, so that
// moving a byte from one string to the next changes the sum.
func (s checksummer) sum(r *contracts.Record) uint32 {
	var b [128]byte
	h := binary.LittleEndian.AppendUint64(b[:0], r.Seq)
	h = binary.LittleEndian.AppendUint64(h, uint64(r.TS))
	for _, text := range [...]string{string(r.Kind), r.ID, r.Key} {
		h = binary.AppendUvarint(h, uint64(len(text)))
		h = append(h, text...)
	}
	crc := crc32.Update(uint32(s), castagnoli(), h)
	return crc32.Update(crc, castagnoli(), r.Body)
}

func (s checksummer) check(r *contracts.Record, stored int64) error {
	if int64(s.sum(r)) != stored {
		return &ledger.CorruptError{Seq: r.Seq, Reason: "does not match its checksum"}
	}
	return nil
}
