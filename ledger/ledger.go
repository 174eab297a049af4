// Package ledger is the office's only source of truth: an append-only, totally ordered list of
// records, with content stored next to it by hash.
//
// Package ledgertest tests that every implementation guarantees this: a record is durable before
// Append returns; a batch is stored completely or not at all; sequence numbers start at 1 and have
// no gaps; a reader never sees a record before it is durable; the identity changes only with a new
// epoch. A ledger never interprets a body. It changes a record in one way only: Redact replaces its
// body with a tombstone and appends a record that reports this.
package ledger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// AnySeq, passed as the expected head, means "append at the current head": the ledger gives the
// records the next sequence numbers.
const AnySeq = ^uint64(0)

// ErrDuplicateKey means that a record with the same key already exists.
var ErrDuplicateKey = errors.New("ledger: duplicate record key")

// ErrClosed means that the ledger was closed.
var ErrClosed = errors.New("ledger: closed")

// ErrFull means that there is no space left. Nothing was appended; reads still work, and appends
// work again once there is space.
var ErrFull = errors.New("ledger: no space left")

// ErrUnconfirmed means that it is unknown whether an append happened; it may still happen.
var ErrUnconfirmed = errors.New("the append may or may not have happened")

// ErrCorrupt means that the ledger does not contain what was written.
var ErrCorrupt = errors.New("the ledger is damaged: restore a backup")

// CorruptError names the first damaged record.
type CorruptError struct {
	Seq    uint64
	Reason string
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("the ledger is damaged at record %d, which %s: restore a backup", e.Seq, e.Reason)
}

// Unwrap returns ErrCorrupt.
func (e *CorruptError) Unwrap() error { return ErrCorrupt }

// LossError means that records are missing from the ledger or that the ledger was replaced. The
// ledger can be read but not appended to, because clients may have seen the missing records.
type LossError struct{ Reason string }

func (e *LossError) Error() string {
	return e.Reason + ": stop the office and restore a backup, or accept the loss with `bullpen new-epoch`"
}

// Unwrap returns ErrCorrupt.
func (e *LossError) Unwrap() error { return ErrCorrupt }

// ErrNoRecord means that no record has the given seq, or that retention removed it.
var ErrNoRecord = errors.New("ledger: no such record")

// StaleError means that another writer has appended, so the head is not the expected one.
type StaleError struct{ Expected, Head uint64 }

func (e *StaleError) Error() string {
	return fmt.Sprintf("ledger: expected head %d, found %d: another writer appended; read up to the head and retry", e.Expected, e.Head)
}

// LargeAppender is implemented by ledgers whose appends may contain any number of records. Appends
// to other ledgers may contain at most LimitJetStreamBatch records.
type LargeAppender interface{ LargeAppends() }

// Ledger is the interface of a storage engine.
type Ledger interface {
	// ID returns the identity of the epoch: lower-case letters and digits, starting with a letter.
	// It is created with the ledger, and replaced when an operator accepts a loss.
	ID() string

	// Durable reports whether the ledger survives the process.
	Durable() bool

	// Segment identifies the run of the writer that appended the newest record, or may append the
	// next one. When Head advances, Segment is already up to date. A cursor with the segment of its
	// record, or with a later segment, cannot be mistaken for a cursor from another history.
	Segment() string

	// Holds reports whether seq belongs to this history. The caller must have read seq in the given
	// segment or in an earlier one.
	Holds(segment string, seq uint64) bool

	// Head returns the sequence number of the last durable record, or 0 if the ledger is empty.
	Head() uint64

	// Floor returns the highest sequence number that retention has removed. History after the floor
	// is complete; history up to the floor may have gaps.
	Floor() uint64

	// Append adds records after the given head, all or nothing, and returns once they are durable.
	// With AnySeq it sets Seq in recs itself; otherwise recs must be numbered after+1, after+2 …
	//
	// Append fails with *StaleError if the head differs, and with ErrDuplicateKey if a key exists; in
	// both cases nothing was appended. It fails with ErrUnconfirmed if the records may have been
	// appended, or may still be: ctx was done, or the ledger's own timeout expired, while the append
	// was under way. Read up to the head before deciding again. If the ledger is closed during an
	// append, the append fails with ErrClosed, and its outcome is unknown too.
	//
	// Append retains recs even if it fails, so the caller must not change them afterwards.
	Append(ctx context.Context, after uint64, recs []contracts.Record) error

	// Read returns up to limit records after the given seq, in order. If kinds are given, it
	// returns only records of those kinds. It never reads beyond Head. Bodies are shared and must
	// not be changed.
	Read(ctx context.Context, after uint64, limit int, kinds ...contracts.Kind) ([]contracts.Record, error)

	// Follow calls fn with all records after the given seq, in order and without gaps, in non-empty
	// batches, and continues with records that are appended later. It returns when ctx is done, fn
	// fails, or the ledger is closed or cannot be read. Batches are shared and must not be changed.
	// Some records up to the floor may have been removed; only those still stored are delivered.
	Follow(ctx context.Context, after uint64, fn func([]contracts.Record) error) error

	// Lookup returns the record with the given key, or false if there is none.
	Lookup(ctx context.Context, key string) (contracts.Record, bool, error)

	// HasKeys reports for each key whether a record has that key. It takes no longer than one
	// Lookup per key.
	HasKeys(ctx context.Context, keys []string) ([]bool, error)

	// PutBlob stores content and returns its lower-case hex SHA-256. The content is durable
	// on return. Storing the same content again changes nothing.
	PutBlob(ctx context.Context, content []byte) (sha256 string, err error)

	// Blob returns stored content; ok is false if there is none.
	Blob(ctx context.Context, sha256 string) (content []byte, ok bool, err error)

	// SaveCheckpoint stores a fold of the world and replaces the previous one.
	SaveCheckpoint(ctx context.Context, c Checkpoint) error

	// Checkpoint returns the stored fold. ok is false if there is none, or if it was altered. The
	// records remain the source of truth.
	Checkpoint(ctx context.Context) (c Checkpoint, ok bool, err error)

	// Retain removes the records that the rules select, and raises the floor. The keys of removed
	// records can be used again. Content that a rule assigns to a record is removed in the same
	// step as the record, so no content outlives its owner. A removal may take several steps, and
	// appends continue between them.
	Retain(ctx context.Context, now time.Time, rules []Rule) (removed int, err error)

	// Redact erases the text of records and, after the given head, appends the records that report the
	// erasures, all or nothing. It fails like Append, and with ErrNoRecord if a record does not exist.
	// The stored fold is removed in the same step, because it may contain the text.
	Redact(ctx context.Context, after uint64, erasures []Erasure) error

	// Wipe removes deleted data from the ledger's files. It takes as long as writing the whole
	// ledger; appends wait until it is done.
	Wipe(ctx context.Context) error

	// Stats returns the size and a summary of the ledger. Its cost does not depend on the number
	// of records.
	Stats(ctx context.Context) (Stats, error)

	Close() error
}

// Checkpoint is the state of the world as of Seq. Version identifies the format of State; a reader
// that does not support the format folds all records instead.
type Checkpoint struct {
	Seq     uint64
	Version int
	State   []byte
}

// Erasure describes the redaction of one record.
type Erasure struct {
	Seq      uint64           // seq of the record
	Body     []byte           // the tombstone that replaces the record's body
	Contents []string         // SHA-256 of each piece of content that is erased with the record
	Record   contracts.Record // reports the erasure; the records of all erasures are numbered from after+1
}

// Rule is the retention rule for one kind. A MaxAge or MaxCount of 0 means no limit.
//
// Records are removed in the order of their sequence numbers. After a clock has been set back, a
// record may be older than the one before it. An age rule therefore stops at the first record that
// is too young, so that no record is removed before an earlier one.
type Rule struct {
	Kind     contracts.Kind
	MaxAge   time.Duration
	MaxCount int

	UpTo uint64   // last record that may be removed; 0 means the head
	Keep []uint64 // sequence numbers to keep, sorted

	// Owns returns the hash of the content that belongs only to this record, or "" if there is
	// none. The ledger cannot determine this, because it does not interpret bodies. Nil means
	// that no record owns content. Content that another record also needs must not be returned.
	Owns func(r *contracts.Record) (sha256 string)
}

// Report describes a verified ledger.
type Report struct {
	LedgerID     string `json:"ledger_id"`
	Head         uint64 `json:"head"`
	Link         string `json:"link"` // link of the record at the head: two ledgers with the same link have the same history
	Records      int64  `json:"records"`
	Blobs        int64  `json:"blobs"`
	Missing      int64  `json:"missing,omitzero"` // content that records reference but the ledger does not have
	Floor        uint64 `json:"floor"`
	Redacted     int64  `json:"redacted,omitzero"`
	ChainedAfter uint64 `json:"chained_after,omitzero"` // records up to this seq are older than the chain; an upgrade added them to the chain
}

// Stats summarizes the contents and size of a ledger, for health checks and `bullpen status`.
type Stats struct {
	Records int64                    `json:"records"`
	ByKind  map[contracts.Kind]int64 `json:"by_kind,omitzero"` // nil means unknown
	Bytes   int64                    `json:"bytes"`            // size of all files on disk
	Blobs   int64                    `json:"blobs"`            // pieces of content; -1 means unknown
	Free    int64                    `json:"free_bytes"`       // free space on the volume; -1 means unknown
	Path    string                   `json:"path,omitzero"`
}

// Origin describes a shared ledger as it was when a node opened it.
type Origin struct {
	New     bool // this node created the ledger
	Created time.Time
	Records int64
}
