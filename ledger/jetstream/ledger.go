// Package jetstream implements the ledger that several nodes share: two streams in a NATS JetStream
// cluster.
//
// It implements the contract of package ledger. A record's sequence number is that of its message.
// An append is one message or one atomic batch, and carries the expected head: the server rejects
// it if another node has appended first, so an append with an unknown outcome can be sent again. A
// key is a subject that the server accepts only once. JetStream provides ordering, replication and
// durability.
//
// Replicas may be behind, so only the stream's leader can confirm that something does not exist.
// Every record is chained to the one before it; a record that does not continue the chain is
// reported as damage.
package jetstream

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// DefaultOffice is the default name of an office.
const DefaultOffice = "office"

// Config defines where the ledger is stored. URL is required.
type Config struct {
	URL      string // URLs of the servers, separated by commas
	Office   string // name of the office: letters, digits, _ and -; default DefaultOffice
	Replicas int    // number of replicas of new streams; default contracts.JetStreamReplicas
	Existing bool   // fail if the ledger does not exist, instead of creating it

	// Wait is how long to wait while no server answers or too few servers are up; 0 means do not wait.
	// Other errors, such as wrong credentials, are returned without waiting.
	Wait time.Duration

	// Options are additional NATS connection options, such as credentials and TLS settings.
	Options []nats.Option

	Logger *slog.Logger // nil disables logging

	restoring bool // allow opening an incomplete ledger
}

// Ledger is one node's view of the streams. It is safe for concurrent use.
//
// A ledger follows other nodes' appends. Lead prepares it for appends by this node.
type Ledger struct {
	config  Config
	conn    *nats.Conn
	js      jetstream.JetStream
	id      string // the epoch's id
	origin  ledger.Origin
	records string // subject prefix of records
	extras  string // subject prefix of everything else
	feed    jetstream.ConsumeContext

	slots chan struct{} // limits the number of concurrent API requests

	state atomic.Pointer[state]

	mu           sync.Mutex // guards the fields below, and the replacement of state
	segmentToken string     // the token of this node's segment; empty while the node only follows
	segments     []segment
	inFlight     []entry // appended, not yet acknowledged
	tombstones   map[uint64]tombstone
	document     document
	revision     uint64 // the document's revision
	saved        uint64 // revision of the checkpoint that this node replaces

	damage atomic.Pointer[error] // the first damage that was found

	deny            context.CancelCauseFunc            // aborts opening
	cancelSyncCheck atomic.Pointer[context.CancelFunc] // cancels checkSync

	requests  chan *request
	retaining sync.Mutex
	runCtx    context.Context
	end       context.CancelFunc
	running   sync.WaitGroup
	closeOnce sync.Once
}

// state describes the durable part of the ledger that this node has seen. A state is immutable.
type state struct {
	head, floor uint64
	link        ledger.Link // link of the record at the head
	tail        ledger.Tail
	changed     chan struct{} // closed when a newer state replaces this one
}

// Open connects to the cluster, and creates the ledger if it is missing. It refuses a ledger that
// Restore has not completed. ctx applies to opening only.
func Open(ctx context.Context, config Config) (*Ledger, error) {
	config.Office = cmp.Or(config.Office, DefaultOffice)
	config.Replicas = cmp.Or(config.Replicas, contracts.JetStreamReplicas)
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	l := &Ledger{
		config: config, slots: make(chan struct{}, contracts.LimitJetStreamRequests), requests: make(chan *request, contracts.LimitAppendBatch),
		records: "bullpen." + config.Office + ".r.", extras: "bullpen." + config.Office + ".x.", tombstones: map[uint64]tombstone{},
	}
	l.runCtx, l.end = context.WithCancel(context.Background())
	ctx, l.deny = context.WithCancelCause(ctx)
	defer l.deny(nil)
	if err := l.open(ctx); err != nil {
		l.Close()
		if denied := (*deniedError)(nil); errors.As(context.Cause(ctx), &denied) {
			err = denied
		}
		return nil, fmt.Errorf("open the ledger of office %q at %s: %w", config.Office, RedactURLs(config.URL), err)
	}
	return l, nil
}

// CheckOffice returns an error unless name is a valid name for an office in a cluster.
func CheckOffice(name string) error {
	if !validToken.MatchString(name) || len(name) > contracts.LimitOfficeName {
		return fmt.Errorf("invalid office name %q: use up to %d letters, digits, _ and -", name, contracts.LimitOfficeName)
	}
	return nil
}

func (l *Ledger) open(ctx context.Context) (err error) {
	if err := CheckOffice(l.config.Office); err != nil {
		return err
	}
	with := l.config
	with.Options = append([]nats.Option{nats.ErrorHandler(l.asyncError)}, l.config.Options...)
	if l.conn, err = Connect(ctx, with); err != nil {
		return err
	}
	if l.js, err = jetstream.New(l.conn); err != nil {
		return err
	}
	if err := l.checkServer(); err != nil {
		return err
	}
	head, err := l.establish(ctx)
	if err != nil {
		return err
	}
	if err := l.checkRestored(ctx); err != nil {
		return err
	}
	if err := l.loadDocument(ctx); err != nil {
		return err
	}
	link, err := l.linkAt(ctx, head)
	if err != nil {
		return err
	}
	l.state.Store(&state{head: head, floor: l.document.Floor, link: link, changed: make(chan struct{})})
	if err := l.loadTombstones(ctx); err != nil {
		return err
	}
	if err := l.loadSegments(ctx); err != nil {
		return err
	}
	l.running.Go(l.commitLoop)
	if l.feed, err = l.follow(ctx, head); err != nil {
		return err
	}
	return l.watchDocument(ctx)
}

// linkAt returns the link of the record at the head. If retention has removed that record, the
// retention document contains its link.
func (l *Ledger) linkAt(ctx context.Context, head uint64) (link ledger.Link, err error) {
	if head == 0 {
		return ledger.ChainStart(l.id), nil
	}
	if link, ok := l.document.link(head); ok {
		return link, nil
	}
	m, err := l.fromLeader(ctx, l.recordStream(), selector{Seq: head})
	if err != nil {
		return link, err
	}
	if m == nil {
		return link, &ledger.CorruptError{Seq: head, Reason: "is missing"}
	}
	e, err := decode(m.seq, m.data)
	if err != nil {
		err = fmt.Errorf("stream %s: %w; allow only Bullpen to publish to %s>", l.recordStream(), err, l.records)
	}
	return e.link(), err
}

// Lead prepares the ledger for appends by this node: it finishes removals and redactions that an
// earlier leader began, and starts a segment. Call it after the node has become the office's
// writer.
func (l *Ledger) Lead(ctx context.Context) error {
	if err := l.checkRestored(ctx); err != nil {
		return err
	}
	if err := l.catchUp(ctx); err != nil {
		return err
	}
	if err := l.loadDocument(ctx); err != nil {
		return err
	}
	if err := l.finishRemoval(ctx); err != nil {
		return err
	}
	if err := l.finishRedactions(ctx); err != nil {
		return err
	}
	if err := l.adoptCheckpoint(ctx); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.segmentToken = strings.ToLower(rand.Text())
	return nil
}

// ID returns the identity of the epoch.
func (l *Ledger) ID() string { return l.id }

// Origin describes the ledger as it was when this node opened it.
func (l *Ledger) Origin() ledger.Origin { return l.origin }

// Durable returns true: the cluster stores the ledger.
func (l *Ledger) Durable() bool { return true }

// Head returns the seq of the last record that this node has seen.
func (l *Ledger) Head() uint64 { return l.state.Load().head }

// Floor returns the highest seq that retention has removed.
func (l *Ledger) Floor() uint64 { return l.state.Load().floor }

// Damage returns the first damage that was found, or nil.
func (l *Ledger) Damage() error {
	if p := l.damage.Load(); p != nil {
		return *p
	}
	return nil
}

// noteDamage stores the first error that reports damage. It returns err.
func (l *Ledger) noteDamage(err error) error {
	if err != nil && errors.Is(err, ledger.ErrCorrupt) {
		l.damage.CompareAndSwap(nil, &err)
	}
	return err
}

// Close disconnects from the cluster.
func (l *Ledger) Close() error {
	l.closeOnce.Do(func() {
		l.end()
		if l.feed != nil {
			l.feed.Stop()
		}
		l.running.Wait()
		for range cap(l.slots) { // until the last request has ended; no other can start
			l.slots <- struct{}{}
		}
		if l.conn != nil {
			l.conn.Close()
		}
	})
	return nil
}

// Streams returns the names of the ledger's streams, with the record stream first.
func (l *Ledger) Streams() []string { return []string{l.recordStream(), l.extraStream()} }

func (l *Ledger) recordStream() string { return "BULLPEN_" + l.config.Office + "_R" }
func (l *Ledger) extraStream() string  { return "BULLPEN_" + l.config.Office + "_X" }
