package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"

	"github.com/bullpen-office/bullpen/contracts"
)

// WriterLease returns the configuration of an office's writer lease, for the process with the given
// name.
func WriterLease(conn *nats.Conn, office, name string) LeaseConfig {
	return LeaseConfig{Conn: conn, Key: office, TTL: contracts.LeaseTTL, Holder: Holder{Node: name, Token: rand.Text(), Protocol: Protocol}}
}

// Exclusive calls fn while this process holds a lease. It does not wait for the lease: it fails
// with *HeldError if another process holds it. fn's context is cancelled as soon as another process
// may hold the lease.
func Exclusive(ctx context.Context, cfg LeaseConfig, fn func(ctx context.Context) error) error {
	l, err := OpenLease(ctx, cfg)
	if err != nil {
		return err
	}
	asked := time.Now()
	revision, err := l.acquire(ctx)
	if lostRace(err) {
		return l.heldError(ctx)
	}
	if err != nil {
		return fmt.Errorf("acquire the lease %s: %w", cfg.Key, err)
	}
	lost, err := l.hold(ctx, asked, revision, fn)
	if lost {
		err = errors.Join(fmt.Errorf("lost the lease %s: check the connection to NATS and try again", cfg.Key), err)
	}
	return err
}

// HeldError means that another process holds a lease.
type HeldError struct{ Holder Holder }

func (e *HeldError) Error() string { return fmt.Sprintf("%s holds the lease", e.Holder.Node) }

// heldError returns an error that names the holder of the lease.
func (l *Lease) heldError(ctx context.Context) error {
	entry, err := l.kv.Get(ctx, l.cfg.Key)
	if err != nil {
		return fmt.Errorf("another process held the lease %s a moment ago; try again: %w", l.cfg.Key, err)
	}
	held := &HeldError{}
	if err := json.Unmarshal(entry.Value(), &held.Holder); err != nil {
		return fmt.Errorf("key %s in bucket %s is not a lease: %w", l.cfg.Key, bucket, err)
	}
	return held
}
