package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/bullpen-office/bullpen/contracts"
)

// Holder is the node that holds a lease.
type Holder struct {
	Node  string `json:"node"`
	Token string `json:"token"` // identifies the process

	Protocol int    `json:"protocol,omitzero"`
	Version  string `json:"version,omitzero"` // the program's version
}

// LeaseConfig describes the lease that a node requests. Conn, Key, TTL and Holder are required.
type LeaseConfig struct {
	Conn     *nats.Conn
	Key      string        // the lease's key in the bucket
	TTL      time.Duration // the lease ends this long after it was last confirmed
	Holder   Holder
	Replicas int          // number of replicas if the bucket must be created; default: contracts.JetStreamReplicas
	Log      *slog.Logger // default: no logging
}

// Lease chooses one process among several. It is not a lock, because a process that was paused may
// take a moment to notice that another process holds the lease.
type Lease struct {
	cfg    LeaseConfig
	js     jetstream.JetStream
	kv     jetstream.KeyValue
	warned string // the last warning that Run logged, which is not repeated

	mu      sync.Mutex
	holder  Holder // zero if no process holds the lease
	changed chan struct{}
	problem error // why the last request for the lease failed; losing the lease to another process does not count
}

// OpenLease opens the lease bucket, and creates it if it is missing.
func OpenLease(ctx context.Context, cfg LeaseConfig) (*Lease, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Replicas == 0 {
		cfg.Replicas = contracts.JetStreamReplicas
	}
	l := &Lease{cfg: cfg, changed: make(chan struct{})}
	if err := l.open(ctx); err != nil {
		return nil, fmt.Errorf("open the cluster's leases: %w", err)
	}
	return l, nil
}

// Holder returns the node that holds the lease, and a channel that is closed when the holder
// changes.
func (l *Lease) Holder() (h Holder, ok bool, changed <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.holder, l.holder.Token != "", l.changed
}

func (l *Lease) warn(text string, args ...any) {
	l.cfg.Log.Warn(text, append([]any{"lease", l.cfg.Key}, args...)...)
}

func (l *Lease) setHolder(h Holder) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h != l.holder {
		l.holder = h
		close(l.changed)
		l.changed = make(chan struct{})
	}
	if h.Token != "" && h.Token != l.cfg.Holder.Token {
		l.problem = nil
	}
}

// Problem returns an error that explains why NATS does not confirm the lease to this process, or
// nil if no reason is known.
func (l *Lease) Problem() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.problem
}

// note stores the outcome of a request for the lease.
func (l *Lease) note(err error) {
	if lostRace(err) || errors.Is(err, errMissed) {
		err = nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.problem = err
}

// Run waits for the lease and calls lead while this node holds it. If the lease is lost, it starts
// over. If lead returns first, it releases the lease and returns. lead's context is cancelled as
// soon as another node may hold the lease.
func (l *Lease) Run(ctx context.Context, lead func(ctx context.Context) error) error {
	for ctx.Err() == nil {
		free, err := l.watch(ctx)
		if err != nil && ctx.Err() == nil {
			l.retryAfter(ctx, "cannot watch a lease", err)
		}
		if err != nil || !free {
			continue
		}
		asked := time.Now()
		revision, err := l.acquire(ctx)
		l.note(err)
		if err != nil {
			if !lostRace(err) && ctx.Err() == nil {
				l.retryAfter(ctx, "cannot acquire a lease", err)
			}
			continue
		}
		l.warned = ""
		if lost, err := l.hold(ctx, asked, revision, lead); !lost || err != nil {
			return err
		}
	}
	return ctx.Err()
}

// retryAfter waits before Run tries again after an error, and creates the bucket if someone has
// deleted it.
func (l *Lease) retryAfter(ctx context.Context, what string, err error) {
	if text := what + err.Error(); text != l.warned {
		l.warned = text
		l.warn(what, "error", err)
	}
	// A watch returns the error of package nats, not of package jetstream.
	if pause(ctx) && errors.Is(err, nats.ErrStreamNotFound) {
		if err := l.create(ctx); err != nil {
			l.note(err)
		}
	}
}

// watch follows the lease until no process holds it. It returns false if no update arrives for
// longer than the lease can last, because the watch may then be broken and may have missed the end
// of the lease.
func (l *Lease) watch(ctx context.Context) (free bool, err error) {
	w, err := l.kv.Watch(ctx, l.cfg.Key)
	if err != nil {
		return false, err
	}
	defer w.Stop()
	known := false
	silent := time.NewTimer(2 * l.cfg.TTL)
	defer silent.Stop()
	for {
		select {
		case <-silent.C:
			l.setHolder(Holder{})
			return false, nil
		case entry, open := <-w.Updates():
			silent.Reset(2 * l.cfg.TTL)
			switch {
			case !open:
				return false, nil
			case entry == nil: // no more entries for now
				if !known {
					l.setHolder(Holder{})
					return true, nil
				}
			case entry.Operation() != jetstream.KeyValuePut: // released or expired
				l.setHolder(Holder{})
				return true, nil
			default:
				known = true
				var h Holder
				if err := json.Unmarshal(entry.Value(), &h); err != nil {
					return false, fmt.Errorf("key %s in bucket %s is not a lease: %w", l.cfg.Key, bucket, err)
				}
				l.setHolder(h)
			}
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// lostRace reports whether err means that another node acquired the lease first.
func lostRace(err error) bool {
	refused := (*jetstream.APIError)(nil)
	return errors.Is(err, jetstream.ErrKeyExists) || errors.As(err, &refused) && wrongLast(refused)
}

// wrongLast reports whether NATS refused a message because the subject's last message, stored or in
// flight, is not the expected one.
func wrongLast(e *jetstream.APIError) bool {
	return e.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || e.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant
}

func (l *Lease) acquire(ctx context.Context) (revision uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, l.cfg.TTL)
	defer cancel()
	value, err := l.value()
	if err != nil {
		return 0, err
	}
	return l.kv.Create(ctx, l.cfg.Key, value, jetstream.KeyTTL(l.cfg.TTL))
}

func (l *Lease) value() ([]byte, error) { return json.Marshal(l.cfg.Holder) }

// hold runs lead and renews the lease until lead returns or the lease is lost. asked is when the
// lease was requested.
func (l *Lease) hold(ctx context.Context, asked time.Time, revision uint64, lead func(ctx context.Context) error) (isLost bool, err error) {
	l.setHolder(l.cfg.Holder)
	leading, lose := context.WithCancel(ctx)
	defer lose()
	done := make(chan error, 1)
	go func() { done <- lead(leading) }()
	// This node's own clock decides when the lease ends: if renewals fail, another node may hold it
	// soon.
	lost := time.AfterFunc(l.cfg.TTL-time.Since(asked), lose)
	defer lost.Stop()
	ended := leading.Done()
	tick := time.NewTicker(l.cfg.TTL / 3)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			l.release(revision)
			return false, err
		case <-ended:
			if ctx.Err() != nil {
				ended = nil // lead may still need the lease to finish its work
				continue
			}
			l.warn("lost the lease: NATS did not confirm it in time", "error", l.Problem())
			l.setHolder(Holder{})
			return true, ignoreLoss(<-done)
		case <-tick.C:
			if !l.cfg.Conn.IsConnected() {
				continue
			}
			sent := time.Now()
			next, err := l.renew(context.WithoutCancel(ctx), revision)
			l.note(err)
			if errors.Is(err, errMissed) {
				next, err = l.ownRevision(context.WithoutCancel(ctx))
				if err == nil {
					// An earlier renewal succeeded, but its response was lost; the next renewal confirms the
					// lease.
					revision = next
				}
			} else if err == nil {
				revision = next
				lost.Reset(l.cfg.TTL - time.Since(sent))
			}
			if errors.Is(err, errTaken) {
				l.warn("lost the lease: another node holds it")
				lose()
				return true, ignoreLoss(<-done)
			}
		}
	}
}

// ignoreLoss returns err, or nil if lead failed only because its context was cancelled.
func ignoreLoss(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

var (
	errMissed = errors.New("the lease has a different revision")
	errTaken  = errors.New("another node holds the lease")
)

// ownRevision returns the current revision of the lease if this process still holds it.
func (l *Lease) ownRevision(ctx context.Context) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, l.cfg.TTL/3)
	defer cancel()
	entry, err := l.kv.Get(ctx, l.cfg.Key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return 0, errTaken
	}
	if err != nil {
		return 0, err
	}
	var h Holder
	if err := json.Unmarshal(entry.Value(), &h); err != nil || h.Token != l.cfg.Holder.Token {
		return 0, errTaken
	}
	return entry.Revision(), nil
}

// renew extends the lease if the lease still has the given revision. It publishes to the bucket's
// stream, because an update through the bucket has no TTL and would never expire.
func (l *Lease) renew(ctx context.Context, revision uint64) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, l.cfg.TTL/3)
	defer cancel()
	value, err := l.value()
	if err != nil {
		return 0, err
	}
	m := nats.NewMsg("$KV." + bucket + "." + l.cfg.Key)
	m.Data = value
	m.Header.Set("Nats-TTL", l.cfg.TTL.String())
	m.Header.Set("Nats-Expected-Last-Subject-Sequence", fmt.Sprint(revision))
	answer, err := l.cfg.Conn.RequestMsgWithContext(ctx, m)
	if err != nil {
		return 0, err
	}
	var ack struct {
		Seq   uint64              `json:"seq"`
		Error *jetstream.APIError `json:"error"`
	}
	if err := json.Unmarshal(answer.Data, &ack); err != nil {
		return 0, err
	}
	switch {
	case ack.Error == nil:
		return ack.Seq, nil
	case wrongLast(ack.Error):
		return 0, errMissed
	}
	return 0, ack.Error
}

// release deletes the lease, so that other nodes need not wait until it expires.
func (l *Lease) release(revision uint64) {
	defer l.setHolder(Holder{})
	err := nats.ErrConnectionReconnecting
	if l.cfg.Conn.IsConnected() {
		ctx, cancel := context.WithTimeout(context.Background(), contracts.LeaseTTL)
		defer cancel()
		err = l.kv.Delete(ctx, l.cfg.Key, jetstream.LastRevision(revision))
	}
	if err != nil {
		l.warn("a lease was not released; it will expire on its own", "after", l.cfg.TTL, "error", err)
	}
}
