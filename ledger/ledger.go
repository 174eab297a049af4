// Package ledger is the office's only truth: an append-only, totally ordered
// list of records with content stored beside it by hash.
//
// Promises that every implementation keeps (package ledgertest proves them):
// a record is durable before Append returns; a batch is there whole or not at
// all; sequence numbers start at 1 and have no hole; a reader never sees a
// record before it is durable; the identity changes only with a new epoch.
// A ledger never interprets a body. It changes a record in one way only: Redact
// replaces the body with a tombstone and appends a record that says so.
package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// AnySeq as the expected head means "append wherever the ledger is": records get
// the next sequence numbers.
const AnySeq = ^uint64(0)

// ErrDuplicateKey says that a record with the same key is in the ledger already.
var ErrDuplicateKey = errors.New("ledger: duplicate record key")

// ErrClosed says that the ledger was closed.
var ErrClosed = errors.New("ledger: closed")

// ErrFull says that there is no space left. Nothing was appended; reads work, and
// appends work again once there is space.
var ErrFull = errors.New("ledger: no space left")

// ErrCorrupt says that the ledger is not what was written.
var ErrCorrupt = errors.New("the ledger is damaged: restore a backup; run `bullpen doctor` for details")

// CorruptError names the first record that is not what was written.
type CorruptError struct {
	Seq    uint64
	Reason string
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("the ledger is damaged at record %d, which %s: restore a backup; run `bullpen doctor` for details", e.Seq, e.Reason)
}

// Unwrap makes it an ErrCorrupt.
func (e *CorruptError) Unwrap() error { return ErrCorrupt }

// LossError says that records are missing from the ledger or that it was replaced. It
// can be read but not appended to, because clients may have seen the missing records.
type LossError struct{ Reason string }

func (e *LossError) Error() string {
	return e.Reason + ": stop the office and restore a backup, or accept the loss with `bullpen new-epoch`"
}

// Unwrap makes it an ErrCorrupt.
func (e *LossError) Unwrap() error { return ErrCorrupt }

// ErrNoRecord says that there is no record with a seq, or none any more.
var ErrNoRecord = errors.New("ledger: no such record")

// StaleError says that the ledger moved on: somebody else appended.
type StaleError struct{ Expected, Head uint64 }

func (e *StaleError) Error() string {
	return fmt.Sprintf("ledger: expected head %d, found %d: another writer appended; read up to the head and retry", e.Expected, e.Head)
}

// Ledger is what the rest of the product needs of an engine.
type Ledger interface {
	// ID is the identity of the epoch, minted when the ledger was created and again when
	// an operator accepts a loss: lower-case letters and digits, a letter first.
	ID() string

	// Durable reports whether the ledger survives the process.
	Durable() bool

	// Segment identifies this run of the writer. A cursor that carries the segment it
	// was read in cannot be mistaken for a cursor of another history.
	Segment() string

	// Holds reports whether seq, read in segment, belongs to this history.
	Holds(segment string, seq uint64) bool

	// Head is the sequence number of the last durable record, 0 when empty.
	Head() uint64

	// Floor is the highest sequence number that retention has removed. History
	// after the floor is whole; history up to it may have holes.
	Floor() uint64

	// Append adds records after the given head, all or nothing, and returns once
	// they are durable. With AnySeq it sets Seq in recs itself; otherwise recs
	// must be numbered after+1, after+2 … It fails with *StaleError when the head
	// is another, and with ErrDuplicateKey when a key exists; then nothing is
	// appended. When ctx ends first, it is unknown whether the append happens: read
	// up to the head before deciding again. It keeps recs, also then: the caller
	// must not change them afterwards.
	Append(ctx context.Context, after uint64, recs []contracts.Record) error

	// Read returns up to limit records after the given seq in order, only of the
	// given kinds when there are any. It never reads beyond Head. Bodies are shared:
	// do not change them.
	Read(ctx context.Context, after uint64, limit int, kinds ...contracts.Kind) ([]contracts.Record, error)

	// Follow calls fn with every record after the given seq, in order, without a
	// gap, in batches of at least one, and goes on with what is appended later. It
	// returns when ctx ends, fn fails, or the ledger is closed or cannot be read.
	// Batches are shared: fn must not change them. Of history up to the floor it
	// hands out what is left.
	Follow(ctx context.Context, after uint64, fn func([]contracts.Record) error) error

	// Lookup finds the record with a key.
	Lookup(ctx context.Context, key string) (contracts.Record, bool, error)

	// Known tells for each key whether there is a record with it. It is cheaper than
	// one Lookup after the other.
	Known(ctx context.Context, keys []string) ([]bool, error)

	// PutBlob stores content and returns its lower-case hex SHA-256. It is durable
	// on return. Storing the same content again changes nothing.
	PutBlob(ctx context.Context, content []byte) (sha256 string, err error)

	// Blob returns stored content; ok is false when there is none.
	Blob(ctx context.Context, sha256 string) (content []byte, ok bool, err error)

	// SaveCheckpoint replaces the stored fold of the world.
	SaveCheckpoint(ctx context.Context, c Checkpoint) error

	// Checkpoint returns the stored fold as it was saved; ok is false when there is
	// none, or when it is not what was saved: the records are the truth.
	Checkpoint(ctx context.Context) (c Checkpoint, ok bool, err error)

	// Retain removes records that a rule names, and raises the floor. A key that
	// goes with its record is free again, and content that the rule says a record
	// owns goes in the same step: there is never content left whose owner is gone.
	// Appends go on meanwhile.
	Retain(ctx context.Context, now time.Time, rules []Rule) (removed int, err error)

	// Redact erases the text of records and appends the records that tell of it after
	// the given head, all or nothing. It is refused as Append is, and with ErrNoRecord
	// when a record is not there. The stored fold goes in the same step, because the
	// text may be in it.
	Redact(ctx context.Context, after uint64, erasures []Erasure) error

	// Wipe leaves nothing in the ledger's files of what was removed before. It takes
	// as long as writing the ledger once; appends wait meanwhile.
	Wipe(ctx context.Context) error

	// Stats tells the truth about size and contents.
	Stats(ctx context.Context) (Stats, error)

	Close() error
}

// Checkpoint is a fold of the world as of a seq. Version names the shape of
// State; a reader that does not know it folds from the beginning.
type Checkpoint struct {
	Seq     uint64
	Version int
	State   []byte
}

// Erasure says what goes and what stays.
type Erasure struct {
	Seq      uint64           // of the record
	Body     []byte           // what stays of its body
	Contents []string         // SHA-256 of content that goes with it
	Record   contracts.Record // tells of it; numbered after+1, after+2 …
}

// Rule says how long records of a kind are kept. Zero means no limit.
//
// Records go in the order of their sequence numbers. Times may go back in it, when a
// clock was set back, so a rule of age stops at the first record that is too young:
// what comes later never goes before what came earlier.
type Rule struct {
	Kind     contracts.Kind
	MaxAge   time.Duration
	MaxCount int

	UpTo uint64   // no later record goes; 0 means the head
	Keep []uint64 // sequence numbers that stay, sorted

	// Owns names the content that belongs to a record alone, empty when there is
	// none: the ledger knows no bodies. Nil says that no record owns any. Content
	// that another record needs as well must not be named.
	Owns func(r *contracts.Record) (sha256 string)
}

// Report describes a verified ledger.
type Report struct {
	LedgerID     string `json:"ledger_id"`
	Head         uint64 `json:"head"`
	Link         string `json:"link"` // of the record at the head: two ledgers with the same link have the same history
	Records      int64  `json:"records"`
	Blobs        int64  `json:"blobs"`
	Missing      int64  `json:"missing,omitzero"` // pieces of content that records name and the ledger does not have
	Floor        uint64 `json:"floor"`
	Redacted     int64  `json:"redacted,omitzero"`
	ChainedAfter uint64 `json:"chained_after,omitzero"` // records up to here are older than the chain and were added to it by an upgrade
}

// Stats is what health and `bullpen status` show of a ledger.
type Stats struct {
	Records int64                    `json:"records"`
	ByKind  map[contracts.Kind]int64 `json:"by_kind"`
	Bytes   int64                    `json:"bytes"`      // on disk, all files
	Blobs   int64                    `json:"blobs"`      // pieces of content
	Free    int64                    `json:"free_bytes"` // left on the volume; -1 unknown
	Path    string                   `json:"path,omitzero"`
}
