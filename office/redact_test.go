package office_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
	"github.com/bullpen-office/bullpen/office"
	"github.com/bullpen-office/bullpen/world/scene"
)

const hidden = "ann@example.com/4711"

// requireIntact fails the test unless the ledger is intact and its records produce the world that
// the office saved.
func requireIntact(t *testing.T, l *sqlite.Ledger) {
	t.Helper()
	if err := l.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := office.CompareCheckpoint(t.Context(), l, scene.Default()); err != nil {
		t.Fatal(err)
	}
}

// Random records are redacted while the office is running: the chain stays valid, the office
// continues, and its world matches the records. Afterwards, no file contains erased text.
func TestRedactAnything(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	path := filepath.Join(dir, "ledger.db")
	l := open(t, sqlite.Config{Path: path})
	o, stop := run(t, l)
	content, err := l.PutBlob(t.Context(), []byte("all about "+hidden))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 24 {
		text := fmt.Sprintf("Part %d of the file of %s", i, hidden)
		switch rnd.IntN(4) {
		case 0:
			o.Do(t.Context(), command(fmt.Sprint("cmd_", i), submit(text)))
		case 1:
			o.Do(t.Context(), command(fmt.Sprint("cmd_", i), contracts.Say{Text: text}))
		case 2:
			o.Tell(t.Context(), contracts.HUDSeen{HUD: contracts.HUD{UUID: fmt.Sprint("uuid-", i), Event: contracts.HUDToolEnd, Said: text, Args: []byte(`{"a":"` + text + `"}`), ResultSHA256: content}})
		case 3:
			o.Tell(t.Context(), contracts.AskSeen{Kind: contracts.DecisionAsk, Prompt: text, Options: []string{"Yes", "No"}})
		}
		if i%4 != 3 {
			continue
		}
		_, err := o.Redact(t.Context(), office.RedactRequest{Seqs: []uint64{1 + rnd.Uint64N(l.Head())}, By: "owner", Reason: "because"})
		if refusal := (*contracts.Refusal)(nil); err != nil && !errors.As(err, &refusal) {
			t.Fatal(err)
		}
	}
	var seqs []uint64
	recs, err := l.Read(t.Context(), 0, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range recs {
		if bytes.Contains(r.Body, []byte(hidden)) || bytes.Contains(r.Body, []byte(content)) {
			seqs = append(seqs, r.Seq)
		}
	}
	result, err := o.Redact(t.Context(), office.RedactRequest{Seqs: seqs, By: "owner", Reason: "because"})
	if err != nil || result.Remains != "" || len(result.Records) != len(seqs) {
		t.Fatalf("%+v, %v", result, err)
	}
	if reply := o.Do(t.Context(), command("cmd_last", submit("Go on"))); reply.Refusal != nil && reply.Refusal.Code == contracts.CodeInternal {
		t.Fatal(reply.Refusal)
	}
	stop()
	requireIntact(t, l)
	l.Close()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if b, err := os.ReadFile(filepath.Join(dir, f.Name())); err != nil || bytes.Contains(b, []byte(hidden)) {
			t.Errorf("the text is in %s, %v", f.Name(), err)
		}
	}
	l = open(t, sqlite.Config{Path: path})
	_, stop = run(t, l)
	stop()
	requireIntact(t, l)
}

// Redacting a record that cannot be redacted is refused with a reason, and nothing changes.
func TestRedactRefuses(t *testing.T) {
	l := open(t, sqlite.Config{})
	o, _ := run(t, l)
	said := o.Do(t.Context(), command("cmd_1", contracts.Say{Text: "Call " + hidden}))
	o.Tell(t.Context(), contracts.Audited{Kind: contracts.AuditLogin, By: "tok_a", Says: "Ann signed in"})
	audit := l.Head()
	head := l.Head()
	for _, c := range []struct {
		q    office.RedactRequest
		says string
	}{
		{office.RedactRequest{Seqs: []uint64{said.Seq, 9999}}, "no record 9999"},
		{office.RedactRequest{Seqs: []uint64{0}}, "no record 0"},
		{office.RedactRequest{Seqs: []uint64{said.Seq, audit}}, "is an audit record"},
		{office.RedactRequest{Seqs: []uint64{said.Seq}, Reason: "it named " + hidden}, "the reason repeats the text"},
	} {
		if _, err := o.Redact(t.Context(), c.q); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v, want %q", c.q, err, c.says)
		}
	}
	if l.Head() != head {
		t.Error("a refusal wrote records")
	}
	for i, q := range []office.RedactRequest{{DryRun: true}, {Reason: "because"}, {Reason: "because"}} {
		q.Seqs = []uint64{said.Seq}
		result, err := o.Redact(t.Context(), q)
		if err != nil || len(result.Records) != 1 || result.Records[0].Already != (i == 2) || (result.Records[0].Recorded > 0) != (i == 1) {
			t.Errorf("%d: %+v, %v", i, result, err)
		}
	}
	if _, err := o.Redact(t.Context(), office.RedactRequest{Seqs: []uint64{l.Head()}, Reason: "because"}); err == nil || !strings.Contains(err.Error(), "audit record") {
		t.Errorf("the record of a redaction was redacted: %v", err)
	}
	// A command with the same id is still executed only once.
	if again := o.Do(t.Context(), command("cmd_1", contracts.Say{Text: "Call " + hidden})); !again.Duplicate {
		t.Errorf("%+v", again)
	}
}

// Content is kept while another record refers to it, and removed with the last one that does.
func TestRedactSharedContent(t *testing.T) {
	l := open(t, sqlite.Config{})
	o, _ := run(t, l)
	name, err := l.PutBlob(t.Context(), []byte("all about "+hidden))
	if err != nil {
		t.Fatal(err)
	}
	var seqs []uint64
	for i := range 3 {
		reply := o.Tell(t.Context(), contracts.HUDSeen{HUD: contracts.HUD{UUID: fmt.Sprint("uuid-", i), Event: contracts.HUDToolEnd, ResultSHA256: name}})
		seqs = append(seqs, reply[0].Seq)
	}
	for i, want := range []bool{true, false} {
		result, err := o.Redact(t.Context(), office.RedactRequest{Seqs: seqs[i : i+1], All: i == 1, Reason: "because"})
		if err != nil {
			t.Fatal(err)
		}
		_, there, err := l.Blob(t.Context(), name)
		if err != nil || there != want || (len(result.Records[0].Shared) == 2) != want {
			t.Errorf("redaction %d: content exists: %v; %+v, %v", i, there, result, err)
		}
	}
}

// late is a ledger that runs a function when a reader reaches its end.
type late struct {
	ledger.Ledger
	atEnd func()
}

func (l *late) Read(ctx context.Context, after uint64, limit int, kinds ...contracts.Kind) ([]contracts.Record, error) {
	recs, err := l.Ledger.Read(ctx, after, limit, kinds...)
	if atEnd := l.atEnd; len(recs) == 0 && atEnd != nil {
		l.atEnd = nil
		atEnd()
	}
	return recs, err
}

// A record that repeats the text and is appended during the search is redacted too.
func TestRedactAllSeesTheNewest(t *testing.T) {
	l := &late{Ledger: open(t, sqlite.Config{})}
	o, _ := run(t, l)
	said := func(id string) uint64 {
		return o.Tell(t.Context(), contracts.HUDSeen{HUD: contracts.HUD{UUID: id, Event: contracts.HUDTurnEnd, Said: "Call " + hidden}})[0].Seq
	}
	first, second := said("uuid-1"), said("uuid-2")
	var third uint64
	l.atEnd = func() { third = said("uuid-3") }
	result, err := o.Redact(t.Context(), office.RedactRequest{Seqs: []uint64{first}, All: true, Reason: "because"})
	if err != nil {
		t.Fatal(err)
	}
	var seqs []uint64
	for _, r := range result.Records {
		seqs = append(seqs, r.Seq)
	}
	if !slices.Equal(seqs, []uint64{first, second, third}) {
		t.Errorf("erased %v, want %d %d %d", seqs, first, second, third)
	}
}
