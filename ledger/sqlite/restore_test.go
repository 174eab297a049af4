package sqlite_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
)

// filled returns a ledger with several kinds of records, content and keys, from which retention has
// removed some records.
func filled(t *testing.T) *sqlite.Ledger {
	t.Helper()
	l, err := sqlite.Open(t.Context(), sqlite.Config{Path: filepath.Join(t.TempDir(), "ledger.db"), MinFree: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	blob, err := l.PutBlob(t.Context(), []byte("a deliverable \x00\xff"))
	if err != nil {
		t.Fatal(err)
	}
	var recs []contracts.Record
	add := func(key string, body contracts.Body) {
		r, err := contracts.NewRecord(uint64(len(recs))+1, int64(1000+len(recs)), key, body)
		if err != nil {
			t.Fatal(err)
		}
		recs = append(recs, r)
	}
	for i := range 300 {
		add("", &contracts.HUD{UUID: fmt.Sprintf("uuid-%d", i), Event: contracts.HUDToolStart, Label: "é \u2028 <b>"})
		add(fmt.Sprint("key/", i), &contracts.Event{Name: contracts.EventArtifactCreated, Artifact: &contracts.Artifact{ArtifactID: "art_a", SHA256: blob}})
	}
	add("", &contracts.HUD{UUID: "gone", Event: contracts.HUDToolEnd, ResultSHA256: strings.Repeat("0", 64)})
	add("", &contracts.Receipt{CommandID: "cmd_a", Identity: "owner/x"})
	if err := l.Append(t.Context(), 0, recs); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Retain(t.Context(), time.Now(), []ledger.Rule{{Kind: contracts.KindHUD, MaxCount: 75}}); err != nil {
		t.Fatal(err)
	}
	return l
}

func records(t *testing.T, l *sqlite.Ledger) (list []contracts.Record) {
	t.Helper()
	list, err := l.Read(t.Context(), 0, 1_000_000)
	if err != nil {
		t.Fatal(err)
	}
	for i := range list { // decoded bodies are not compared
		list[i] = contracts.Record{Seq: list[i].Seq, TS: list[i].TS, Kind: list[i].Kind, ID: list[i].ID, Key: list[i].Key, Body: list[i].Body}
	}
	return list
}

// Exporting and restoring a ledger gives the same history, including the gaps that retention left.
func TestRestore(t *testing.T) {
	l := filled(t)
	var archive bytes.Buffer
	end, err := ledger.WriteArchive(t.Context(), l, &archive, ledger.ArchiveOptions{Content: true})
	if err != nil || end.Contents != 1 || end.Missing != 1 || end.Floor == 0 {
		t.Fatalf("%+v %v", end, err)
	}
	a, err := ledger.ReadArchive(bytes.NewReader(archive.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "new", "ledger.db")
	if err := sqlite.Restore(t.Context(), path, a); err != nil {
		t.Fatal(err)
	}
	again, err := sqlite.Open(t.Context(), sqlite.Config{Path: path, MinFree: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if err := again.Verify(t.Context()); err != nil {
		t.Error(err)
	}
	if again.Head() != l.Head() || again.Floor() != l.Floor() || again.ID() == l.ID() {
		t.Errorf("head %d, floor %d, id %s", again.Head(), again.Floor(), again.ID())
	}
	if !reflect.DeepEqual(records(t, again), records(t, l)) {
		t.Error("the records differ")
	}
	if _, ok, err := again.Lookup(t.Context(), "key/7"); !ok || err != nil {
		t.Errorf("a key is lost: %v", err)
	}
	was, _ := l.Stats(t.Context())
	is, err := again.Stats(t.Context())
	if err != nil || !reflect.DeepEqual(was.ByKind, is.ByKind) || was.Blobs != is.Blobs {
		t.Errorf("%+v, not %+v: %v", is, was, err)
	}
	r, err := contracts.NewRecord(again.Head()+1, 9999, "", &contracts.Chat{Text: "on it goes"})
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Append(t.Context(), again.Head(), []contracts.Record{r}); err != nil {
		t.Errorf("append after the restore: %v", err)
	}
	if err := sqlite.Restore(t.Context(), path, a); err == nil || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("restore over an existing file: %v", err)
	}
}

// Restore refuses an archive with a missing record, a duplicate key or only part of a ledger, and
// leaves no file.
func TestRestoreRefuses(t *testing.T) {
	l := filled(t)
	write := func(o ledger.ArchiveOptions) []byte {
		var b bytes.Buffer
		if _, err := ledger.WriteArchive(t.Context(), l, &b, o); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	whole := write(ledger.ArchiveOptions{})
	cases := map[string]struct {
		archive []byte
		says    string
	}{
		"part":      {write(ledger.ArchiveOptions{After: 500}), "the export is partial"},
		"kinds":     {write(ledger.ArchiveOptions{Kinds: []contracts.Kind{contracts.KindHUD}}), "the export is partial"},
		"twice":     {bytes.Replace(whole, []byte(`"key":"key/7"`), []byte(`"key":"key/6"`), 1), "key key/6 of an earlier record"},
		"kind":      {bytes.Replace(whole, []byte(`"kind":"receipt"`), []byte(`"kind":"invoice"`), 1), "has the unknown kind"},
		"id":        {bytes.Replace(whole, []byte(`"id":"evt_s2"`), []byte(`"id":"evt_s3"`), 1), "want \"evt_s2\""},
		"member":    {bytes.Replace(whole, []byte(`"seq":2,`), []byte(`"seq":2,"more":1,`), 1), "invalid record"},
		"unmatched": {bytes.Replace(whole, []byte(`"ts":1001`), []byte(`"ts":1002`), 1), "SHA-256"},
	}
	for name, c := range cases {
		path := filepath.Join(t.TempDir(), "ledger.db")
		a, err := ledger.ReadArchive(bytes.NewReader(c.archive))
		if err == nil {
			err = sqlite.Restore(t.Context(), path, a)
		}
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
		if left, _ := os.ReadDir(filepath.Dir(path)); len(left) > 0 {
			t.Errorf("%s: %v was left behind", name, left)
		}
	}
}
