package jetstream

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

const tombstonePrefix = "tombstone"

// tombstone replaces a redacted record. It is stored before the record that confirms it, and takes
// effect once that record exists. If a record is redacted again, each redaction has its own
// tombstone, and the one that was confirmed last applies, so an attempt that fails changes nothing.
type tombstone struct {
	entry
	contents []string
	confirm  uint64 // seq of the first record in the append that confirms the tombstone
	token    string // token of the append that confirms the tombstone
	erased   bool   // the record was removed from its stream
}

// tombstoneJSON is the stored form of a tombstone.
type tombstoneJSON struct {
	TS       int64          `json:"ts"`
	Kind     contracts.Kind `json:"kind"`
	ID       string         `json:"id,omitzero"`
	Key      string         `json:"key,omitzero"`
	Body     []byte         `json:"body"`
	Before   []byte         `json:"before"`
	Segment  string         `json:"segment,omitzero"`
	Digest   []byte         `json:"digest"`
	Contents []string       `json:"contents,omitzero"`
	Confirm  uint64         `json:"confirm"`
	Token    string         `json:"token"`
	Erased   bool           `json:"erased,omitzero"`
}

func (t *tombstone) encode() ([]byte, error) {
	return json.Marshal(tombstoneJSON{
		TS: t.TS, Kind: t.Kind, ID: t.ID, Key: t.Key, Body: t.Body, Before: t.before[:], Segment: t.segment, Digest: t.digest[:],
		Contents: t.contents, Confirm: t.confirm, Token: t.token, Erased: t.erased,
	})
}

func decodeTombstone(name string, data []byte) (t tombstone, err error) {
	number, _, _ := strings.Cut(strings.TrimPrefix(name, tombstonePrefix+"."), ".")
	seq, err := strconv.ParseUint(number, 10, 64)
	var s tombstoneJSON
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil || len(s.Before) != len(t.before) || len(s.Digest) != len(t.digest) {
		return t, fmt.Errorf("%w: tombstone %s cannot be read", ledger.ErrCorrupt, name)
	}
	t.Record = contracts.Record{Seq: seq, TS: s.TS, Kind: s.Kind, ID: s.ID, Key: s.Key, Body: s.Body, Redacted: true}
	copy(t.before[:], s.Before)
	copy(t.digest[:], s.Digest)
	t.segment, t.contents, t.confirm, t.token, t.erased = s.Segment, s.Contents, s.Confirm, s.Token, s.Erased
	return t, nil
}

// name returns the name that the tombstone is stored under.
func (t *tombstone) name() string { return tombstoneName(t.Seq, t.token) }

// tombstoneName returns the name of a record's tombstone. With the token "*", the name matches all
// tombstones of the record.
func tombstoneName(seq uint64, token string) string {
	return tombstonePrefix + "." + strconv.FormatUint(seq, 10) + "." + token
}
