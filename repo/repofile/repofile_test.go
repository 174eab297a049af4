package repofile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/repo/repofile"
)

// repository returns a directory inside a new repository, and the path of its rules.
func repository(t *testing.T) (dir, path string) {
	t.Helper()
	top := t.TempDir()
	dir = filepath.Join(top, "src")
	for _, d := range []string{filepath.Join(top, ".git"), dir} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return dir, filepath.Join(top, repofile.Name)
}

// write replaces the rules and gives the file a new modification time.
func write(t *testing.T, path, text string, at int64) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, time.Time{}, time.Unix(at, 0)); err != nil {
		t.Fatal(err)
	}
}

func TestRules(t *testing.T) {
	var r repofile.Reader
	dir, path := repository(t)
	if got := r.Rules(dir); got != nil {
		t.Errorf("without a file: got %+v", got)
	}
	if got := r.Rules(t.TempDir()); got != nil {
		t.Errorf("outside of a repository: got %+v", got)
	}
	write(t, path, "policy:\n  - {id: a, effect: deny, reason: why, command: [make deploy, npm publish], path: '**/gen/**'}\n", 1)
	want := &contracts.RepoRules{Rules: []contracts.Rule{{RuleID: "a", Effect: contracts.EffectDeny, Reason: "why", Command: []string{"make deploy", "npm publish"}, Path: []string{"**/gen/**"}}}}
	if diff := cmp.Diff(want, r.Rules(dir)); diff != "" {
		t.Error(diff)
	}
	write(t, path, "policy:\n  - {id: b, effect: ask, tool: exec}\n", 2)
	if got := r.Rules(dir); len(got.Rules) != 1 || got.Rules[0].RuleID != "b" {
		t.Errorf("after a change: got %+v", got)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got := r.Rules(dir); got != nil {
		t.Errorf("after the file was removed: got %+v", got)
	}
}

func TestRulesThatCannotBeRead(t *testing.T) {
	for name, text := range map[string]string{
		"not YAML":           "policy: [",
		"unknown key":        "policy:\n  - {id: a, effect: deny, comand: make}\n",
		"unknown section":    "polcy: []\n",
		"unknown effect":     "policy:\n  - {id: a, effect: forbid, command: make}\n",
		"a rule without id":  "policy:\n  - {effect: deny, command: make}\n",
		"too many aliases":   "policy:\n  - &a {id: a, effect: deny, command: make}\n" + strings.Repeat("  - *a\n", 101),
		"an alias of itself": "policy: &a [*a]\n",
		"too large":          "# " + strings.Repeat("x", contracts.LimitRepoFile),
	} {
		t.Run(name, func(t *testing.T) {
			var r repofile.Reader
			dir, path := repository(t)
			write(t, path, text, 1)
			if got := r.Rules(dir); got == nil || len(got.Rules) > 0 || !strings.Contains(got.Problem, "cannot be read") {
				t.Errorf("got %+v, want a problem", got)
			}
		})
	}
	t.Run("a link", func(t *testing.T) {
		var r repofile.Reader
		dir, path := repository(t)
		if err := os.Symlink("/dev/null", path); err != nil {
			t.Fatal(err)
		}
		if got := r.Rules(dir); got == nil || got.Problem == "" {
			t.Errorf("got %+v, want a problem", got)
		}
	})
}

func TestTighten(t *testing.T) {
	var r repofile.Reader
	dir, path := repository(t)
	write(t, path, "policy:\n  - {id: a, effect: deny, command: make}\n", 1)
	ask := contracts.AskSeen{Kind: contracts.DecisionPermission, Dir: dir}
	elsewhere := contracts.AskSeen{Kind: contracts.DecisionPermission}
	question := contracts.AskSeen{Kind: contracts.DecisionAsk, Dir: dir}
	before := []contracts.Fact{ask, elsewhere, question, contracts.AgentGone{}}
	got := r.Tighten(before)
	tightened := ask
	tightened.RepoRules = r.Rules(dir)
	if diff := cmp.Diff([]contracts.Fact{tightened, elsewhere, question, contracts.AgentGone{}}, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]contracts.Fact{ask, elsewhere, question, contracts.AgentGone{}}, before); diff != "" {
		t.Error("the caller's facts were changed:", diff)
	}
}

// The checks of a repository cannot be mistaken for the acceptance checks of a request.
func TestNamesOfAcceptanceChecksAreReserved(t *testing.T) {
	_, _, err := repofile.ParseChecks([]byte("checks:\n  - {name: 'accept: make lint', command: make lint}\n"))
	if err == nil || !strings.Contains(err.Error(), `checks[0].name: names that start with "accept: " are reserved for the acceptance checks of requests`) {
		t.Errorf("got %v", err)
	}
	if checks, _, err := repofile.ParseChecks([]byte("checks:\n  - {name: accept tests, command: make accept}\n")); err != nil || len(checks) != 1 {
		t.Errorf("got %v, %v", checks, err)
	}
}
