package connect

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/agents/claude/install"
	"github.com/bullpen-office/bullpen/contracts"
)

// machine is a machine of the test: its own home and PATH.
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
		t.Skip("the programs of this test are shell scripts")
	}
	m := &machine{t: t, home: t.TempDir(), bin: t.TempDir(), env: map[string]string{}, now: time.Unix(1_800_000_000, 0)}
	t.Setenv("PATH", m.bin+":/usr/bin:/bin")
	return m
}

// program puts a script into PATH.
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

func (m *machine) finder(office Office) *Finder {
	return New(Config{
		Program: "/opt/bullpen", Home: m.home, Getenv: func(name string) string { return m.env[name] },
		Office: func() Office { return office }, Now: func() time.Time { return m.now },
	})
}

func (m *machine) item(f *Finder, id string) contracts.ConnectItem {
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

func TestAnEmptyMachine(t *testing.T) {
	m := newMachine(t)
	m.env["OPENCLAW_GATEWAY_PORT"] = "1" // where nothing answers
	f := m.finder(Office{})
	m.want(m.item(f, "claude_crew"), contracts.ConnectMissing, getClaude, "not in PATH")
	m.want(m.item(f, "claude"), contracts.ConnectMissing, getClaude, "not in PATH")
	m.want(m.item(f, "openclaw"), contracts.ConnectMissing, "npm install -g openclaw")
	m.want(m.item(f, "script"), contracts.ConnectReady, "bullpen exec -- make test")
	m.want(m.item(f, "mcp"), contracts.ConnectReady, "claude mcp add bullpen --env BULLPEN_TOKEN=TOKEN -- bullpen channel --session dev::desk", "token create --role agent")
}

func TestClaudeIsFoundAndConnected(t *testing.T) {
	m := newMachine(t)
	asked := filepath.Join(m.home, "asked")
	m.program("claude", "echo x >>"+asked+"; echo '2.1.197 (Claude Code)'")
	m.file(".claude/settings.json", "{\n  \"model\": \"opus\"\n}\n")
	f := m.finder(Office{URL: "http://127.0.0.1:4777", Kinds: []string{"rehearsal"}, Guests: map[string]int{"claude": 2}})

	m.want(m.item(f, "claude_crew"), contracts.ConnectFound, "bullpen serve --crew claude", "2.1.197", "Ctrl-C")
	it := m.item(f, "claude")
	m.want(it, contracts.ConnectFound, "bullpen hooks install claude", "2.1.197", "without hooks", "2 sessions seen")
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
		t.Error("there is still something to do")
	}
	text, _ := os.ReadFile(f.cfg.Settings)
	have, err := install.Read(text)
	if err != nil || len(have.Entries) != len(f.plan(f.claude.version).Entries()) || !strings.Contains(string(text), `"model": "opus"`) {
		t.Errorf("%v\n%s", err, text)
	}
	if backup, _ := os.ReadFile(f.cfg.Settings + install.BackupSuffix); string(backup) != "{\n  \"model\": \"opus\"\n}\n" {
		t.Errorf("the file as it was is lost: %q", backup)
	}
	if _, err := f.Install(t.Context(), "claude"); err != ErrNothingToDo {
		t.Errorf("it was done twice: %v", err)
	}
	if _, err := f.Install(t.Context(), "model"); err != ErrNothingToDo {
		t.Errorf("a model was installed: %v", err)
	}
	if times, _ := os.ReadFile(asked); string(times) != "x\n" {
		t.Errorf("the version was asked for %d times", len(times)/2)
	}
}

// Hooks of another office, and those that cannot work, are a problem with a way out.
func TestClaudeHooksThatDoNotWork(t *testing.T) {
	m := newMachine(t)
	m.program("claude", "echo '2.1.197 (Claude Code)'")
	f := m.finder(Office{URL: "http://127.0.0.1:4777"})
	entries := f.plan(install.Version{}).Entries()
	other := New(Config{Program: "/opt/bullpen", Home: m.home, DataDir: "/srv/other"})
	for name, tt := range map[string]struct {
		text  string
		words string
		plan  bool
	}{
		"another data directory": {installed(t, "", other.plan(f.claude.version).Entries()), "go to the office of /srv/other, not", true},
		"another port":           {`{"hooks":{"Stop":[{"hooks":[{"type":"http","url":"http://127.0.0.1:9/hooks/claude","timeout":5}]}]}}`, "go to http://127.0.0.1:9/hooks/claude, not", true},
		"another address":        {installed(t, "", install.Plan{Version: f.claude.version, Command: install.Command("/opt/bullpen", "--url", "http://127.0.0.1:9")}.Entries()), "go to http://127.0.0.1:9, not", true},
		"switched off":           {installed(t, `{"disableAllHooks": true}`, entries), "disableAllHooks", false},
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
	out, err := install.Install([]byte(text), entries)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// A model is asked on loopback only, in bounded time, and its key stays here.
func TestModels(t *testing.T) {
	m := newMachine(t)
	var key atomic.Value
	stub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key.Store(r.Header.Get("Authorization"))
		if r.URL.Path != "/v1/models" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"object":"list","data":[{"id":"llama3.2"},{"id":"it's odd"}]}`))
	}))
	defer stub.Close()
	m.env["OPENAI_BASE_URL"], m.env["OPENAI_API_KEY"] = stub.URL+"/v1", "sk-secret"
	it := m.item(m.finder(Office{Kinds: []string{"rehearsal"}}), "model")
	m.want(it, contracts.ConnectFound, "bullpen serve --crew openai --model llama3.2", "llama3.2, it's odd", "OPENAI_BASE_URL answers at "+stub.URL+"/v1")
	if key.Load() != "Bearer sk-secret" || strings.Contains(it.Saw+it.Does+it.Command, "sk-secret") {
		t.Errorf("the key: sent %v, told %+v", key.Load(), it)
	}
	m.want(m.item(m.finder(Office{Kinds: []string{"openai"}}), "model"), contracts.ConnectConnected, it.Command)

	localEndpointsWere := localEndpoints
	t.Cleanup(func() { localEndpoints = localEndpointsWere })
	localEndpoints = []endpoint{{name: "Ollama", address: stub.URL + "/v1"}}
	delete(m.env, "OPENAI_BASE_URL")
	m.want(m.item(m.finder(Office{}), "model"), contracts.ConnectFound, "OPENAI_BASE_URL="+stub.URL+"/v1 bullpen serve --crew openai --model llama3.2", "Ollama answers")
	if key.Load() != "" {
		t.Errorf("the key went to an endpoint that it is not for: %v", key.Load())
	}
	m.want(m.item(m.finder(Office{URL: stub.URL}), "model"), contracts.ConnectMissing, "bullpen serve --crew openai --model MODEL") // it is the office itself

	m.env["OPENAI_BASE_URL"] = "https://user:pass@models.example/v1?key=secret"
	localEndpoints = nil
	m.want(m.item(m.finder(Office{}), "model"), contracts.ConnectFound, "bullpen serve --crew openai --model MODEL", "points to https://models.example/v1;", "not queried")
}

// A name that leads away from this machine is not followed.
func TestOnlyLoopbackIsDialled(t *testing.T) {
	for _, address := range []string{"http://192.0.2.1:80/v1", "http://localhost.example/v1", "http://[2001:db8::1]/v1", "http://10.0.0.1/v1", "not an address"} {
		if onLoopback(address) {
			t.Errorf("%s is taken for this machine", address)
		}
	}
	if _, err := loopbackDialer.DialContext(t.Context(), "tcp", "192.0.2.1:80"); err == nil || !strings.Contains(err.Error(), "not an address of this machine") {
		t.Errorf("%v", err)
	}
}

func TestOpenClaw(t *testing.T) {
	m := newMachine(t)
	m.env["OPENCLAW_GATEWAY_PORT"] = "1" // where nothing answers
	m.program("openclaw", "exit 1")
	m.want(m.item(m.finder(Office{}), "openclaw"), contracts.ConnectFound, "openclaw gateway", "no gateway answers at ws://127.0.0.1:1")
	m.want(m.item(m.finder(Office{Gateways: []Gateway{{URL: "ws://127.0.0.1:18789", Connected: true}}, Guests: map[string]int{"openclaw": 3}}), "openclaw"),
		contracts.ConnectConnected, "bullpen serve --openclaw ws://127.0.0.1:18789", "3 agents")
	m.want(m.item(m.finder(Office{Gateways: []Gateway{{URL: "ws://127.0.0.1:18789", Connected: true}, {URL: "wss://claw.example", Problem: "it wants a token", Do: "Set OPENCLAW_GATEWAY_TOKEN."}}}), "openclaw"),
		contracts.ConnectProblem, "bullpen serve --openclaw wss://claw.example", "it wants a token", "Set OPENCLAW_GATEWAY_TOKEN.")
	delete(m.env, "OPENCLAW_GATEWAY_PORT")
	m.file(".openclaw/openclaw.json", `{"gateway":{"port":2}}`)
	m.want(m.item(m.finder(Office{}), "openclaw"), contracts.ConnectFound, "openclaw gateway", "ws://127.0.0.1:2.")
}

// What was seen is used again for a moment, so that callers cannot make the office look
// without pause.
func TestALookIsRemembered(t *testing.T) {
	m := newMachine(t)
	f := m.finder(Office{})
	m.want(m.item(f, "claude"), contracts.ConnectMissing, getClaude)
	m.program("claude", "echo '2.1.197 (Claude Code)'")
	if again := f.Look(t.Context()); again.Items[2].State != contracts.ConnectMissing {
		t.Errorf("it looked again at once: %+v", again.Items[2])
	}
	m.want(m.item(f, "claude"), contracts.ConnectFound, "bullpen hooks install claude")
}

func TestCommandsNameTheDataDirectory(t *testing.T) {
	m := newMachine(t)
	m.program("claude", "echo '2.1.197 (Claude Code)'")
	f := New(Config{Home: m.home, Getenv: func(string) string { return "" }, DataDir: "/srv/my office"})
	report := f.Look(t.Context())
	if got := report.Items[0].Command; got != "bullpen serve --data '/srv/my office' --crew claude" {
		t.Error(got)
	}
}
