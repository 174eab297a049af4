// Package sqlite is the embedded ledger: one SQLite file that any SQLite tool
// can open.
//
// It guarantees what package ledger promises. One goroutine writes: it takes the
// appends that wait, commits them in one transaction that is synced to the disk,
// and only then wakes the callers and the followers. Every record carries a
// checksum; a damaged record is reported, never handed out. A second process on
// the same file is refused. When the disk is full nothing is appended, reads go
// on, and appends work again once there is space.
//
// It never rewrites a record, and it never reads ahead of what is durable.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// Config says where the ledger lives. The zero value is a ledger in memory.
type Config struct {
	// Path of the file, made when missing. Empty keeps everything in memory: such
	// a ledger ends with the process.
	Path string

	// MinFree refuses appends when the volume has fewer bytes left. 0 means the
	// smaller of contracts.LimitFreeBytes and contracts.LimitFreePercent of the
	// volume; a negative value switches the check off.
	MinFree int64

	// FreeSpace tells the bytes left for us and the size of the volume that holds
	// path; negative means unknown. nil asks the operating system.
	FreeSpace func(path string) (free, total int64, err error)

	Logger *slog.Logger // nil discards
}

// Ledger is one open file. Its methods may be called from any goroutine.
type Ledger struct {
	config Config
	id     string // of the epoch
	root   string // the first id: what checksums and the chain begin with
	sums   summer

	segments segments // of the chain, the one of this run last

	lock   *fileLock // nil in memory
	writes *sql.DB   // one connection
	reads  *sql.DB   // the same as writes in memory, where there is one connection
	query  queries

	requests  chan *request
	state     atomic.Pointer[state]
	retaining sync.Mutex
	damage    atomic.Pointer[error] // the first that a read met

	closing   chan struct{} // closed when Close begins
	committed chan struct{} // closed when the committer has ended
	using     sync.RWMutex  // read-held by reads, so that Close waits for them
	closeOnce sync.Once
	closeErr  error
}

// Open opens the ledger, and makes it when there is none. ctx bounds the opening
// only.
func Open(ctx context.Context, config Config) (*Ledger, error) {
	l := &Ledger{
		config:    config,
		requests:  make(chan *request, contracts.LimitAppendBatch),
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
	go l.commitLoop()
	return l, nil
}

func (l *Ledger) open(ctx context.Context) (err error) {
	if l.config.Path != "" {
		if err = prepareFile(l.config.Path); err != nil {
			return err
		}
		if l.lock, err = lockFile(l.config.Path + ".lock"); err != nil {
			return err
		}
	}
	if l.writes, err = openWriter(l.config.Path); err != nil {
		return err
	}
	if err = l.establish(ctx); err != nil {
		return err
	}
	l.reads = l.writes
	if l.config.Path != "" {
		if l.reads, err = openReaders(l.config.Path); err != nil {
			return err
		}
	}
	if err = l.query.prepare(ctx, l.reads); err != nil {
		return err
	}
	head, floor, err := readHead(ctx, l.writes)
	if err != nil {
		return err
	}
	if err = placeRest(ctx, l.writes, head, l.progress("indexing the ledger by kind", placeBatch)); err != nil {
		return err
	}
	link, at, err := linkBefore(ctx, l.writes, l.root, head)
	if err != nil {
		return err
	}
	if at < head && head > floor {
		return &ledger.CorruptError{Seq: head, Reason: "has no place in the chain"}
	}
	if l.segments, err = readSegments(ctx, l.writes); err != nil {
		return err
	}
	l.state.Store(&state{head: head, floor: floor, link: link, changed: make(chan struct{})})
	return l.startSegment(ctx)
}

// establish makes or recognises the file, and upgrades one of an older format.
func (l *Ledger) establish(ctx context.Context) error {
	id, root, format, err := establish(ctx, l.writes)
	if err != nil {
		return err
	}
	l.id, l.root, l.sums = id, root, newSummer(root)
	if format < formatVersion {
		return l.upgrade(ctx)
	}
	return nil
}

// startSegment gives what this run appends a token of its own.
func (l *Ledger) startSegment(ctx context.Context) error {
	s := segment{after: l.Head(), token: mintID()}
	if _, err := l.writes.ExecContext(ctx, "INSERT INTO segments (after, token) VALUES (?, ?)", int64(s.after), s.token); err != nil {
		return explain(err)
	}
	l.segments = append(l.segments, s)
	return nil
}

// ID is the identity minted when the file was made.
func (l *Ledger) ID() string { return l.id }

// Durable reports whether there is a file.
func (l *Ledger) Durable() bool { return l.config.Path != "" }

// Head is the last durable seq.
func (l *Ledger) Head() uint64 { return l.state.Load().head }

// Floor is the highest seq that retention has removed.
func (l *Ledger) Floor() uint64 { return l.state.Load().floor }

// Close commits what waits, folds the write-ahead log into the file and lets go
// of it. Everything afterwards fails with ledger.ErrClosed.
func (l *Ledger) Close() error {
	l.closeOnce.Do(func() {
		close(l.closing)
		<-l.committed
		l.using.Lock() // waits for reads under way; new ones see closing
		defer l.using.Unlock()
		l.foldLog()
		if err := l.release(); err != nil {
			l.closeErr = fmt.Errorf("close ledger %s: %w", l.name(), err)
		}
	})
	return l.closeErr
}

// foldLog leaves one file behind, so that copying it is a whole backup. When it
// fails, on a full disk say, nothing is lost: the log stays beside the file and
// the next Open reads it.
func (l *Ledger) foldLog() {
	if l.config.Path != "" {
		l.writes.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
	}
}

// release lets go of everything that open took, in whatever state it is.
func (l *Ledger) release() error {
	var errs []error
	errs = append(errs, l.query.close())
	if l.reads != nil {
		errs = append(errs, l.reads.Close())
	}
	if l.writes != nil {
		errs = append(errs, l.writes.Close())
	}
	if l.lock != nil {
		errs = append(errs, l.lock.release())
	}
	return errors.Join(errs...)
}

// use begins a read. It fails once Close has begun; otherwise the caller must
// call l.using.RUnlock.
func (l *Ledger) use() error {
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
