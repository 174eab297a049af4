package main

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/agents/agentstest"
	"github.com/bullpen-office/bullpen/agents/all"
)

// Adding a vendor takes one line in all.Adapters: doctor, hooks, connect, status, completion and
// help then support it.
func TestVendorNeedsOneLine(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("HOME", dir)
	t.Setenv("CLAUDE_CONFIG_DIR", dir+"/claude")
	if err := os.Mkdir(dir+"/claude", 0o700); err != nil { // doctor shows only agents that are on this machine
		t.Fatal(err)
	}
	t.Setenv("BULLPEN_ADDR", "127.0.0.1:0")
	t.Setenv("BULLPEN_CREW", "toy")
	t.Setenv("PATH", dir)
	listed := all.Adapters
	t.Cleanup(func() { all.Adapters = listed })
	all.Adapters = append(slices.Clone(listed), agentstest.Toy(dir))
	names := append(hookNames(), allHooks)
	for _, c := range []struct {
		args  string
		code  int
		words []string
	}{
		{"doctor", exitOK, []string{"ok      runner   toy: the toy is wound up", "Toy is not connected; run `bullpen hooks install toy`", "Claude Code is not connected"}},
		{"config example", exitOK, []string{"# toy_greeting: Hello"}},
		{"serve --help", exitOK, []string{"--toy-greeting string", "how toys greet"}},
		{"connect", exitOK, []string{"A toy (ready)", "$ bullpen hooks install toy"}},
		{"hooks install toy", exitOK, []string{"installed the toy"}},
		{"hooks status toy --toy ./wound", exitOK, []string{"toy ./wound"}},
		{"hooks status toy --json", exitOK, []string{`"installed": true`}},
		{"doctor", exitOK, []string{"ok      hooks    Toy 1.0 reports to"}},
		{"hooks uninstall toy", exitOK, []string{"removed the toy"}},
		{"hooks status peer", exitUsage, []string{"unknown agent \"peer\" (agents with hooks: " + strings.Join(hookNames(), ", ") + ")"}},
		{"hooks status", exitUsage, []string{"missing agent name: use `bullpen hooks status " + strings.Join(names, "|") + "`"}},
		{"hooks --help", exitOK, []string{"writes one word"}},
		{"hook toy --help", exitOK, []string{"Report one Toy hook event"}},
		{"__complete hooks install ", exitOK, []string{strings.Join(names, "\n") + "\n"}},
		{"__complete serve --crew ", exitOK, []string{"openclaw\n", "toy\n"}},
	} {
		var out bytes.Buffer
		args := strings.Split(c.args, " ")
		code := run(t.Context(), args, &out, &out)
		for _, w := range c.words {
			if code != c.code || !strings.Contains(out.String(), w) {
				t.Errorf("bullpen %s: exit code %d, no %q in\n%s", c.args, code, w, out.String())
			}
		}
	}
}
