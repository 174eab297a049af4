package ledgertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// testModel applies random operations to the ledger and to a plain slice, and expects the
// same results.
func testModel(t *testing.T, b *bench) {
	rapid.Check(t, func(t *rapid.T) {
		b.renew(t)
		m := &model{bench: b}
		t.Repeat(map[string]func(*rapid.T){
			"append": m.append,
			"rival":  m.rival,
			"read":   m.read,
			"lookup": m.lookup,
			"retain": m.retain,
			"redact": m.redact,
			"reopen": m.reopenDurable,
			"":       m.check,
		})
	})
}

type model struct {
	*bench
	head, floor uint64
	recs        []contracts.Record
}

var modelKinds = []contracts.Kind{contracts.KindEvent, contracts.KindHUD, contracts.KindChat}

func (m *model) has(key string) bool {
	return slices.ContainsFunc(m.recs, func(r contracts.Record) bool { return r.Key == key })
}

func (m *model) draw(t *rapid.T) []contracts.Record {
	recs := make([]contracts.Record, rapid.IntRange(1, 6).Draw(t, "n"))
	for i := range recs {
		recs[i] = contracts.Record{
			Seq:  m.head + uint64(i) + 1,
			TS:   rapid.Int64Range(0, 100).Draw(t, "ts"),
			Kind: rapid.SampledFrom(modelKinds).Draw(t, "kind"),
			ID:   rapid.StringN(0, 8, 32).Draw(t, "id"),
			Body: rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "body"),
		}
		if rapid.IntRange(0, 3).Draw(t, "keyed") == 0 {
			recs[i].Key = fmt.Sprintf("k%d", rapid.IntRange(0, 60).Draw(t, "key"))
		}
	}
	return recs
}

func (m *model) append(t *rapid.T) {
	recs := m.draw(t)
	after := m.head
	if rapid.Bool().Draw(t, "any") {
		after = ledger.AnySeq
	}
	keys, duplicate := map[string]bool{}, false
	for _, r := range recs {
		if r.Key != "" {
			duplicate = duplicate || keys[r.Key] || m.has(r.Key)
			keys[r.Key] = true
		}
	}
	err := m.Append(context.Background(), after, recs)
	if duplicate {
		wantError(t, err, ledger.ErrDuplicateKey)
		return
	}
	wantError(t, err, nil)
	m.head += uint64(len(recs))
	m.recs = append(m.recs, recs...)
}

func (m *model) rival(t *rapid.T) {
	after := m.head + rapid.SampledFrom([]uint64{1, 2, ^uint64(0)}).Draw(t, "off")
	if after == ledger.AnySeq {
		return
	}
	var stale *ledger.StaleError
	if err := m.Append(context.Background(), after, batch(after, 1)); !errors.As(err, &stale) || stale.Head != m.head {
		t.Fatalf("append after %d at head %d: %v", after, m.head, err)
	}
}

func (m *model) read(t *rapid.T) {
	after := rapid.Uint64Range(0, m.head+2).Draw(t, "after")
	limit := rapid.IntRange(1, 30).Draw(t, "limit")
	kinds := rapid.SliceOfNDistinct(rapid.SampledFrom(modelKinds), 0, 2, rapid.ID).Draw(t, "kinds")
	want := without(m.recs, func(r contracts.Record) bool {
		return r.Seq <= after || len(kinds) > 0 && !slices.Contains(kinds, r.Kind)
	})
	wantRecords(t, mustRead(t, m, after, limit, kinds...), want[:min(limit, len(want))])
}

func (m *model) lookup(t *rapid.T) {
	key := fmt.Sprintf("k%d", rapid.IntRange(0, 60).Draw(t, "key"))
	got, ok, err := m.Lookup(context.Background(), key)
	if err != nil || ok != m.has(key) {
		t.Fatalf("lookup %s: %v %v", key, ok, err)
	}
	if ok {
		wantRecords(t, []contracts.Record{got}, without(m.recs, func(r contracts.Record) bool { return r.Key != key }))
	}
}

func (m *model) retain(t *rapid.T) {
	kinds := modelKinds[1:] // keep events, because they confirm tombstones
	rule := ledger.Rule{Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), MaxCount: rapid.IntRange(1, 20).Draw(t, "count")}
	excess := -rule.MaxCount
	for _, r := range m.recs {
		if r.Kind == rule.Kind {
			excess++
		}
	}
	mustRetain(t, m, 0, max(excess, 0), rule)
	m.recs = without(m.recs, func(r contracts.Record) bool {
		if r.Kind != rule.Kind || excess <= 0 {
			return false
		}
		excess--
		m.floor = max(m.floor, r.Seq)
		return true
	})
}

func (m *model) redact(t *rapid.T) {
	seq := rapid.Uint64Range(1, m.head+1).Draw(t, "seq")
	i := slices.IndexFunc(m.recs, func(r contracts.Record) bool { return r.Seq == seq })
	if i >= 0 && bytes.Contains(m.recs[i].Body, []byte(contracts.EventRecordRedacted)) {
		return // the record confirms a tombstone
	}
	e := erasure(t, seq, m.head+1)
	switch err := m.Redact(context.Background(), m.head, []ledger.Erasure{e}); {
	case i < 0:
		wantError(t, err, ledger.ErrNoRecord)
	case err != nil:
		t.Fatalf("redact %d: %v", seq, err)
	default:
		m.head++
		m.recs = append(slices.Clone(m.recs), e.Record)
		m.recs[i].Body, m.recs[i].Redacted = e.Body, true
	}
}

func (m *model) reopenDurable(t *rapid.T) {
	// Reopen rarely, because reopening takes as long as everything else combined.
	if m.Durable() && rapid.IntRange(0, 3).Draw(t, "now") == 0 {
		m.reopen(t)
	}
}

func (m *model) check(t *rapid.T) {
	if m.Head() != m.head || m.Floor() != m.floor {
		t.Fatalf("head %d floor %d, want %d and %d", m.Head(), m.Floor(), m.head, m.floor)
	}
}
