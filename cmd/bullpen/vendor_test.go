package main

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/all"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/staff"
)

// toyHooks are hooks in a file that holds one word.
type toyHooks struct{ path string }

func (toyHooks) Help() string { return "Toy (toy): writes one word." }

func (h toyHooks) Install(context.Context, agents.Hooking) (agents.HookReport, error) {
	return agents.HookReport{Lines: []string{"installed the toy"}}, os.WriteFile(h.path, []byte("installed"), 0o600)
}

func (h toyHooks) Remove(context.Context, agents.Hooking) (agents.HookReport, error) {
	return agents.HookReport{Lines: []string{"removed the toy"}}, os.Remove(h.path)
}

func (h toyHooks) Status(_ context.Context, with agents.Hooking) (agents.HookReport, error) {
	return agents.HookReport{Lines: []string{"toy " + with.Program}, Version: "1.0", JSON: h.Summary("")}, nil
}

func (h toyHooks) Summary(string) agents.HookSummary {
	_, err := os.Stat(h.path)
	return agents.HookSummary{Path: h.path, Installed: err == nil, Events: 1}
}

// A vendor in the list is all that the commands need: doctor, hooks, connect, status,
// completion and help know it.
func TestAVendorIsOneLine(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("HOME", dir)
	t.Setenv("CLAUDE_CONFIG_DIR", dir+"/claude")
	t.Setenv("BULLPEN_ADDR", "127.0.0.1:0")
	t.Setenv("BULLPEN_CREW", "toy")
	t.Setenv("PATH", dir)
	listed := all.Adapters
	t.Cleanup(func() { all.Adapters = listed })
	all.Adapters = append(slices.Clone(listed), agents.Adapter{
		Source: contracts.Source{Source: "toy", Label: "Toy"},
		Runner: &staff.Spec{Kind: "toy"},
		Check: func(_ context.Context, c agents.Checking) []agents.Finding {
			return []agents.Finding{agents.Fine("runner", "%s: the toy is wound up", c.Name)}
		},
		Hooks: toyHooks{dir + "/toy"},
		Find: func(_ context.Context, m *agents.Machine) []agents.Item {
			return []agents.Item{{Order: 50, ConnectItem: contracts.ConnectItem{ID: "toy", Group: contracts.ConnectGuests, Name: "A toy", State: contracts.ConnectReady, Command: m.Command("hooks install toy", "")}}}
		},
	})
	for _, c := range []struct {
		args  string
		code  int
		words []string
	}{
		{"doctor", exitOK, []string{"ok    runner   toy: the toy is wound up", "Toy does not report here; `bullpen hooks install toy` connects it", "Claude Code does not report here"}},
		{"connect", exitOK, []string{"A toy (ready)", "$ bullpen hooks install toy"}},
		{"hooks install toy", exitOK, []string{"installed the toy"}},
		{"hooks status toy --toy ./wound", exitOK, []string{"toy ./wound"}},
		{"hooks status toy --json", exitOK, []string{`"installed": true`}},
		{"doctor", exitOK, []string{"ok    hooks    Toy 1.0 reports to"}},
		{"hooks uninstall toy", exitOK, []string{"removed the toy"}},
		{"hooks status peer", exitUsage, []string{"peer has no hooks; those that have: claude, toy"}},
		{"hooks status", exitUsage, []string{"say whose hooks: `bullpen hooks status claude|toy`"}},
		{"hooks --help", exitOK, []string{"writes one word"}},
		{"hook toy --help", exitOK, []string{"Report one Toy hook event"}},
		{"__complete hooks install ", exitOK, []string{"claude\ntoy\n"}},
		{"__complete serve --crew ", exitOK, []string{"openclaw\n"}},
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
