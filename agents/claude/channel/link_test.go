package channel

import (
	"context"
	"net"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/bullpen-office/bullpen/tools"
)

// writes is a writer that only counts messages.
type writes struct{ n int }

func (w *writes) Write([]byte) error { w.n++; return nil }

// A reply that did not reach the office can be sent again.
func TestFailedReplyCanBeRepeated(t *testing.T) {
	c := &Channel{message: "msg_1", bridge: newLink(Config{}, nil)}
	for range 2 {
		if _, _, err := c.reply(t.Context(), nil, replyArgs{Text: "done"}); err == nil || !strings.Contains(err.Error(), "try again") {
			t.Errorf("%v", err)
		}
	}
	var office writes
	c.bridge.use(&office)
	if _, _, err := c.reply(t.Context(), nil, replyArgs{Text: "done"}); err != nil || office.n != 1 {
		t.Errorf("%d frames, %v", office.n, err)
	}
	if _, _, err := c.reply(t.Context(), nil, replyArgs{Text: "done"}); err == nil || office.n != 1 {
		t.Errorf("a message was answered twice: %v", err)
	}
}

// The channel connects only once Claude Code is listening, because earlier messages would be lost.
func TestConnectsOnceClaudeListens(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dialled := make(chan struct{}, 1)
	go func() {
		if conn, err := ln.Accept(); err == nil {
			conn.Close()
			dialled <- struct{}{}
		}
	}()
	ours, theirs := mcp.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- Run(ctx, Config{URL: "ws://" + ln.Addr().String(), Session: "dev::chat", Office: tools.NewRemote(tools.RemoteConfig{}), Transport: ours})
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		ln.Close()
	})
	claude, err := theirs.Connect(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = claude.Close() })
	id, err := jsonrpc.MakeID("1")
	if err != nil {
		t.Fatal(err)
	}
	hello := []byte(`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"claude-code","version":"2"}}`)
	if err := claude.Write(ctx, &jsonrpc.Request{ID: id, Method: "initialize", Params: hello}); err != nil {
		t.Fatal(err)
	}
	if _, err := claude.Read(ctx); err != nil {
		t.Fatal(err)
	}
	if len(dialled) > 0 {
		t.Error("the channel connected before Claude Code listened")
	}
	if err := claude.Write(ctx, &jsonrpc.Request{Method: "notifications/initialized"}); err != nil {
		t.Fatal(err)
	}
	<-dialled
}
