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

// weather decides which calls to the ledger fail, across all lives of an office.
type weather struct {
	plan *plan
	late sync.WaitGroup // appends that are still in flight

	mu      sync.Mutex
	appends *rand.Rand
	others  *rand.Rand
	calm    bool // no more faults occur
	seen    [faults]int
}

func newWeather(p *plan) *weather {
	return &weather{plan: p, appends: source(p.seed, "appends"), others: source(p.seed, "others")}
}

func (w *weather) calmDown() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calm = true
}

// String lists how many faults of each kind have happened.
func (w *weather) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var list []string
	for f := faultSlow; f < faults; f++ {
		if n := w.seen[f]; n > 0 {
			list = append(list, fmt.Sprintf("%d %s", n, f))
		}
	}
	return strings.Join(list, ", ")
}

// next returns the fault for the next append, and the delay of a slow or late append.
func (w *weather) next() (fault, time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.calm {
		return faultNone, 0
	}
	f := w.plan.fault(w.appends)
	w.seen[f]++
	return f, between(w.appends, 0, 50*time.Second)
}

// fails decides, with the given probability, whether a call other than an append fails.
func (w *weather) fails(chance float64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.calm && w.others.Float64() < chance
}

// lag returns how long the next records take to reach the view.
func (w *weather) lag() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.calm {
		return 0
	}
	return between(w.others, 0, w.plan.lag)
}

// disk is the ledger as one process sees it.
type disk struct {
	ledger.Ledger
	weather *weather
	once    sync.Once
	killed  chan struct{} // closed when the process is killed
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

// Append appends records, unless the plan has a fault for this append.
func (d *disk) Append(ctx context.Context, after uint64, recs []contracts.Record) error {
	if d.dead() {
		return ledger.ErrClosed
	}
	f, takes := d.weather.next()
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
		d.weather.late.Go(func() {
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

// hang returns when ctx or the process ends.
func (d *disk) hang(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-d.killed:
		return ledger.ErrClosed
	}
}

// wait returns nil after the given time, or an error if ctx or the process ends first.
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
	case d.weather.fails(d.weather.plan.blobs):
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
	if d.weather.fails(d.weather.plan.lookups) {
		return contracts.Record{}, false, errOutage
	}
	return d.Ledger.Lookup(ctx, key)
}

// Known reports which keys are used, unless the disk fails.
func (d *disk) Known(ctx context.Context, keys []string) ([]bool, error) {
	if d.weather.fails(d.weather.plan.lookups) {
		return nil, errOutage
	}
	return d.Ledger.Known(ctx, keys)
}

// Follow follows the ledger, possibly with a delay.
func (d *disk) Follow(ctx context.Context, after uint64, fn func([]contracts.Record) error) error {
	return d.Ledger.Follow(ctx, after, func(recs []contracts.Record) error {
		_ = d.wait(ctx, d.weather.lag())
		return fn(recs)
	})
}
