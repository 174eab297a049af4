package ledgertest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
)

// erasure returns an erasure: the tombstone of a record, and the record that confirms it.
func erasure(t fataler, seq, at uint64, contents ...string) ledger.Erasure {
	t.Helper()
	body := []byte(`{"n":0}`)
	sum := sha256.Sum256(body)
	rec, err := contracts.NewRecord(at, int64(1_700_000_000_000+at), "", &contracts.Event{
		Name: contracts.EventRecordRedacted, Redaction: &contracts.Redaction{Seq: seq, SHA256: hex.EncodeToString(sum[:])}})
	if err != nil {
		t.Fatalf("%v", err)
	}
	return ledger.Erasure{Seq: seq, Body: body, Contents: contents, Record: rec}
}

func testRedact(t *testing.T, b *bench) {
	ctx := context.Background()
	recs := batch(0, 30)
	recs[6].Key = "kept"
	mustAppend(t, b, 0, recs)
	name, err := b.PutBlob(ctx, []byte("a secret"))
	if err != nil {
		t.Fatal(err)
	}
	if err := b.SaveCheckpoint(ctx, ledger.Checkpoint{Seq: 30, Version: 1, State: []byte("a secret")}); err != nil {
		t.Fatal(err)
	}
	wantError(t, b.Redact(ctx, 30, []ledger.Erasure{erasure(t, 7, 31), erasure(t, 31, 32)}), ledger.ErrNoRecord)
	if stale := (*ledger.StaleError)(nil); !errors.As(b.Redact(ctx, 29, []ledger.Erasure{erasure(t, 7, 30)}), &stale) {
		t.Fatalf("a stale head was accepted")
	}
	wantRecords(t, mustRead(t, b, 0, all), recs)

	e := erasure(t, 7, 31, name)
	if err := b.Redact(ctx, 30, []ledger.Erasure{e}); err != nil {
		t.Fatalf("redact: %v", err)
	}
	if err := b.Wipe(ctx); err != nil {
		t.Fatalf("wipe: %v", err)
	}
	want := append(batch(0, 30), e.Record)
	want[6].Key, want[6].Body, want[6].Redacted = "kept", e.Body, true
	check := func() {
		t.Helper()
		wantHead(t, b, 31)
		wantRecords(t, mustRead(t, b, 0, all), want)
		wantRecords(t, mustRead(t, b, 6, 1, want[6].Kind), want[6:7])
		if r, ok, err := b.Lookup(ctx, "kept"); err != nil || !ok || !sameRecord(r, want[6]) {
			t.Fatalf("lookup: %v, %v, %v", r, ok, err)
		}
		if _, ok, err := b.Blob(ctx, name); ok || err != nil {
			t.Fatalf("the content still exists: %v", err)
		}
		if _, ok, err := b.Checkpoint(ctx); ok || err != nil {
			t.Fatalf("the checkpoint still exists: %v", err)
		}
	}
	check()
	if b.Durable() {
		b.reopen(t)
		check()
	}
	mustAppend(t, b, 31, batch(31, 3))
}
