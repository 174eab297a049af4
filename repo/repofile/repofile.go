// Package repofile reads .bullpen.yaml, in which a repository defines its permission rules, its
// checks and how a new worktree is prepared. A repository can only tighten the policy of the office:
// allow rules are ignored.
package repofile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/policy"
	"github.com/bullpen-office/bullpen/repo/root"
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
	return &contracts.RepoRules{Problem: contracts.Clip(contracts.CleanLine(fmt.Sprintf("the repository's rules in %s cannot be read: %v", Name, err)), contracts.LimitNote)}
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

var errNotRegular = errors.New("it is not a regular file")

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
		err = fmt.Errorf("it is larger than %d bytes", contracts.LimitRepoFile)
	}
	if err != nil {
		return file{}, err
	}
	return parse(content)
}

// list is one value or a list of values.
type list []string

func (l *list) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*l = list{n.Value}
		return nil
	}
	return n.Decode((*[]string)(l))
}

// file is the content of .bullpen.yaml. Rules have the same keys as in the office's bullpen.yaml.
type file struct {
	Policy []struct {
		ID      string           `yaml:"id"`
		Effect  contracts.Effect `yaml:"effect"`
		Reason  string           `yaml:"reason"`
		Tool    list             `yaml:"tool"`
		Command list             `yaml:"command"`
		Path    list             `yaml:"path"`
		Host    list             `yaml:"host"`
		Agent   list             `yaml:"agent"`
		Repo    list             `yaml:"repo"`
	} `yaml:"policy"`
	Setup  list `yaml:"setup"`
	Checks []struct {
		Name     string        `yaml:"name"`
		Command  string        `yaml:"command"`
		Timeout  time.Duration `yaml:"timeout"`
		Optional bool          `yaml:"optional"`
	} `yaml:"checks"`
}

// parse reads the file strictly: an unknown key is an error, because it may be a misspelled
// selector.
func parse(content []byte) (f file, err error) {
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	decoder.KnownFields(true)
	if err := decoder.Decode(&f); err != nil && !errors.Is(err, io.EOF) {
		return file{}, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := decoder.Decode(new(file)); !errors.Is(err, io.EOF) {
		return file{}, errors.New("the file must contain only one YAML document: remove the line ---")
	}
	return f, nil
}

func (f file) rules() ([]contracts.Rule, error) {
	var rules []contracts.Rule
	for _, r := range f.Policy {
		rules = append(rules, contracts.Rule{
			RuleID: r.ID, Effect: r.Effect, Reason: r.Reason, Tool: r.Tool, Command: r.Command, Path: r.Path, Host: r.Host, Agent: r.Agent, Repo: r.Repo,
		})
	}
	return rules, policy.Check(rules)
}
