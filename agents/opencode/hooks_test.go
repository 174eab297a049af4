package opencode_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/hook/install"
	"github.com/bullpen-office/bullpen/agents/opencode"
)

// rig is a user with a configuration directory and an office.
type rig struct {
	t    *testing.T
	path string // the plugin's path
	agents.HookConfig
}

func newRig(t *testing.T) *rig {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Setenv("PATH", t.TempDir())
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &rig{t: t, path: filepath.Join(dir, "opencode", "plugin", "bullpen.js"), HookConfig: agents.HookConfig{Self: self, DataDir: "/data", DataDirFlag: "/data"}}
}

func (r *rig) install() string {
	r.t.Helper()
	if _, err := opencode.Adapter.Hooks.Install(r.t.Context(), r.HookConfig); err != nil {
		r.t.Fatal(err)
	}
	text, err := os.ReadFile(r.path)
	if err != nil {
		r.t.Fatal(err)
	}
	return string(text)
}

func (r *rig) write(text string) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(r.path), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(r.path, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) problems() []string {
	r.t.Helper()
	s, err := opencode.Adapter.Hooks.Status(r.t.Context(), r.HookConfig)
	if err != nil {
		r.t.Fatal(err)
	}
	return s.Problems
}

// The plugin is one file, which can be installed twice and removed.
func TestPluginIsInstalledAndRemoved(t *testing.T) {
	r := newRig(t)
	if s := opencode.Adapter.Hooks.Summary(""); s.Installed || opencode.Adapter.Hooks.Found() {
		t.Errorf("before the installation: %+v", s)
	}
	first := r.install()
	if second := r.install(); second != first || !strings.Contains(first, `"hook","opencode","--data","/data"]`) {
		t.Errorf("%s", second)
	}
	if s := opencode.Adapter.Hooks.Summary(""); !s.Installed || len(r.problems()) > 0 || !opencode.Adapter.Hooks.Found() {
		t.Errorf("%+v, %q", s, r.problems())
	}
	for range 2 {
		if _, err := opencode.Adapter.Hooks.Remove(t.Context(), r.HookConfig); err != nil {
			t.Fatal(err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(r.path), "*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// A file with the plugin's name that Bullpen did not write is not changed.
func TestForeignPluginIsKept(t *testing.T) {
	r := newRig(t)
	const mine = "export const Mine = async () => ({})\n"
	r.write(mine)
	_, installing := opencode.Adapter.Hooks.Install(t.Context(), r.HookConfig)
	_, removing := opencode.Adapter.Hooks.Remove(t.Context(), r.HookConfig)
	if !errors.Is(installing, install.ErrForeign) || !errors.Is(removing, install.ErrForeign) {
		t.Errorf("%v, %v", installing, removing)
	}
	if text, err := os.ReadFile(r.path); err != nil || string(text) != mine {
		t.Errorf("%q, %v", text, err)
	}
	if s := opencode.Adapter.Hooks.Summary(""); s.Installed || s.Problem == "" {
		t.Errorf("%+v", s)
	}
}

// Status reports what is wrong with a plugin, and an edited plugin is backed up before it is
// replaced.
func TestPluginProblems(t *testing.T) {
	r := newRig(t)
	good := r.install()
	for _, c := range []struct{ text, want string }{
		{good + "// mine\n", "was edited"},
		{strings.Replace(good, `"--data","/data"`, `"--data","/other"`, 1), "another data directory"},
		{strings.Replace(good, `"--data","/data"`, `"--url","http://user:pw@office"`, 1), "reports to http://office"},
		{strings.Replace(good, r.Self, "/gone/bullpen", 1), "no longer exists: /gone/bullpen"},
	} {
		r.write(c.text)
		if got := r.problems(); len(got) != 1 || !strings.Contains(got[0], c.want) || strings.Contains(got[0], "pw@") {
			t.Errorf("%q, want %q", got, c.want)
		}
		if text := r.install(); text != good || len(r.problems()) > 0 {
			t.Errorf("not repaired: %s", text)
		}
	}
	if backup, err := os.ReadFile(r.path + install.BackupSuffix); err != nil || string(backup) != good+"// mine\n" {
		t.Errorf("the edited plugin was not saved: %q, %v", backup, err)
	}
	if s := opencode.Adapter.Hooks.Summary("http://here"); !s.Installed || s.OtherOffice != "" {
		t.Errorf("%+v", s)
	}
	r.HookConfig.Transport = agents.HooksByHTTP
	var usage *agents.UsageError
	if _, err := opencode.Adapter.Hooks.Install(t.Context(), r.HookConfig); !errors.As(err, &usage) {
		t.Errorf("%v", err)
	}
}
