package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"

	"github.com/bullpen-office/bullpen/cluster"
	"github.com/bullpen-office/bullpen/instance"
	"github.com/bullpen-office/bullpen/ledger/jetstream"
	"github.com/bullpen-office/bullpen/ledger/jetstream/natstest"
)

// With --nats, or BULLPEN_NATS without --data, the commands use the tokens that the nodes of an
// office share, and nothing in the data directory.
func TestTokensOfASharedOffice(t *testing.T) {
	c := natstest.Start(t, 1)
	l, err := jetstream.Open(t.Context(), jetstream.Config{URL: c.URL(), Office: "team", Replicas: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	shared := []string{"--nats", c.URL(), "--office", "team", "--data", data}
	token := func(code int, args ...string) (out, errs string) {
		t.Helper()
		return call(t, code, append(append([]string{"token"}, args...), shared...)...)
	}
	if _, errs := token(exitFailed, "list"); !strings.Contains(errs, `start a node of office "team"`) {
		t.Errorf("before the first node: %s", errs)
	}
	conn, err := nats.Connect(c.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	v, err := cluster.OpenVault(t.Context(), cluster.VaultConfig{Conn: conn, Office: "team", Replicas: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	out, _ := token(exitOK, "create", "--role", "viewer", "--name", "desk", "--json")
	var made tokenMade
	if err := json.Unmarshal([]byte(out), &made); err != nil || made.Token == "" {
		t.Fatalf("%s: %v", out, err)
	}
	if out, _ := token(exitOK, "list"); !strings.Contains(out, made.ID) || !strings.Contains(out, "desk") {
		t.Errorf("list: %s", out)
	}
	if _, err := os.Stat(filepath.Join(data, "tokens.json")); err == nil {
		t.Error("the shared token is in the data directory")
	}
	if out, _ := call(t, exitOK, "token", "list", "--data", data); strings.Contains(out, made.ID) {
		t.Errorf("the data directory has the shared token: %s", out)
	}
	for end := time.Now().Add(2 * time.Minute); ; { // a completion gives up early, so it may need several attempts
		out, _ := call(t, exitOK, "__complete", "token", "revoke", "--nats", c.URL(), "--office", "team", "")
		if strings.HasPrefix(out, made.ID+"\tviewer desk\n") {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("completion of tokens: %s", out)
		}
	}
	token(exitOK, "revoke", made.ID)
	token(exitRefused, "revoke", made.ID)

	t.Setenv("BULLPEN_NATS", c.URL())
	t.Setenv("BULLPEN_DATA_DIR", data)
	if _, errs := call(t, exitFailed, "token", "list", "--office", "other"); !strings.Contains(errs, "does not exist in this NATS cluster") {
		t.Errorf("tokens of an unknown office: %s", errs)
	}
	if out, _ := call(t, exitOK, "token", "list", "--office", "team"); !strings.Contains(out, "No tokens") {
		t.Errorf("list after the revocation: %s", out)
	}
}

// The data directory of a running node has no tokens that a node accepts, so the commands return an
// error.
func TestTokensOfANodeAreElsewhere(t *testing.T) {
	data := t.TempDir()
	if err := (instance.Instance{Office: "team"}).Write(data); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"list"}, {"create", "--role", "viewer"}, {"revoke", "tok_1"}} {
		_, errs := call(t, exitUsage, append(append([]string{"token"}, args...), "--data", data)...)
		if !strings.Contains(errs, "--office team") {
			t.Errorf("%v: %s", args, errs)
		}
	}
}
