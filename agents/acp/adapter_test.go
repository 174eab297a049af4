//go:build unix

package acp_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/acp"
	"github.com/bullpen-office/bullpen/agents/directory"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/staff"
)

// pathWith sets PATH to a single directory that contains programs with these names.
func pathWith(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	return dir
}

// Each known program that is installed is offered with the command that starts an office with it.
func TestFind(t *testing.T) {
	m := &agents.Machine{Version: func(context.Context, string) (string, error) { return "1.2.3\n", nil }, Office: agents.Running{Crew: "qwen"}}
	pathWith(t)
	if items := acp.Adapter.Find(t.Context(), m); len(items) != 1 || items[0].State != contracts.ConnectMissing || items[0].Command != "npm install -g opencode-ai" {
		t.Errorf("%+v", items)
	}
	m.Home = pathWith(t, "opencode", "qwen", "cursor-agent")
	var got []string
	for _, it := range acp.Adapter.Find(t.Context(), m) {
		got = append(got, strings.Join([]string{it.ID, string(it.State), it.Saw, it.Command}, "|"))
	}
	want := []string{
		"acp_opencode|found|OpenCode (1.2.3) is at ~/opencode.|bullpen serve --crew opencode",
		"acp_qwen|connected|The crew uses Qwen Code.|bullpen serve --crew qwen",
		"acp_cursor|found|Cursor (1.2.3) is at ~/cursor-agent.|bullpen serve --crew cursor",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A runner that has no command, or whose program is missing, is reported with advice on how to fix
// it.
func TestCheck(t *testing.T) {
	pathWith(t, "goose")
	check := func(r staff.Runner) agents.Finding {
		return acp.Adapter.Check(t.Context(), agents.CheckConfig{Name: "editor", Runner: r})[0]
	}
	if f := check(staff.Runner{Kind: "acp"}); f.OK || !strings.Contains(f.Do, "runners.editor.command") {
		t.Errorf("%+v", f)
	}
	if f := check(staff.Runner{Kind: "acp", Command: "gemini"}); f.OK || !strings.Contains(f.Do, "npm install -g @google/gemini-cli") {
		t.Errorf("%+v", f)
	}
	if f := check(staff.Runner{Kind: "acp", Command: "goose"}); !f.OK {
		t.Errorf("%+v", f)
	}
}

// A known program needs no configuration and receives only its own vendor's credentials.
func TestPresets(t *testing.T) {
	s := staff.Staff{Kinds: []*staff.Spec{acp.Adapter.Runner}, Default: "gemini"}
	if err := s.Check(staff.ValidationInput{}); err != nil {
		t.Error(err)
	}
	r, ok := s.Runner("gemini")
	if !ok || r.Kind != "acp" || r.Command != "gemini" || !slices.Equal(r.Args, []string{"--acp"}) {
		t.Errorf("%+v", r)
	}
	own := []string{"PATH=/bin", "GEMINI_API_KEY=a", "OPENAI_API_KEY=b"}
	env, held := directory.Inherited(s, r, own)
	if !slices.Equal(env, own[:2]) || !slices.Equal(held, []string{"OPENAI_API_KEY"}) {
		t.Errorf("%q %q", env, held)
	}
	if env, _ := directory.Inherited(s, staff.Runner{Kind: "acp", Command: "/opt/other"}, own); !slices.Equal(env, own[:1]) {
		t.Errorf("%q", env)
	}
	s.Runners = map[string]staff.Runner{"gemini": {Kind: "acp", Command: "/opt/gemini"}, "empty": {Kind: "acp"}}
	if r, _ := s.Runner("gemini"); r.Command != "/opt/gemini" {
		t.Errorf("the configuration does not override the preset: %+v", r)
	}
	problems := s.Validate(staff.ValidationInput{})
	if len(problems) != 1 || problems[0].Path != "runners.empty.command" {
		t.Errorf("%v", problems)
	}
	s.Default = "gemeni"
	if err := s.Check(staff.ValidationInput{}); err == nil || !strings.Contains(err.Error(), "did you mean gemini?") {
		t.Errorf("%v", err)
	}
}
