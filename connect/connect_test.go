package connect_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/all"
	"github.com/bullpen-office/bullpen/agents/claude"
	"github.com/bullpen-office/bullpen/agents/hook/install"
	"github.com/bullpen-office/bullpen/connect"
	"github.com/bullpen-office/bullpen/contracts"
)

// machine is a simulated machine with its own home and PATH.
type machine struct {
	t    *testing.T
	home string
	bin  string
	env  map[string]string
	now  time.Time
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("this test needs shell scripts")
	}
	m := &machine{t: t, home: t.TempDir(), bin: t.TempDir(), env: map[string]string{}, now: time.Unix(1_800_000_000, 0)}
	t.Setenv("PATH", m.bin+":/usr/bin:/bin")
	return m
}

// program adds a script to PATH.
func (m *machine) program(name, script string) string {
	m.t.Helper()
	path := filepath.Join(m.bin, name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		m.t.Fatal(err)
	}
	return path
}

func (m *machine) file(path, text string) {
	m.t.Helper()
	path = filepath.Join(m.home, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) finder(office agents.Running) *connect.Finder {
	return connect.New(connect.Config{
		Vendors: all.Adapters, Program: "/opt/bullpen", Home: m.home, Getenv: func(name string) string { return m.env[name] },
		Office: func() agents.Running { return office }, Now: func() time.Time { return m.now },
	})
}

func (m *machine) item(f *connect.Finder, id string) contracts.ConnectItem {
	m.t.Helper()
	m.now = m.now.Add(contracts.ConnectCache)
	report := f.Look(m.t.Context())
	i := slices.IndexFunc(report.Items, func(it contracts.ConnectItem) bool { return it.ID == id })
	if i < 0 {
		m.t.Fatalf("no item %s in %+v", id, report)
	}
	return report.Items[i]
}

func (m *machine) want(it contracts.ConnectItem, state contracts.ConnectState, command string, words ...string) {
	m.t.Helper()
	if it.State != state || it.Command != command {
		m.t.Errorf("%s is %s with %q, want %s with %q", it.ID, it.State, it.Command, state, command)
	}
	for _, w := range words {
		if !strings.Contains(it.Saw+" "+it.Does, w) {
			m.t.Errorf("%s lacks %q: %s %s", it.ID, w, it.Saw, it.Does)
		}
	}
}

// version is the version of Claude Code in these tests.
var version = install.Version{Major: 2, Minor: 1, Patch: 197}

const installClaude = "npm install -g @anthropic-ai/claude-code"

func TestEmptyMachine(t *testing.T) {
	m := newMachine(t)
	m.env["OPENCLAW_GATEWAY_PORT"] = "1" // a port on which nothing listens
	f := m.finder(agents.Running{})
	m.want(m.item(f, "claude_crew"), contracts.ConnectMissing, installClaude, "not in PATH")
	m.want(m.item(f, "claude"), contracts.ConnectMissing, installClaude, "not in PATH")
	m.want(m.item(f, "openclaw"), contracts.ConnectMissing, "npm install -g openclaw")
	m.want(m.item(f, "script"), contracts.ConnectReady, "bullpen exec -- make test")
	m.want(m.item(f, "mcp"), contracts.ConnectReady, "claude mcp add bullpen --env BULLPEN_TOKEN=TOKEN -- bullpen mcp --session dev::desk", "token create --role agent --agent agent_dev`")
}

func TestClaudeIsFoundAndConnected(t *testing.T) {
	m := newMachine(t)
	asked := filepath.Join(m.home, "asked")
	m.program("claude", "echo x >>"+asked+"; echo '2.1.197 (Claude Code)'")
	m.file(".claude/settings.json", "{\n  \"model\": \"opus\"\n}\n")
	f := m.finder(agents.Running{URL: "http://127.0.0.1:4777", Kinds: []string{"rehearsal"}, Guests: map[string]int{"claude": 2}})

	m.want(m.item(f, "claude_crew"), contracts.ConnectFound, "bullpen serve --crew claude", "2.1.197", "Ctrl-C")
	it := m.item(f, "claude")
	m.want(it, contracts.ConnectFound, "bullpen hooks install claude", "2.1.197", "no hooks", "2 sessions seen")
	if it.Plan == nil || it.Plan.Path != "~/.claude/settings.json" || !strings.Contains(strings.Join(it.Plan.Lines, "\n"), "PermissionRequest") || !strings.Contains(strings.Join(it.Plan.Lines, "\n"), "Nothing else") {
		t.Errorf("the plan does not say what changes: %+v", it.Plan)
	}

	report, err := f.Install(t.Context(), "claude")
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(report.Items, func(it contracts.ConnectItem) bool { return it.ID == "claude" })
	m.want(report.Items[i], contracts.ConnectConnected, "bullpen hooks uninstall claude", "reports here", "2 sessions")
	if report.Items[i].Plan != nil {
		t.Error("there are still steps left")
	}
	settings := filepath.Join(m.home, ".claude", "settings.json")
	text, _ := os.ReadFile(settings)
	have, err := claude.HookedProgram.Read(text)
	if err != nil || len(have.Entries) != len(claude.HookedProgram.EventsOf(version)) || !strings.Contains(string(text), `"model": "opus"`) {
		t.Errorf("%v\n%s", err, text)
	}
	if backup, _ := os.ReadFile(settings + install.BackupSuffix); string(backup) != "{\n  \"model\": \"opus\"\n}\n" {
		t.Errorf("the backup differs from the original: %q", backup)
	}
	if _, err := f.Install(t.Context(), "claude"); err != connect.ErrNothingToDo {
		t.Errorf("the item was installed twice: %v", err)
	}
	if _, err := f.Install(t.Context(), "model"); err != connect.ErrNothingToDo {
		t.Errorf("a model was installed: %v", err)
	}
	if times, _ := os.ReadFile(asked); string(times) != "x\n" {
		t.Errorf("the version was read %d times", len(times)/2)
	}
}

// Hooks that belong to another office and hooks that cannot work are reported as problems, each
// with a fix.
func TestBrokenClaudeHooksHaveAFix(t *testing.T) {
	m := newMachine(t)
	m.program("claude", "echo '2.1.197 (Claude Code)'")
	f := m.finder(agents.Running{URL: "http://127.0.0.1:4777"})
	plan := func(args ...string) []install.Entry {
		return install.Plan{Program: &claude.HookedProgram, Version: version, Command: claude.HookedProgram.Command("/opt/bullpen", args...)}.Entries()
	}
	for name, tt := range map[string]struct {
		text  string
		words string
		plan  bool
	}{
		"another data directory": {installed(t, "", plan("--data", "/srv/other")), "report to the office with data directory /srv/other, not", true},
		"another port":           {`{"hooks":{"Stop":[{"hooks":[{"type":"http","url":"http://127.0.0.1:9/hooks/claude","timeout":5}]}]}}`, "report to http://127.0.0.1:9/hooks/claude, not", true},
		"another address":        {installed(t, "", plan("--url", "http://127.0.0.1:9")), "report to http://127.0.0.1:9, not", true},
		"switched off":           {installed(t, `{"disableAllHooks": true}`, plan()), "disableAllHooks", false},
		"not JSON":               {`{"hooks": `, "settings.json", false},
	} {
		m.file(".claude/settings.json", tt.text)
		it := m.item(f, "claude")
		m.want(it, contracts.ConnectProblem, "bullpen hooks install claude", tt.words)
		if (it.Plan != nil) != tt.plan {
			t.Errorf("%s: %+v", name, it.Plan)
		}
	}
}

func installed(t *testing.T, text string, entries []install.Entry) string {
	t.Helper()
	out, err := claude.HookedProgram.Install([]byte(text), entries)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestOpenClaw(t *testing.T) {
	m := newMachine(t)
	m.env["OPENCLAW_GATEWAY_PORT"] = "1" // a port on which nothing listens
	m.program("openclaw", "exit 1")
	m.want(m.item(m.finder(agents.Running{}), "openclaw"), contracts.ConnectFound, "openclaw gateway", "no gateway is responding at ws://127.0.0.1:1")
	m.want(m.item(m.finder(agents.Running{Links: map[string][]agents.Link{"openclaw": {{URL: "ws://127.0.0.1:18789", Connected: true}}}, Guests: map[string]int{"openclaw": 3}}), "openclaw"),
		contracts.ConnectConnected, "bullpen serve --openclaw ws://127.0.0.1:18789", "agents seen: 3")
	m.want(m.item(m.finder(agents.Running{Links: map[string][]agents.Link{"openclaw": {{URL: "ws://127.0.0.1:18789", Connected: true}, {URL: "wss://claw.example", Problem: "it wants a token", Do: "Set OPENCLAW_GATEWAY_TOKEN."}}}}), "openclaw"),
		contracts.ConnectProblem, "bullpen serve --openclaw wss://claw.example", "it wants a token", "Set OPENCLAW_GATEWAY_TOKEN.")
	delete(m.env, "OPENCLAW_GATEWAY_PORT")
	m.file(".openclaw/openclaw.json", `{"gateway":{"port":2}}`)
	m.want(m.item(m.finder(agents.Running{}), "openclaw"), contracts.ConnectFound, "openclaw gateway", "ws://127.0.0.1:2.")
}

// A report is cached briefly, so that callers cannot make the office search continuously.
func TestReportIsCached(t *testing.T) {
	m := newMachine(t)
	f := m.finder(agents.Running{})
	m.want(m.item(f, "claude"), contracts.ConnectMissing, installClaude)
	m.program("claude", "echo '2.1.197 (Claude Code)'")
	if again := f.Look(t.Context()); again.Items[2].State != contracts.ConnectMissing {
		t.Errorf("it searched again immediately: %+v", again.Items[2])
	}
	m.want(m.item(f, "claude"), contracts.ConnectFound, "bullpen hooks install claude")
}

func TestCommandsNameTheDataDirectory(t *testing.T) {
	m := newMachine(t)
	m.program("claude", "echo '2.1.197 (Claude Code)'")
	f := connect.New(connect.Config{Vendors: all.Adapters, Home: m.home, Getenv: func(string) string { return "" }, DataDir: "/srv/my office"})
	report := f.Look(t.Context())
	if got := report.Items[0].Command; got != "bullpen serve --data '/srv/my office' --crew claude" {
		t.Error(got)
	}
}
