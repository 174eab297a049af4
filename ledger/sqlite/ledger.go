// Package sqlite is the embedded ledger: one SQLite file that any SQLite tool can open.
//
// It implements the contract of package ledger. One goroutine writes at a time: it commits all
// waiting appends in one transaction that is synced to disk, and only then wakes callers and
// followers. Every record has a checksum; a damaged record is reported and never returned. A second
// process that opens the same file is refused. When the disk is full, appends fail and reads
// continue; appends work again once there is space.
//
// The package never rewrites a record except in Redact, and never returns a record before it is
// durable.
package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bullpen-office/bullpen/atomicfile"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// Config defines where and how a ledger is stored. The zero value is an in-memory ledger.
type Config struct {
	// Path is the path of the file, which is created if it is missing. If Path is empty, everything
	// is kept in memory until the ledger is closed.
	Path string

	// MinFree is the minimum number of free bytes on the volume; with less, appends are refused. 0
	// means the smaller of contracts.LimitFreeBytes and contracts.LimitFreePercent of the volume; a
	// negative value disables the check.
	MinFree int64

	// FreeSpace returns the bytes available to this process and the size of the volume that holds
	// path; negative means unknown. If FreeSpace is nil, the operating system is queried.
	FreeSpace func(path string) (free, total int64, err error)

	// LockDir is a directory for a lock named after Path, outside the ledger's directory. The lock
	// keeps a second process from using the path even if the ledger's directory is removed and
	// created again while the first process runs. If LockDir is empty, there is no such lock.
	LockDir string

	// ReadOnly opens the ledger without changing its files; appends fail.
	ReadOnly bool

	// NewEpoch accepts a file that lost records or was replaced. The ledger gets a new
	// id, so that clients do not resume from an old cursor.
	NewEpoch bool

	Logger *slog.Logger // nil discards all messages
}

// Ledger is one open file. It is safe for concurrent use.
type Ledger struct {
	config Config
	id     string // identity of the epoch
	root   string // the first id; the checksums and the chain start with it
	sums   checksummer

	segments segments // segments of the chain; the last one belongs to this run
	witness  *witness // nil for an in-memory ledger, and while appends are blocked
	blocked  error    // why appends are blocked, or nil

	lock   *fileLock // nil for an in-memory ledger
	path   *pathLock // nil without a LockDir
	opened os.FileInfo
	writes *sql.DB // one connection
	reads  *sql.DB // for an in-memory ledger, the same connection as writes
	query  queries
	keys   keyQuery
	absent atomic.Pointer[absent] // the keys that the last call to HasKeys did not find

	writing         sync.Mutex // held during a commit; guards the next three fields
	writer          *writer
	batch           []*request   // scratch, empty between commits
	checkpointTimer *time.Timer  // checkpoints the log when appends pause
	singleCommits   atomic.Int32 // single-request commits since the last shared commit, up to singleCommitsLimit

	requests  chan *request
	queued    chan struct{} // signals that requests are waiting
	sending   sync.RWMutex  // locked for reading while a request enters the queue or is committed by its caller
	state     atomic.Pointer[state]
	retaining sync.Mutex
	damage    atomic.Pointer[error] // the first damage that a read found
	verified  verifiedBlocks

	closing   chan struct{} // closed when Close begins
	committed chan struct{} // closed when the committer has ended
	using     sync.RWMutex  // read-locked by reads, so that Close waits for them
	closeOnce sync.Once
	closeErr  error
}

// Open opens the ledger, creating it if it is missing. ctx applies to opening only.
func Open(ctx context.Context, config Config) (*Ledger, error) {
	l := &Ledger{
		config:    config,
		requests:  make(chan *request, contracts.LimitAppendBatch),
		queued:    make(chan struct{}, 1),
		closing:   make(chan struct{}),
		committed: make(chan struct{}),
	}
	if l.config.FreeSpace == nil {
		l.config.FreeSpace = freeSpace
	}
	if l.config.Logger == nil {
		l.config.Logger = slog.New(slog.DiscardHandler)
	}
	if err := l.open(ctx); err != nil {
		l.release()
		return nil, fmt.Errorf("open ledger %s: %w", l.name(), err)
	}
	l.writer = newWriter(l.writes, l.sums, l.segments)
	l.batch = make([]*request, 0, contracts.LimitAppendBatch)
	l.checkpointTimer = time.NewTimer(contracts.WALCheckpointIdle)
	l.checkpointTimer.Stop()
	l.singleCommits.Store(singleCommitsLimit)
	go l.commitLoop()
	return l, nil
}

func (l *Ledger) open(ctx context.Context) (err error) {
	if l.config.Path != "" {
		if l.path, err = lockPath(l.config.LockDir, l.config.Path); err != nil {
			return err
		}
		if err = prepareFile(l.config.Path); err != nil {
			return err
		}
		if l.lock, err = lockFile(l.config.Path + ".lock"); err != nil {
			return err
		}
		if l.opened, err = os.Stat(l.config.Path); err != nil {
			return err
		}
		if l.config.ReadOnly && l.opened.Size() == 0 {
			if _, err := os.Stat(l.config.Path + "-wal"); errors.Is(err, fs.ErrNotExist) { // opening the file would write a header
				return errEmpty
			}
		}
	}
	if l.writes, err = openWriter(l.config.Path); err != nil {
		return err
	}
	if err = l.establish(ctx); err != nil {
		return err
	}
	l.reads, l.keys.db = l.writes, l.writes
	if l.config.Path != "" {
		if l.reads, err = openReaders(l.config.Path, readConnections); err != nil {
			return err
		}
		if l.keys.db, err = openReaders(l.config.Path, 1); err != nil {
			return err
		}
	}
	if err = l.query.prepare(ctx, l.reads); err != nil {
		return err
	}
	if _, err = l.keys.has(0, ""); err != nil { // open the connection while the file is still there
		return err
	}
	head, floor, err := readHead(ctx, l.writes)
	if err != nil {
		return err
	}
	if err = fillPlaces(ctx, l.writes, head, l.progress("indexing the ledger by kind", placeBatch)); err != nil {
		return err
	}
	link, at, err := linkBefore(ctx, l.writes, l.root, head)
	if err != nil {
		return err
	}
	if at < head { // the link is kept even if retention removed the record at the head
		return &ledger.CorruptError{Seq: head, Reason: "has no valid link in the chain"}
	}
	if l.segments, err = readSegments(ctx, l.writes); err != nil {
		return err
	}
	l.state.Store(&state{head: head, floor: floor, link: link, changed: make(chan struct{})})
	return l.resume(ctx)
}

// resume starts the segment of this run, unless the ledger lost records or was replaced.
//
// If the process is killed between two steps, the next Open still interprets the file correctly: if
// the file has no segment, nothing has been appended since the chain was added, and a copy stays
// marked as closed until its witness is written.
func (l *Ledger) resume(ctx context.Context) error {
	if l.config.Path == "" {
		return l.startSegment(ctx)
	}
	seen, copied, err := l.compareWitness(ctx)
	loss := (*ledger.LossError)(nil)
	switch lost := errors.As(err, &loss); {
	case err != nil && !lost:
		return err
	case lost && !l.config.NewEpoch:
		l.blocked = err
		l.noteDamage(err)
		return nil
	case l.config.ReadOnly:
		l.blocked = errReadOnly
		return nil
	case lost || copied || l.config.NewEpoch:
		if err := l.startEpoch(ctx, seen.ledger); err != nil {
			return err
		}
	}
	if l.witness, err = openWitness(l.config.Path, seen.count); err != nil {
		return err
	}
	l.updateWitness(l.state.Load())
	if err := l.witness.file.Sync(); err != nil {
		return err
	}
	if err := atomicfile.SyncDir(filepath.Dir(l.config.Path)); err != nil {
		return err
	}
	if err := l.startSegment(ctx); err != nil {
		return err
	}
	l.checkpointWAL() // so that a copy of the file without its log is not marked as closed
	if err := l.finishWipe(ctx); err != nil {
		l.config.Logger.Warn("redacted text may still be in the ledger files; the next start will try again", "ledger", l.name(), "error", err)
	}
	return nil
}

var errReadOnly = errors.New("the ledger is read-only")

// startEpoch gives the ledger a new id. Checksums and the chain keep the first id.
func (l *Ledger) startEpoch(ctx context.Context, was string) error {
	id := mintID()
	if _, err := l.writes.ExecContext(ctx, "INSERT OR REPLACE INTO meta VALUES ('root', ?), ('id', ?)", l.root, id); err != nil {
		return explain(err)
	}
	l.config.Logger.Warn("new epoch started; clients will reload everything", "ledger", l.name(), "head", l.Head(), "id", id, "before", cmp.Or(was, l.id))
	l.id = id
	return nil
}

// establish opens the ledger file, creates its tables if it is empty, and upgrades an older format.
func (l *Ledger) establish(ctx context.Context) error {
	id, root, format, err := establish(ctx, l.writes, !l.config.ReadOnly)
	if err != nil {
		return err
	}
	l.id, l.root, l.sums = id, root, newChecksummer(root)
	switch {
	case format == formatVersion:
		return nil
	case l.config.ReadOnly:
		return fmt.Errorf("the ledger has the older format %d: start the office once to upgrade it to format %d", format, formatVersion)
	}
	return l.upgrade(ctx)
}

// startSegment starts this run's segment by storing a new token for the records that the run
// appends.
func (l *Ledger) startSegment(ctx context.Context) error {
	s := segment{after: l.Head(), token: mintID()}
	err := inTransaction(ctx, l.writes, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "INSERT INTO segments (after, token) VALUES (?, ?)", int64(s.after), s.token); err != nil {
			return explain(err)
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM meta WHERE name = ?", closedAt)
		return explain(err)
	})
	l.segments = append(l.segments, s)
	return err
}

// ID returns the identity of the epoch. It is created with the file and changes with every new
// epoch.
func (l *Ledger) ID() string { return l.id }

// Durable reports whether the ledger is stored in a file.
func (l *Ledger) Durable() bool { return l.config.Path != "" }

// Segment returns the token of the segment that this run appends to, or "" if this run may not
// append.
func (l *Ledger) Segment() string {
	if l.blocked != nil || len(l.segments) == 0 {
		return ""
	}
	return l.segments[len(l.segments)-1].token
}

// Holds reports whether seq, which was read in the given segment, belongs to this history.
func (l *Ledger) Holds(segment string, seq uint64) bool {
	return l.segments.holds(segment, seq, l.Head())
}

// Head returns the last durable seq.
func (l *Ledger) Head() uint64 { return l.state.Load().head }

// Floor returns the highest seq that retention has removed.
func (l *Ledger) Floor() uint64 { return l.state.Load().floor }

// Close commits waiting requests, checkpoints the write-ahead log and closes the file. Later reads
// and writes fail with ledger.ErrClosed.
func (l *Ledger) Close() error {
	l.closeOnce.Do(func() {
		close(l.closing)
		<-l.committed
		l.using.Lock() // waits for running reads; new reads fail because l.closing is closed
		defer l.using.Unlock()
		l.markClosed()
		if err := l.release(); err != nil {
			l.closeErr = fmt.Errorf("close ledger %s: %w", l.name(), err)
		}
	})
	return l.closeErr
}

// markClosed marks the file as closed cleanly and checkpoints its log.
func (l *Ledger) markClosed() {
	if l.blocked != nil {
		return // leave the files unchanged for diagnosis
	}
	if l.config.Path != "" && l.checkPath() == nil {
		l.writes.Exec("INSERT OR REPLACE INTO meta VALUES (?, ?)", closedAt, strconv.FormatUint(l.Head(), 10))
	}
	l.checkpointWAL()
}

// checkpointWAL checkpoints the write-ahead log, so that the file alone is a complete copy. If
// that fails, for example on a full disk, nothing is lost: the log stays next to the
// file and the next Open reads it.
func (l *Ledger) checkpointWAL() {
	if l.config.Path != "" {
		l.writes.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
	}
}

// checkpointIdle checkpoints the log of an open ledger. It does not wait for readers, because
// appends would then have to wait too.
func (l *Ledger) checkpointIdle() {
	l.writes.Exec("PRAGMA busy_timeout = 0")
	l.checkpointWAL()
	l.writes.Exec("PRAGMA " + busyTimeout)
}

// release closes everything that Open has acquired, even if Open failed halfway.
func (l *Ledger) release() error {
	var errs []error
	errs = append(errs, l.query.close(), l.keys.close())
	if l.keys.db != nil {
		errs = append(errs, l.keys.db.Close())
	}
	if l.reads != nil {
		errs = append(errs, l.reads.Close())
	}
	if l.writes != nil {
		errs = append(errs, l.writes.Close())
	}
	if l.witness != nil {
		errs = append(errs, l.witness.close())
	}
	if l.path != nil {
		errs = append(errs, l.path.release())
	}
	if l.lock != nil {
		errs = append(errs, l.lock.release())
	}
	return errors.Join(errs...)
}

// beginRead begins a read. It returns an error once Close has begun; otherwise the caller must call
// l.using.RUnlock.
func (l *Ledger) beginRead() error {
	l.using.RLock()
	select {
	case <-l.closing:
		l.using.RUnlock()
		return ledger.ErrClosed
	default:
		return nil
	}
}

func (l *Ledger) name() string {
	if l.config.Path == "" {
		return "in memory"
	}
	return l.config.Path
}

var _ ledger.Ledger = (*Ledger)(nil)
