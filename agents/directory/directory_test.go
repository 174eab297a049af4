package directory

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/all"
	"github.com/bullpen-office/bullpen/staff"
)

// C6: the only credentials that a program gets are those of its own vendor and those that the
// configuration names. It gets all other variables except those of the office and the parent
// process.
func TestProgramsGetTheirOwnCredentials(t *testing.T) {
	plain := []string{"HOME=/home/dev", "PATH=/bin", "LC_ALL=C", "SSH_AUTH_SOCK=/s", "JAVA_HOME=/j", "HTTPS_PROXY=http://p:1", "NODE_EXTRA_CA_CERTS=/ca", "KUBECONFIG=/k", "GOFLAGS=-v"}
	anthropic := []string{"ANTHROPIC_API_KEY=a", "ANTHROPIC_BASE_URL=b", "CLAUDE_CODE_OAUTH_TOKEN=c", "AWS_SECRET_ACCESS_KEY=d", "GOOGLE_APPLICATION_CREDENTIALS=/g"}
	others := []string{"OPENAI_API_KEY=e", "GITHUB_TOKEN=f", "DB_PASSWORD=g", "MODEL_LICENCE=h"}
	never := []string{"BULLPEN_TOKEN=i", "BULLPEN_CONFIG=j", "SYNTHESIS_WS_URL=old", "CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=k", "PWD=/office"}
	own := slices.Concat(plain, anthropic, others, never)
	office := staff.Staff{Kinds: agents.Kinds(all.Adapters), Runners: map[string]staff.Runner{"fast": {Kind: "openai", APIKeyEnv: "MODEL_LICENCE"}}}
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
