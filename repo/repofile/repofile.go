// Package repofile reads .bullpen.yaml, in which a repository defines its permission rules, its
// checks and the commands that prepare a new worktree. A repository can only tighten the policy of
// the office: allow rules are ignored.
package repofile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/policy"
	"github.com/bullpen-office/bullpen/repo/root"
	"github.com/bullpen-office/bullpen/strictyaml"
)

// Name is the name of the file.
const Name = string(policy.FromRepository)

// Reader reads the rules of repositories on this machine. It reads a file again only if the file has
// changed. The zero value is ready to use.
type Reader struct {
	mu    sync.Mutex
	known map[string]entry // by file path
}

type entry struct {
	modified time.Time
	size     int64
	rules    *contracts.RepoRules
}

// Tighten adds a repository's rules to each permission request for a call in that repository, and
// returns the facts. The facts must come from agents on this machine.
func (r *Reader) Tighten(facts []contracts.Fact) []contracts.Fact {
	for i, f := range facts {
		ask, ok := f.(contracts.AskSeen)
		if !ok || ask.Kind != contracts.DecisionPermission || ask.Dir == "" {
			continue
		}
		if ask.RepoRules = r.Rules(ask.Dir); ask.RepoRules != nil {
			facts = slices.Clone(facts)
			facts[i] = ask
		}
	}
	return facts
}

// Rules returns the rules of the repository that dir is in. It returns nil if dir is not in a
// repository or the repository has no rules. If the rules file cannot be read, the result has Problem
// set, and no rule allows a call in the repository.
func (r *Reader) Rules(dir string) *contracts.RepoRules {
	home, _ := os.UserHomeDir()
	repository, ok := root.Of(dir, home)
	if !ok {
		return nil
	}
	path := filepath.Join(repository, Name)
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return unread(err)
	case !info.Mode().IsRegular():
		return unread(errNotRegular)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if have, ok := r.known[path]; ok && have.modified.Equal(info.ModTime()) && have.size == info.Size() {
		return have.rules
	}
	rules := read(path)
	if r.known == nil || len(r.known) >= contracts.LimitRepoFiles {
		r.known = map[string]entry{}
	}
	r.known[path] = entry{info.ModTime(), info.Size(), rules}
	return rules
}

func unread(err error) *contracts.RepoRules {
	return &contracts.RepoRules{Problem: contracts.Clip(contracts.CleanLine(fmt.Sprintf("the repository's rules cannot be read: %v", err)), contracts.LimitNote)}
}

func read(path string) *contracts.RepoRules {
	f, err := load(path)
	if err != nil {
		return unread(err)
	}
	rules, err := f.rules()
	if err != nil {
		return unread(err)
	}
	return &contracts.RepoRules{Rules: rules}
}

var errNotRegular = errors.New(Name + " is not a regular file")

// load reads and parses the file at path.
func load(path string) (file, error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return file{}, err
	case !info.Mode().IsRegular():
		return file{}, errNotRegular
	}
	f, err := os.Open(path)
	if err != nil {
		return file{}, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, contracts.LimitRepoFile+1))
	if err == nil && len(content) > contracts.LimitRepoFile {
		err = fmt.Errorf("%s is larger than %d bytes", Name, contracts.LimitRepoFile)
	}
	if err != nil {
		return file{}, err
	}
	return parse(content)
}

// file is the content of .bullpen.yaml.
type file struct {
	policy []contracts.Rule
	setup  []string
	checks []Check
}

// parse reads the file strictly: an unknown key is an error, because it may be a misspelled
// selector.
func parse(content []byte) (f file, err error) {
	r := strictyaml.New(Name, "")
	root, err := r.Parse(content)
	if root == nil || err != nil {
		return file{}, err
	}
	r.Mapping("", root, map[string]strictyaml.Member{
		"policy": strictyaml.List(r, &f.policy, Rule),
		"setup":  strictyaml.Optional(r.Words(&f.setup)),
		"checks": strictyaml.List(r, &f.checks, checkMember),
	})
	return f, errors.Join(r.Problems...)
}

// Rule returns a member that reads a rule. Rules have the same keys in the office's bullpen.yaml.
func Rule(r *strictyaml.Reader, into *contracts.Rule) strictyaml.Member {
	return r.Keys(map[string]strictyaml.Member{
		"id": r.Text(&into.RuleID), "effect": r.Text((*string)(&into.Effect)), "reason": r.Text(&into.Reason),
		"tool": r.Selector(&into.Tool), "command": r.Selector(&into.Command), "path": r.Selector(&into.Path),
		"host": r.Selector(&into.Host), "agent": r.Selector(&into.Agent), "repo": r.Selector(&into.Repo),
	})
}

func checkMember(r *strictyaml.Reader, into *Check) strictyaml.Member {
	return r.Keys(map[string]strictyaml.Member{
		"name": r.Text(&into.Name), "command": r.Text(&into.Command), "timeout": strictyaml.Optional(r.Duration(&into.Timeout)), "optional": strictyaml.Optional(r.Switch(&into.Optional)),
	})
}

func (f file) rules() ([]contracts.Rule, error) {
	if err := policy.Check(f.policy); err != nil {
		return nil, fmt.Errorf("%s: %w", Name, err)
	}
	return f.policy, nil
}
