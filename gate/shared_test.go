package gate

import (
	"bytes"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

// Nodes that share tokens behind one address share the name of the session cookie, and a node warns
// that it does not accept the tokens in its data directory.
func TestGatesShareTokens(t *testing.T) {
	dir := t.TempDir()
	own, err := OpenTokens(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, unused, err := own.Create(Token{Role: contracts.AccessViewer})
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	public := &url.URL{Scheme: "https", Host: "office.example"}
	config := Config{Tokens: &memoryDocument{}, Links: &linkTable{}, PublicURL: public, DataDir: dir, Log: slog.New(slog.NewTextHandler(&log, nil))}
	config.Addr = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1001}
	a, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "tokens in the data directory are not used") {
		t.Errorf("log: %s", log.String())
	}
	config.DataDir, config.Addr = "", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1002}
	b, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	if a.cookie != b.cookie {
		t.Errorf("cookies %q and %q", a.cookie, b.cookie)
	}
	_, secret, err := a.tokens.Create(Token{Role: contracts.AccessViewer})
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range []*Gate{a, b} {
		if _, ok := g.holder(secret, g.cfg.Now()); !ok {
			t.Error("a shared token was refused")
		}
		if _, ok := g.holder(unused, g.cfg.Now()); ok {
			t.Error("a token of the data directory was accepted")
		}
	}
}
