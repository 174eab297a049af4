package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/all"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/staff"
	"github.com/bullpen-office/bullpen/world/scene"
)

// staffSections lists the file keys that contain nested settings.
var staffSections = []string{"agents", "runners", "budgets", "bridge", "prices", "policy", "repos"}

// readSections reads the section with this key into a Staff.
func (r *yamlReader) readSections(key string, n *yaml.Node, into *staff.Staff) {
	r.lines[key] = n.Line
	switch key {
	case "agents":
		r.items(key, n, func(path string, n *yaml.Node) {
			var a staff.Agent
			r.agent(path, n, &a)
			into.Agents = append(into.Agents, a)
		})
	case "runners":
		into.Runners = map[string]staff.Runner{}
		r.pairs(key, n, func(name, n *yaml.Node) {
			var run staff.Runner
			r.runner(key+"."+name.Value, n, &run)
			into.Runners[name.Value] = run
		})
	case "budgets":
		b := &into.Budgets
		r.mapping(key, n, map[string]member{"task": r.budget(&b.Task), "agent_day": r.budget(&b.AgentDay), "day": r.budget(&b.Day)})
	case "policy":
		r.items(key, n, func(path string, n *yaml.Node) {
			var rule contracts.Rule
			r.rule(path, n, &rule)
			into.Policy = append(into.Policy, rule)
		})
	case "repos":
		r.items(key, n, func(path string, n *yaml.Node) {
			var repo contracts.Repo
			r.mapping(path, n, map[string]member{"path": r.text(&repo.Path), "name": r.text(&repo.Name), "target": r.text(&repo.Target)})
			into.Repos = append(into.Repos, repo)
		})
	case "prices":
		r.prices(&into.Prices)(key, n)
	case "bridge":
		b := &into.Bridge
		r.mapping(key, n, map[string]member{"roots": r.texts(&b.Roots), "heartbeat": r.duration(&b.Heartbeat), "idle": r.duration(&b.Idle), "runner": r.text(&b.Runner), "trust_loopback": value(r, &b.TrustLoopback, "true or false", strconv.ParseBool), "spawn": r.texts(&b.Spawn), "env": r.texts(&b.Env)})
	}
}

func (r *yamlReader) agent(path string, n *yaml.Node, a *staff.Agent) {
	r.mapping(path, n, map[string]member{
		"id": r.text(&a.ID), "name": r.text(&a.Name), "role": r.text((*string)(&a.Role)), "runner": r.text(&a.Runner), "workspace": r.text(&a.Workspace), "home": r.text(&a.Home),
	})
}

func (r *yamlReader) rule(path string, n *yaml.Node, rule *contracts.Rule) {
	r.mapping(path, n, map[string]member{
		"id": r.text(&rule.RuleID), "effect": r.text((*string)(&rule.Effect)), "reason": r.text(&rule.Reason),
		"tool": r.words(&rule.Tool), "command": r.words(&rule.Command), "path": r.words(&rule.Path),
		"host": r.words(&rule.Host), "agent": r.words(&rule.Agent), "repo": r.words(&rule.Repo),
	})
}

// clearSecrets lists keys where someone might write a secret in plain text.
var clearSecrets = []string{"api_key", "key", "apikey", "token", "password", "secret", "authorization"}

func (r *yamlReader) runner(path string, n *yaml.Node, run *staff.Runner) {
	var command []string // the program and its first arguments
	known := map[string]member{
		"kind": r.text((*string)(&run.Kind)), "model": r.text(&run.Model), "mode": r.text(&run.Mode),
		"base_url": r.text(&run.BaseURL), "api_key_env": r.text(&run.APIKeyEnv), "api_key_file": r.text(&run.APIKeyFile),
		"format": r.text(&run.Format), "max_tokens": r.whole(&run.MaxTokens), "temperature": maybe(&run.Temperature, r.number),
		"stall": r.duration(&run.Stall), "retries": maybe(&run.Retries, r.whole), "prices": r.prices(&run.Prices),
		"command": r.words(&command), "args": r.texts(&run.Args), "env": r.texts(&run.Env), "workspace": r.text(&run.Workspace), "lenient": value(r, &run.Lenient, "true or false", strconv.ParseBool),
		"url": r.text(&run.URL), "token_env": r.text(&run.TokenEnv), "token_file": r.text(&run.TokenFile), "agent": r.text(&run.Agent),
	}
	r.pairs(path, n, func(key, value *yaml.Node) {
		read, ok := known[key.Value]
		switch {
		case ok:
			read(path+"."+key.Value, value)
		case slices.Contains(clearSecrets, strings.ToLower(key.Value)):
			r.wrong(key.Line, "%s.%s: do not write secrets into this file, because it is copied, shown and backed up; set api_key_env or token_env to the name of an environment variable, or api_key_file or token_file to the path of a private file", path, key.Value)
		default:
			r.wrong(key.Line, "%s: unknown key %q%s", path, key.Value, suggestion(key.Value, known))
		}
	})
	if len(command) > 0 {
		run.Command, run.Args = command[0], append(command[1:], run.Args...)
	}
}

func (r *yamlReader) prices(into *map[string]staff.Price) member {
	return func(path string, n *yaml.Node) {
		*into = map[string]staff.Price{}
		r.pairs(path, n, func(model, n *yaml.Node) {
			var p staff.Price
			r.mapping(path+"."+model.Value, n, map[string]member{
				"in": r.number(&p.In), "out": r.number(&p.Out), "cache": maybe(&p.Cache, r.number), "write": maybe(&p.Write, r.number), "write_hour": maybe(&p.WriteHour, r.number),
			})
			(*into)[model.Value] = p
		})
	}
}

func (r *yamlReader) budget(b *staff.Budget) member {
	return func(path string, n *yaml.Node) {
		r.mapping(path, n, map[string]member{"usd": r.number(&b.USD), "tokens": r.count(&b.Tokens)})
	}
}

// checkStaff validates the nested sections of the file against the flags and the scene.
func (s *settings) checkStaff() error {
	s.staff.Kinds, s.staff.Default, s.staff.Model = agents.Kinds(all.Adapters), s.crew, s.model
	s.staff.Review, s.staff.AcceptHosts = contracts.ReviewMode(s.review), s.acceptHosts
	in := staff.Setting{BuiltIn: agents.People(all.Adapters)}
	if sc, err := loadScene(s.scene); err == nil { // another check reports a scene that cannot be read
		if sc == nil {
			sc = scene.Default()
		}
		for _, p := range sc.Manifest().POIs {
			in.Places = append(in.Places, p.POIID)
		}
	}
	var errs []error
	for _, p := range s.staff.Validate(in) {
		errs = append(errs, s.withLine(p))
	}
	return errors.Join(errs...)
}

// withLine returns a problem as an error, with its line in the configuration file if known.
func (s *settings) withLine(p staff.Problem) error {
	if p.Path == "crew" && !strings.HasPrefix(s.sources["crew"], "file") {
		return fmt.Errorf("crew: %s", p.Text)
	}
	for path := p.Path; path != ""; path = parent(path) {
		if line, ok := s.lines[path]; ok {
			return fmt.Errorf("%s line %d: %w", s.file, line, p)
		}
	}
	return p
}

func parent(path string) string { return path[:max(strings.LastIndexByte(path, '.'), 0)] }

// warnStaff prints a warning for each setting that is valid but has no effect or is too broad.
func (s *settings) warnStaff(w io.Writer) {
	for _, p := range append(s.staff.Unenforced(), s.broadRoots()...) {
		fmt.Fprintf(w, "warning: %v\n", s.withLine(p))
	}
}

// broadRoots returns a problem for each bridge root that is too broad.
func (s *settings) broadRoots() []staff.Problem {
	home, _ := os.UserHomeDir() // without a home directory, there is nothing to protect
	return s.staff.Broad(home)
}

// crewLine returns the description of the crew for the greeting.
func (s *settings) crewLine() string {
	if s.crew == staff.None {
		return "none (for inspecting a ledger)"
	}
	r, _ := s.staff.Runner(s.crew)
	if spec, _ := s.staff.Spec(r.Kind); spec.Note != "" {
		if n := len(s.staff.Used()); n > 1 {
			return fmt.Sprintf("%s, and %s", s.crew, strings.Join(slices.DeleteFunc(s.staff.Used(), func(n string) bool { return n == s.crew }), ", "))
		}
		return s.crew + ": " + spec.Note
	}
	words := []string{s.crew}
	if s.crew != string(r.Kind) {
		words = append(words, "on "+string(r.Kind))
	}
	if r.Model != "" {
		words = append(words, "with "+r.Model)
	}
	return strings.Join(words, " ")
}
