package sim

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// errOutage is the error of a call that fails because the disk is unavailable.
var errOutage = errors.New("the disk is unavailable")

// faultInjector decides which calls to the ledger fail, across all lives of an office.
type faultInjector struct {
	plan *plan
	late sync.WaitGroup // appends that are still in flight

	mu      sync.Mutex
	appends *rand.Rand
	others  *rand.Rand
	stopped bool // no more faults occur
	seen    [faults]int
}

func newFaultInjector(p *plan) *faultInjector {
	return &faultInjector{plan: p, appends: source(p.seed, "appends"), others: source(p.seed, "others")}
}

func (in *faultInjector) stop() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.stopped = true
}

// String lists how many faults of each kind have happened.
func (in *faultInjector) String() string {
	in.mu.Lock()
	defer in.mu.Unlock()
	var list []string
	for f := faultSlow; f < faults; f++ {
		if n := in.seen[f]; n > 0 {
			list = append(list, fmt.Sprintf("%d %s", n, f))
		}
	}
	return strings.Join(list, ", ")
}

// next returns the fault for the next append, and the delay of a slow or late append.
func (in *faultInjector) next() (fault, time.Duration) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.stopped {
		return faultNone, 0
	}
	f := in.plan.fault(in.appends)
	in.seen[f]++
	return f, between(in.appends, 0, 50*time.Second)
}

// fails decides, with the given probability, whether a call other than an append fails.
func (in *faultInjector) fails(chance float64) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return !in.stopped && in.others.Float64() < chance
}

// lag returns how long the next records take to reach the view.
func (in *faultInjector) lag() time.Duration {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.stopped {
		return 0
	}
	return between(in.others, 0, in.plan.lag)
}

// disk is the ledger as one process sees it.
type disk struct {
	ledger.Ledger
	injector *faultInjector
	once     sync.Once
	killed   chan struct{} // closed when the process is killed
}

func (d *disk) kill() { d.once.Do(func() { close(d.killed) }) }

func (d *disk) dead() bool {
	select {
	case <-d.killed:
		return true
	default:
		return false
	}
}

// Append appends records, unless the injector's next fault delays or prevents that, or kills the
// process.
func (d *disk) Append(ctx context.Context, after uint64, recs []contracts.Record) error {
	if d.dead() {
		return ledger.ErrClosed
	}
	f, takes := d.injector.next()
	switch f {
	case faultSlow:
		if err := d.wait(ctx, takes); err != nil {
			return err
		}
	case faultFailed:
		return errOutage
	case faultLost:
		if err := d.Ledger.Append(ctx, after, recs); err != nil {
			return err
		}
		return d.hang(ctx)
	case faultHung:
		return d.hang(ctx)
	case faultLate:
		mine := slices.Clone(recs)
		d.injector.late.Go(func() {
			time.Sleep(takes)
			_ = d.Ledger.Append(context.Background(), after, mine) // refused if other records were appended first
		})
		return d.hang(ctx)
	case faultCrashBefore:
		d.kill()
		return ledger.ErrClosed
	case faultCrashAfter:
		err := d.Ledger.Append(ctx, after, recs)
		d.kill()
		return errors.Join(err, ledger.ErrClosed)
	}
	return d.Ledger.Append(ctx, after, recs)
}

// hang blocks until ctx is done or the process is killed.
func (d *disk) hang(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", ledger.ErrUnconfirmed, ctx.Err())
	case <-d.killed:
		return ledger.ErrClosed
	}
}

// wait returns nil after the given time, or an error if ctx is done or the process is killed first.
func (d *disk) wait(ctx context.Context, takes time.Duration) error {
	timer := time.NewTimer(takes)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-d.killed:
		return ledger.ErrClosed
	}
}

// PutBlob stores content, unless the disk is full or the process was killed.
func (d *disk) PutBlob(ctx context.Context, content []byte) (string, error) {
	switch {
	case d.dead():
		return "", ledger.ErrClosed
	case d.injector.fails(d.injector.plan.blobs):
		return "", errOutage
	}
	return d.Ledger.PutBlob(ctx, content)
}

// SaveCheckpoint stores a checkpoint, unless the process was killed.
func (d *disk) SaveCheckpoint(ctx context.Context, c ledger.Checkpoint) error {
	if d.dead() {
		return ledger.ErrClosed
	}
	return d.Ledger.SaveCheckpoint(ctx, c)
}

// Lookup finds a record by its key, unless the disk fails.
func (d *disk) Lookup(ctx context.Context, key string) (contracts.Record, bool, error) {
	if d.injector.fails(d.injector.plan.lookups) {
		return contracts.Record{}, false, errOutage
	}
	return d.Ledger.Lookup(ctx, key)
}

// HasKeys reports which keys are used, unless the disk fails.
func (d *disk) HasKeys(ctx context.Context, keys []string) ([]bool, error) {
	if d.injector.fails(d.injector.plan.lookups) {
		return nil, errOutage
	}
	return d.Ledger.HasKeys(ctx, keys)
}

// Follow follows the ledger, possibly with a delay.
func (d *disk) Follow(ctx context.Context, after uint64, fn func([]contracts.Record) error) error {
	return d.Ledger.Follow(ctx, after, func(recs []contracts.Record) error {
		_ = d.wait(ctx, d.injector.lag())
		return fn(recs)
	})
}
