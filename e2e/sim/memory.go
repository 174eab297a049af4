package sim

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// Memory is an in-memory store that outlives the ledgers opened on it, as a disk outlives
// processes.
type Memory struct {
	mu         sync.Mutex
	recs       []contracts.Record // sorted by seq; retention leaves gaps
	keys       map[string]uint64  // seq by key
	blobs      map[string][]byte
	checkpoint *ledger.Checkpoint
	head       uint64
	floor      uint64
	segments   []uint64      // the head at which each run of a writer started
	grown      chan struct{} // closed by the next append
}

// NewMemory returns an empty store.
func NewMemory() *Memory {
	return &Memory{keys: map[string]uint64{}, blobs: map[string][]byte{}, grown: make(chan struct{})}
}

// Open returns a ledger on the store. Each call starts a new segment.
func (m *Memory) Open() ledger.Ledger {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.segments = append(m.segments, m.head)
	return &memoryLedger{Memory: m, segment: len(m.segments) - 1, closed: make(chan struct{})}
}

type memoryLedger struct {
	*Memory
	segment int
	once    sync.Once
	closed  chan struct{}
}

func (l *memoryLedger) ID() string      { return "simulated" }
func (l *memoryLedger) Durable() bool   { return true }
func (l *memoryLedger) Segment() string { return segmentName(l.segment) }

func segmentName(n int) string { return fmt.Sprintf("segment%d", n) }

func (l *memoryLedger) Holds(segment string, seq uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for n := range l.segments {
		end := l.head
		if n+1 < len(l.segments) {
			end = l.segments[n+1]
		}
		if segmentName(n) == segment {
			return seq <= end
		}
	}
	return false
}

func (l *memoryLedger) Head() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.head
}

func (l *memoryLedger) Floor() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.floor
}

// lock locks the store, or returns an error if the ledger cannot be used.
func (l *memoryLedger) lock(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case <-l.closed:
		return ledger.ErrClosed
	default:
	}
	l.mu.Lock()
	return nil
}

func (l *memoryLedger) Append(ctx context.Context, after uint64, recs []contracts.Record) error {
	if err := l.lock(ctx); err != nil {
		return err
	}
	defer l.mu.Unlock()
	return l.append(after, recs)
}

func (l *memoryLedger) append(after uint64, recs []contracts.Record) error {
	if after != ledger.AnySeq && after != l.head {
		return &ledger.StaleError{Expected: after, Head: l.head}
	}
	keys := map[string]uint64{}
	for i := range recs {
		r, seq := &recs[i], l.head+uint64(i)+1
		if after == ledger.AnySeq {
			r.Seq = seq
		} else if r.Seq != seq {
			return fmt.Errorf("record %d of the batch has seq %d, want %d", i, r.Seq, seq)
		}
		if r.Key == "" {
			continue
		}
		if l.keys[r.Key] > 0 || keys[r.Key] > 0 {
			return fmt.Errorf("%w: %s", ledger.ErrDuplicateKey, r.Key)
		}
		keys[r.Key] = seq
	}
	maps.Copy(l.keys, keys)
	l.recs = append(l.recs, recs...)
	l.head += uint64(len(recs))
	close(l.grown)
	l.grown = make(chan struct{})
	return nil
}

// index returns the index of the first record after seq. The caller must hold the lock.
func (m *Memory) index(seq uint64) int {
	i, _ := slices.BinarySearchFunc(m.recs, seq+1, func(r contracts.Record, seq uint64) int {
		return int(int64(r.Seq) - int64(seq))
	})
	return i
}

// find returns the record with the given seq, or nil. The caller must hold the lock.
func (m *Memory) find(seq uint64) *contracts.Record {
	if i := m.index(seq - 1); seq > 0 && i < len(m.recs) && m.recs[i].Seq == seq {
		return &m.recs[i]
	}
	return nil
}

func (l *memoryLedger) Read(ctx context.Context, after uint64, limit int, kinds ...contracts.Kind) (out []contracts.Record, err error) {
	if err := l.lock(ctx); err != nil {
		return nil, err
	}
	defer l.mu.Unlock()
	for _, r := range l.recs[l.index(after):] {
		if len(out) == limit {
			break
		}
		if len(kinds) == 0 || slices.Contains(kinds, r.Kind) {
			out = append(out, r)
		}
	}
	return out, nil
}

func (l *memoryLedger) Follow(ctx context.Context, after uint64, fn func([]contracts.Record) error) error {
	for {
		l.mu.Lock()
		grown := l.grown
		l.mu.Unlock()
		recs, err := l.Read(ctx, after, contracts.LimitFollowBatch)
		if err != nil {
			return err
		}
		if len(recs) > 0 {
			if err := fn(recs); err != nil {
				return err
			}
			after = recs[len(recs)-1].Seq
			continue
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return ctx.Err()
		case <-l.closed:
			return ledger.ErrClosed
		}
	}
}

func (l *memoryLedger) Lookup(ctx context.Context, key string) (rec contracts.Record, ok bool, err error) {
	if err := l.lock(ctx); err != nil {
		return rec, false, err
	}
	defer l.mu.Unlock()
	if r := l.find(l.keys[key]); r != nil {
		return *r, true, nil
	}
	return rec, false, nil
}

func (l *memoryLedger) HasKeys(ctx context.Context, keys []string) ([]bool, error) {
	if err := l.lock(ctx); err != nil {
		return nil, err
	}
	defer l.mu.Unlock()
	known := make([]bool, len(keys))
	for i, key := range keys {
		known[i] = l.keys[key] > 0
	}
	return known, nil
}

func (l *memoryLedger) PutBlob(ctx context.Context, content []byte) (string, error) {
	if err := l.lock(ctx); err != nil {
		return "", err
	}
	defer l.mu.Unlock()
	sum := sha256.Sum256(content)
	name := hex.EncodeToString(sum[:])
	l.blobs[name] = slices.Clone(content)
	return name, nil
}

func (l *memoryLedger) Blob(ctx context.Context, name string) ([]byte, bool, error) {
	if err := l.lock(ctx); err != nil {
		return nil, false, err
	}
	defer l.mu.Unlock()
	content, ok := l.blobs[name]
	return content, ok, nil
}

func (l *memoryLedger) SaveCheckpoint(ctx context.Context, c ledger.Checkpoint) error {
	if err := l.lock(ctx); err != nil {
		return err
	}
	defer l.mu.Unlock()
	l.checkpoint = &c
	return nil
}

func (l *memoryLedger) Checkpoint(ctx context.Context) (c ledger.Checkpoint, ok bool, err error) {
	if err := l.lock(ctx); err != nil {
		return c, false, err
	}
	defer l.mu.Unlock()
	if l.checkpoint == nil {
		return c, false, nil
	}
	return *l.checkpoint, true, nil
}

// Wipe has nothing to do, because erased text is already gone.
func (l *memoryLedger) Wipe(context.Context) error { return nil }

func (l *memoryLedger) Stats(ctx context.Context) (ledger.Stats, error) {
	if err := l.lock(ctx); err != nil {
		return ledger.Stats{}, err
	}
	defer l.mu.Unlock()
	s := ledger.Stats{Records: int64(len(l.recs)), ByKind: map[contracts.Kind]int64{}, Blobs: int64(len(l.blobs)), Free: -1}
	for i := range l.recs {
		s.ByKind[l.recs[i].Kind]++
		s.Bytes += int64(len(l.recs[i].Body))
	}
	return s, nil
}

func (l *memoryLedger) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}
