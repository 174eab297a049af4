package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"

	"github.com/bullpen-office/bullpen/cluster"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/ledger/jetstream"
	"github.com/bullpen-office/bullpen/ledger/jetstream/natstest"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
	"github.com/bullpen-office/bullpen/office"
	"github.com/bullpen-office/bullpen/server"
	"github.com/bullpen-office/bullpen/world/scene"
)

// usedOffice creates a data directory with the ledger of an office in which people talked and agents
// worked. One record is redacted, and retention has removed most of the activity.
func usedOffice(t *testing.T) (data string) {
	t.Helper()
	data = t.TempDir()
	l, err := sqlite.Open(t.Context(), sqlite.Config{Path: server.LedgerPath(data), MinFree: -1})
	if err != nil {
		t.Fatal(err)
	}
	o, err := office.Open(t.Context(), office.Config{Ledger: l, Node: "n"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- o.Run(ctx) }()
	me := contracts.Caller{Identity: "me", By: "me", Access: contracts.AccessOperator}
	var asked contracts.Reply
	for i := range 20 {
		content, err := l.PutBlob(t.Context(), fmt.Appendf(nil, "result %d", i))
		if err != nil {
			t.Fatal(err)
		}
		asked = o.Do(t.Context(), contracts.Command{ID: fmt.Sprint("cmd_", i), Caller: me, Data: contracts.SubmitRequest{Text: fmt.Sprint("Write page ", i)}})
		o.Tell(t.Context(), contracts.HUDSeen{HUD: contracts.HUD{UUID: fmt.Sprint("uuid-", i), Event: contracts.HUDToolEnd, ResultSHA256: content}})
	}
	if _, err := o.Redact(t.Context(), office.RedactRequest{Seqs: []uint64{asked.Seq}, By: "owner", Reason: "because"}); err != nil {
		t.Fatal(err)
	}
	stop()
	<-ended
	rules := office.ActivityRules(0)
	rules[0].MaxCount = 5
	if removed, err := l.Retain(t.Context(), o.Clock().Now(), rules); err != nil || removed == 0 {
		t.Fatalf("removed %d: %v", removed, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return data
}

// call runs a command line, fails the test unless it exits with code, and returns its output.
func call(t *testing.T, code int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	if got := run(t.Context(), args, &out, &errs); got != code {
		t.Fatalf("bullpen %s: exit code %d, want %d: %s", strings.Join(args, " "), got, code, &errs)
	}
	return out.String(), errs.String()
}

// exportedLines returns the lines of an export that contain records and content, and then one line
// with the head and the floor of its ledger.
func exportedLines(t *testing.T, path string) []string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	a, err := ledger.ReadArchive(bytes.NewReader(b))
	for err == nil {
		_, err = a.Next()
	}
	if err != io.EOF {
		t.Fatal(err)
	}
	lines := slices.Collect(strings.Lines(string(b)))
	return append(lines[1:len(lines)-1], fmt.Sprint(a.Header.Head, a.End.Floor))
}

// Moving an office from a file to a NATS cluster and back preserves its records, content and world.
func TestMoveBetweenLedgers(t *testing.T) {
	c := natstest.Start(t, 1)
	data, dir := usedOffice(t), t.TempDir()
	before, between, after := filepath.Join(dir, "before.jsonl"), filepath.Join(dir, "between.jsonl"), filepath.Join(dir, "after.jsonl")
	shared := []string{"--nats", c.URL(), "--office", "main", "--data", filepath.Join(dir, "none")}
	worldHash := func(args ...string) string {
		t.Helper()
		out, _ := call(t, exitOK, append(args, "--json")...)
		var done imported
		if err := json.Unmarshal([]byte(out), &done); err != nil {
			t.Fatal(err)
		}
		return done.WorldHash
	}

	_, errs := call(t, exitFailed, append([]string{"export"}, shared...)...)
	if !strings.Contains(errs, "does not exist in this NATS cluster") {
		t.Errorf("export of an unknown office: %s", errs)
	}
	call(t, exitOK, "export", "--data", data, "-o", before)
	for _, part := range []string{`"redacted":true`, `"base64":"`} {
		if !strings.Contains(strings.Join(exportedLines(t, before), ""), part) {
			t.Errorf("the export has no %s", part)
		}
	}
	toCluster := append([]string{"import", before, "--nats-replicas", "1"}, shared...)
	hash := worldHash(toCluster...)
	if _, errs := call(t, exitFailed, toCluster...); !strings.Contains(errs, "already exists") {
		t.Errorf("import into an existing office: %s", errs)
	}
	_, errs = call(t, exitOK, append([]string{"export", "-o", between}, shared...)...)
	if !strings.Contains(errs, "not recorded in the audit log") {
		t.Errorf("export from the cluster: %s", errs)
	}
	if diff := cmp.Diff(exportedLines(t, before), exportedLines(t, between)); diff != "" {
		t.Error(diff)
	}
	back := filepath.Join(dir, "back")
	t.Setenv("BULLPEN_NATS", c.URL()) // --data takes precedence
	if again := worldHash("import", between, "--data", back); again != hash {
		t.Errorf("the world was %s and is %s", hash, again)
	}
	call(t, exitOK, "export", "--data", back, "-o", after)
	was, is := exportedLines(t, before), exportedLines(t, after)
	if diff := cmp.Diff(was[:len(was)-1], is[:len(is)-2]); diff != "" { // exporting the last ledger adds a record to it
		t.Error(diff)
	}

	l, err := jetstream.Open(t.Context(), jetstream.Config{URL: c.URL(), Office: "main", Replicas: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	w, err := office.Load(t.Context(), l, scene.Default())
	if err != nil {
		t.Fatal(err)
	}
	if again, err := w.Hash(); err != nil || again != hash {
		t.Errorf("the world in the cluster is %s: %v", again, err)
	}
}

// An import fails while a node serves the office, and a bad export changes nothing.
func TestImportIntoClusterRefuses(t *testing.T) {
	c := natstest.Start(t, 1)
	dir := t.TempDir()
	file := filepath.Join(dir, "office.jsonl")
	call(t, exitOK, "export", "--data", usedOffice(t), "-o", file)
	toCluster := []string{"--nats", c.URL(), "--nats-replicas", "1", "--data", filepath.Join(dir, "none")}
	conn, err := nats.Connect(c.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	lease := cluster.WriterLease(conn, jetstream.DefaultOffice, "node7")
	lease.Replicas = 1
	err = cluster.Exclusive(t.Context(), lease, func(context.Context) error {
		if _, errs := call(t, exitFailed, append([]string{"import", file}, toCluster...)...); !strings.Contains(errs, `in use by "node7"`) {
			t.Errorf("while a node serves the office: %s", errs)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, whole[:len(whole)-10], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, errs := call(t, exitFailed, append([]string{"import", file}, toCluster...)...); !strings.Contains(errs, "nothing was imported: line") {
		t.Errorf("a truncated export: %s", errs)
	}
	call(t, exitUsage, append([]string{"import", file, "--office", "a b"}, toCluster...)...)
	call(t, exitUsage, "export", "--nats", c.URL(), "--url", "http://127.0.0.1:1")
	if _, err := jetstream.Open(t.Context(), jetstream.Config{URL: c.URL(), Existing: true}); err == nil || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("a refused import created an office: %v", err)
	}
}
