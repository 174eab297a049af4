package claude_test

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/claude"
	"github.com/bullpen-office/bullpen/agents/hook/install"
)

// A plan contains only hooks that the version supports: any other hook makes an old version ignore
// the whole file.
func TestPlanByVersion(t *testing.T) {
	byHTTP := func(p install.Plan) (n int) {
		for _, e := range p.Entries() {
			if e.Type == "http" {
				n++
			}
			if e.Event == "SessionStart" && e.Type != "command" {
				t.Error("SessionStart is sent over HTTP")
			}
			if e.Event == "PermissionRequest" && e.Timeout != 600 {
				t.Errorf("a person has %d s to answer", e.Timeout)
			}
		}
		return n
	}
	for _, c := range []struct {
		version   string
		transport install.Transport
		entries   int
		http      int
	}{
		{"unknown", "", 9, 0},
		{"unknown", install.TransportHTTP, 9, 0},
		{"1.0.50", "", 6, 0},
		{"2.1.62", install.TransportHTTP, 11, 0},
		{"2.1.63", install.TransportHTTP, 11, 10},
		{"2.1.63", "", 11, 0},
		{"2.1.197", "", 15, 0},
		{"2.1.197", install.TransportHTTP, 15, 14},
		{"2.1.197", install.TransportCommand, 15, 0},
	} {
		v, _ := install.ParseVersion(c.version)
		p := install.Plan{Program: &claude.HookedProgram, Version: v, Transport: c.transport, URL: "http://127.0.0.1:4777", Command: "x"}
		if got := p.Entries(); len(got) != c.entries || byHTTP(p) != c.http {
			t.Errorf("%+v: %d entries, %d over HTTP", c, len(got), byHTTP(p))
		}
	}
}

// If asking the selected program for its version is cancelled, the error says so, and does not
// claim that the program is not Claude Code.
func TestInstallCancelled(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var usage *agents.UsageError
	if _, err := claude.Adapter.Hooks.Install(ctx, agents.HookConfig{Program: program}); !errors.Is(err, context.Canceled) || errors.As(err, &usage) {
		t.Errorf("got %v", err)
	}
}
