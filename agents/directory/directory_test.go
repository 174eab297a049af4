package directory

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/all"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/staff"
)

// C6: a program receives only its own vendor's credentials and those that the configuration names.
// It inherits all other variables, except the office's own and those that would mislead it.
func TestProgramsGetTheirOwnCredentials(t *testing.T) {
	plain := []string{"HOME=/home/dev", "PATH=/bin", "LC_ALL=C", "SSH_AUTH_SOCK=/s", "JAVA_HOME=/j", "HTTPS_PROXY=http://p:1", "NODE_EXTRA_CA_CERTS=/ca", "KUBECONFIG=/k", "GOFLAGS=-v"}
	anthropic := []string{"ANTHROPIC_API_KEY=a", "ANTHROPIC_BASE_URL=b", "CLAUDE_CODE_OAUTH_TOKEN=c", "AWS_SECRET_ACCESS_KEY=d", "GOOGLE_APPLICATION_CREDENTIALS=/g"}
	others := []string{"OPENAI_API_KEY=e", "GITHUB_TOKEN=f", "DB_PASSWORD=g", "MODEL_LICENCE=h"}
	never := []string{"BULLPEN_TOKEN=i", "BULLPEN_CONFIG=j", "SYNTHESIS_WS_URL=old", "CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=k", "PWD=/office"}
	own := slices.Concat(plain, anthropic, others, never)
	office := staff.Staff{Kinds: agents.RunnerSpecs(all.Adapters), Runners: map[string]staff.Runner{"fast": {Kind: "openai", APIKeyEnv: "MODEL_LICENCE"}}}
	for name, c := range map[string]struct {
		runner staff.Runner
		want   []string
	}{
		"claude":       {staff.Runner{Kind: "claude"}, slices.Concat(plain, anthropic)},
		"claude named": {staff.Runner{Kind: "claude", Env: []string{"GITHUB_*"}}, slices.Concat(plain, anthropic, others[1:2])},
		"peer":         {staff.Runner{Kind: "peer"}, append(slices.Clone(plain), anthropic[1])},
		"peer named":   {staff.Runner{Kind: "peer", Env: []string{"OPENAI_API_KEY", "MODEL_LICENCE"}}, slices.Concat(plain, anthropic[1:2], others[:1], others[3:])},
	} {
		env, held := Inherited(office, c.runner, own)
		if !slices.Equal(env, c.want) {
			t.Errorf("%s gets %q, want %q", name, env, c.want)
		}
		if n := len(env) + len(held) + len(never); n != len(own) {
			t.Errorf("%s: %d of %d variables are accounted for; withheld %q", name, n, len(own), held)
		}
	}
}

// Commands that the office runs for a model get no credentials, except those that the configuration
// names.
func TestCommandsGetNamedCredentials(t *testing.T) {
	own := []string{"PATH=/bin", "SSH_AUTH_SOCK=/s", "OPENAI_API_KEY=a", "MODEL_LICENCE=b", "GITHUB_TOKEN=c", "BULLPEN_TOKEN=d", "GIT_DIR=/g"}
	office := staff.Staff{Kinds: agents.RunnerSpecs(all.Adapters), Runners: map[string]staff.Runner{"fast": {Kind: "openai", APIKeyEnv: "MODEL_LICENCE"}}}
	for name, c := range map[string]struct {
		env  []string
		want []string
	}{
		"none":  {nil, []string{"PATH=/bin"}},
		"named": {[]string{"GITHUB_*", "SSH_AUTH_SOCK"}, []string{"PATH=/bin", "SSH_AUTH_SOCK=/s", "GITHUB_TOKEN=c"}},
	} {
		if env := commandEnvironment(office, staff.Runner{Kind: "openai", Env: c.env}, own); !slices.Equal(env, c.want) {
			t.Errorf("%s: %q, want %q", name, env, c.want)
		}
	}
}

// A call is restricted if a built-in, operator or repository rule denies it or requires permission.
// A call that no rule matches is not restricted.
func TestRestrictedCalls(t *testing.T) {
	dir := t.TempDir()
	d, err := New(Config{
		Agent: func(string) (contracts.AgentProfile, bool) { return contracts.AgentProfile{}, false },
		Staff: staff.Staff{Default: staff.None, Policy: []contracts.Rule{
			{RuleID: "notes", Effect: contracts.EffectDeny, Path: []string{"**/notes/**"}}, {RuleID: "all", Effect: contracts.EffectAllow, Tool: []string{"read"}},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	restricted := func(path string) bool {
		return d.restricted("agent_a", contracts.Permission{Tool: "read", Args: hud.Value(map[string]string{"path": path}), Place: dir})
	}
	for path, want := range map[string]bool{"main.go": false, ".env": true, "notes/a.md": true, "x/../.env": true, "[id].tsx": false, "secrets.md": false} {
		if got := restricted(path); got != want {
			t.Errorf("%s: restricted %v", path, got)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	rules := filepath.Join(dir, ".bullpen.yaml")
	if err := os.WriteFile(rules, []byte("policy:\n  - {id: s, effect: ask, path: '**/secrets.md'}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if !restricted("secrets.md") || restricted("main.go") {
		t.Error("the rules of the repository do not count")
	}
	if err := os.WriteFile(rules, []byte("policy: unreadable"), 0o600); err != nil {
		t.Fatal(err)
	}
	if !restricted("main.go") {
		t.Error("unreadable rules must restrict every call")
	}
}

// A workspace is accepted only if it is inside a configured root once its links are resolved.
func TestWorkspacesAreConfined(t *testing.T) {
	root := t.TempDir()
	d, err := New(Config{Staff: staff.Staff{Default: staff.None}, Roots: []string{root}})
	if err != nil {
		t.Fatal(err)
	}
	if under, got, err := d.Confine(root); err != nil || got == "" || under != got {
		t.Errorf("%q under %q: %v", got, under, err)
	}
	file := filepath.Join(root, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), filepath.Join(root, "out")); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{file, root + "/out", "/", root + "/../", root + "x", "relative", root + "/missing"} {
		if _, got, err := d.Confine(bad); err == nil {
			t.Errorf("%q became %q", bad, got)
		}
	}
}
