package jetstream_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/jetstream"
	"github.com/bullpen-office/bullpen/ledger/jetstream/natstest"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
)

// source returns an SQLite ledger with n pairs of records, content and a redaction. Retention has
// removed most records of one kind, and the record at the head.
func source(t *testing.T, n int) *sqlite.Ledger {
	t.Helper()
	l, err := sqlite.Open(t.Context(), sqlite.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	add := func(key string, body contracts.Body) contracts.Record {
		t.Helper()
		r, err := contracts.NewRecord(l.Head()+1, int64(1000+l.Head()), key, body)
		if err == nil {
			err = l.Append(t.Context(), l.Head(), []contracts.Record{r})
		}
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for i := range n {
		blob, err := l.PutBlob(t.Context(), fmt.Appendf(nil, "deliverable %d \x00\xff", i/2))
		if err != nil {
			t.Fatal(err)
		}
		add("", &contracts.HUD{UUID: fmt.Sprint("uuid-", i), Event: contracts.HUDToolStart, Label: "é \u2028 <b>"})
		add(fmt.Sprint("key/", i), &contracts.Event{Name: contracts.EventArtifactCreated, Artifact: &contracts.Artifact{ArtifactID: "art_a", SHA256: blob}})
	}
	secret := add("", &contracts.Chat{Text: "a secret"})
	body := []byte(`{"text":""}`)
	sum := sha256.Sum256(body)
	confirm, err := contracts.NewRecord(l.Head()+1, int64(1000+l.Head()), "", &contracts.Event{
		Name: contracts.EventRecordRedacted, Redaction: &contracts.Redaction{Seq: secret.Seq, SHA256: hex.EncodeToString(sum[:])}})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Redact(t.Context(), l.Head(), []ledger.Erasure{{Seq: secret.Seq, Body: body, Record: confirm}}); err != nil {
		t.Fatal(err)
	}
	add("", &contracts.UI{})
	for _, rule := range []ledger.Rule{{Kind: contracts.KindHUD, MaxCount: 2}, {Kind: contracts.KindUI, MaxAge: time.Millisecond}} {
		if _, err := l.Retain(t.Context(), time.Now(), []ledger.Rule{rule}); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// archived returns the lines of an archive without its header, which contains the ledger's id, and
// without its checksum.
func archived(t *testing.T, l ledger.Ledger) []string {
	t.Helper()
	var b bytes.Buffer
	end, err := ledger.WriteArchive(t.Context(), l, &b, ledger.ArchiveOptions{Content: true})
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.Collect(strings.Lines(b.String()))
	return append(lines[1:len(lines)-1], fmt.Sprintln(l.Head(), end.Records, end.Contents, end.Missing, end.Floor))
}

// reopen opens an existing office.
func reopen(t *testing.T, config jetstream.Config) *jetstream.Ledger {
	t.Helper()
	config.Existing = true
	l, err := jetstream.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// A copy has the same archive as its source, and records can be appended to the copy.
func TestRestore(t *testing.T) {
	c := natstest.Start(t, 1)
	from := source(t, 600)
	config := jetstream.Config{URL: c.URL(), Office: "copy", Replicas: 1}
	refused(t, jetstream.Config{URL: c.URL(), Office: "copy", Existing: true}, "does not exist in this NATS cluster")
	var progress []uint64
	id, err := jetstream.Restore(t.Context(), config, jetstream.Restoration{From: from, Origin: from.ID(), Progress: func(done, head uint64) { progress = append(progress, done) }})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSorted(progress) || len(progress) < 2 || progress[len(progress)-1] != from.Head() {
		t.Errorf("progress %d of %d", progress, from.Head())
	}
	to := reopen(t, config)
	if id != to.ID() || id == from.ID() {
		t.Errorf("id %s, ledger %s, source %s", id, to.ID(), from.ID())
	}
	if diff := cmp.Diff(archived(t, from), archived(t, to)); diff != "" {
		t.Fatal(diff)
	}
	was, err := from.Inspect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	is, err := to.Inspect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	was.LedgerID, was.Link, is.LedgerID, is.Link = "", "", "", "" // they depend on the identity
	if diff := cmp.Diff(was, is); diff != "" {
		t.Error(diff)
	}
	if _, err := jetstream.Restore(t.Context(), config, jetstream.Restoration{From: from, Origin: from.ID()}); err == nil || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("a copy into an existing office: %v", err)
	}

	markIncomplete(t, c, config.Office, fmt.Sprintf(`{"origin":%q,"head":%d,"floor":%d}`, from.ID(), from.Head(), from.Floor()))
	refused(t, config, "running or was interrupted")
	if _, err := jetstream.Restore(t.Context(), config, jetstream.Restoration{From: from, Origin: from.ID()}); err != nil {
		t.Errorf("a copy that was interrupted at its end: %v", err)
	}
	lead(t, to)
	next := event(from.Head() + 1)
	mustAppend(t, to, next)
	if err := to.Append(t.Context(), next.Seq, []contracts.Record{{Seq: next.Seq + 1, Kind: contracts.KindEvent, Key: "key/7"}}); err == nil {
		t.Error("the key of a copied record was used again")
	}
	removed, err := to.Retain(t.Context(), time.Now(), []ledger.Rule{{Kind: contracts.KindHUD, MaxAge: time.Millisecond}})
	if err != nil || removed != 2 {
		t.Errorf("removed %d: %v", removed, err)
	}
	if err := reopen(t, config).Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

// markIncomplete stores the mark of an incomplete copy, as if the copy had been interrupted before
// the mark was removed.
func markIncomplete(t *testing.T, c *natstest.Cluster, office, mark string) {
	t.Helper()
	conn, err := nats.Connect(c.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	m := nats.NewMsg("bullpen." + office + ".x.document.restore.0")
	m.Header.Set("Bullpen-Chunks", "1")
	m.Data = []byte(mark)
	if _, err := conn.RequestMsg(m, contracts.JetStreamTimeout); err != nil {
		t.Fatal(err)
	}
}

// An interrupted copy cannot be used as an office until it is completed from the same source.
func TestRestoreContinues(t *testing.T) {
	c := natstest.Start(t, 1)
	from, other := source(t, 1200), source(t, 1201)
	config := jetstream.Config{URL: c.URL(), Office: "copy", Replicas: 1}
	waiting, err := jetstream.Open(t.Context(), config) // a node that was started too early
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { waiting.Close() })
	ctx, interrupt := context.WithCancel(t.Context())
	r := jetstream.Restoration{From: from, Origin: "l1", Progress: func(done, head uint64) { interrupt() }}
	if _, err := jetstream.Restore(ctx, config, r); err == nil || !strings.Contains(err.Error(), "run it again") {
		t.Fatalf("interrupted: %v", err)
	}
	refused(t, config, "running or was interrupted", "import the same export again")
	if err := waiting.Lead(t.Context()); err == nil {
		t.Error("a node leads an incomplete office")
	}
	for want, r := range map[string]jetstream.Restoration{
		"interrupted import of ledger l1 up to record": {From: other, Origin: "l2"},
		"its record 2 differs":                         {From: shifted{from}, Origin: "l1"},
	} {
		if _, err := jetstream.Restore(t.Context(), config, r); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "delete the streams BULLPEN_copy_R and BULLPEN_copy_X") {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := jetstream.Restore(t.Context(), config, jetstream.Restoration{From: from, Origin: "l1"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(archived(t, from), archived(t, reopen(t, config))); diff != "" {
		t.Fatal(diff)
	}
	lead(t, waiting)
	mustAppend(t, waiting, event(from.Head()+1))
	if diff := cmp.Diff(archived(t, reopen(t, config)), archived(t, waiting)); diff != "" {
		t.Error(diff)
	}
}

// shifted is a ledger whose records have different timestamps.
type shifted struct{ ledger.Ledger }

func (s shifted) Read(ctx context.Context, after uint64, limit int, kinds ...contracts.Kind) ([]contracts.Record, error) {
	recs, err := s.Ledger.Read(ctx, after, limit, kinds...)
	recs = slices.Clone(recs)
	for i := range recs {
		recs[i].TS++
	}
	return recs, err
}
