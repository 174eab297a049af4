package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/bullpen-office/bullpen/agents"
	"github.com/bullpen-office/bullpen/agents/all"
	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/repo/repofile"
	"github.com/bullpen-office/bullpen/staff"
	"github.com/bullpen-office/bullpen/strictyaml"
	"github.com/bullpen-office/bullpen/world/scene"
)

// staffSections lists the file keys that contain nested settings.
var staffSections = []string{"agents", "runners", "budgets", "bridge", "prices", "policy", "repos"}

// readSections reads the section with this key into a Staff.
func (r *configFile) readSections(key string, n *yaml.Node, into *staff.Staff) {
	switch key {
	case "agents":
		r.Items(key, n, func(path string, n *yaml.Node) {
			var a staff.Agent
			r.agent(path, n, &a)
			into.Agents = append(into.Agents, a)
		})
	case "runners":
		into.Runners = map[string]staff.Runner{}
		r.Pairs(key, n, func(name, n *yaml.Node) {
			var run staff.Runner
			r.runner(key+"."+name.Value, n, &run)
			into.Runners[name.Value] = run
		})
	case "budgets":
		b := &into.Budgets
		r.Mapping(key, n, map[string]strictyaml.Member{"task": r.budget(&b.Task), "agent_day": r.budget(&b.AgentDay), "day": r.budget(&b.Day)})
	case "policy":
		strictyaml.List(r.Reader, &into.Policy, repofile.Rule)(key, n)
	case "repos":
		r.Items(key, n, func(path string, n *yaml.Node) {
			var repo contracts.Repo
			r.Mapping(path, n, map[string]strictyaml.Member{"path": r.Text(&repo.Path), "name": r.Text(&repo.Name), "target": r.Text(&repo.Target)})
			into.Repos = append(into.Repos, repo)
		})
	case "prices":
		r.prices(&into.Prices)(key, n)
	case "bridge":
		b := &into.Bridge
		r.Mapping(key, n, map[string]strictyaml.Member{"roots": r.Texts(&b.Roots), "heartbeat": r.Duration(&b.Heartbeat), "idle": r.Duration(&b.Idle), "runner": r.Text(&b.Runner), "trust_loopback": r.Switch(&b.TrustLoopback), "spawn": r.Texts(&b.Spawn), "env": r.Texts(&b.Env)})
	}
}

func (r *configFile) agent(path string, n *yaml.Node, a *staff.Agent) {
	r.Mapping(path, n, map[string]strictyaml.Member{
		"id": r.Text(&a.ID), "name": r.Text(&a.Name), "role": r.Text((*string)(&a.Role)), "runner": r.Text(&a.Runner), "workspace": r.Text(&a.Workspace), "home": r.Text(&a.Home),
	})
}

// clearSecrets lists keys under which someone might store a secret in plain text.
var clearSecrets = []string{"api_key", "key", "apikey", "token", "password", "secret", "authorization"}

func (r *configFile) runner(path string, n *yaml.Node, run *staff.Runner) {
	var command []string // the program and its first arguments
	known := map[string]strictyaml.Member{
		"kind": r.Text((*string)(&run.Kind)), "model": r.Text(&run.Model), "mode": r.Text(&run.Mode),
		"base_url": r.Text(&run.BaseURL), "api_key_env": r.Text(&run.APIKeyEnv), "api_key_file": r.Text(&run.APIKeyFile),
		"format": r.Text(&run.Format), "max_tokens": r.Integer(&run.MaxTokens), "temperature": strictyaml.Maybe(&run.Temperature, r.Number),
		"stall": r.Duration(&run.Stall), "retries": strictyaml.Maybe(&run.Retries, r.Integer), "prices": r.prices(&run.Prices),
		"command": r.Words(&command), "args": r.Texts(&run.Args), "env": r.Texts(&run.Env), "workspace": r.Text(&run.Workspace), "lenient": r.Switch(&run.Lenient),
		"url": r.Text(&run.URL), "token_env": r.Text(&run.TokenEnv), "token_file": r.Text(&run.TokenFile), "agent": r.Text(&run.Agent),
	}
	r.Pairs(path, n, func(key, value *yaml.Node) {
		read, ok := known[key.Value]
		switch {
		case ok:
			read(path+"."+key.Value, value)
		case slices.Contains(clearSecrets, strings.ToLower(key.Value)):
			r.Wrong(key.Line, path+"."+key.Value, "do not put secrets in this file, because it is copied, shown and backed up; set api_key_env or token_env to the name of an environment variable, or api_key_file or token_file to the path of a private file")
		default:
			strictyaml.Unknown(r.Reader, path, key, known)
		}
	})
	if len(command) > 0 {
		run.Command, run.Args = command[0], append(command[1:], run.Args...)
	}
}

func (r *configFile) prices(into *map[string]staff.Price) strictyaml.Member {
	return func(path string, n *yaml.Node) {
		*into = map[string]staff.Price{}
		r.Pairs(path, n, func(model, n *yaml.Node) {
			var p staff.Price
			r.Mapping(path+"."+model.Value, n, map[string]strictyaml.Member{
				"in": r.Number(&p.In), "out": r.Number(&p.Out), "cache": strictyaml.Maybe(&p.Cache, r.Number), "write": strictyaml.Maybe(&p.Write, r.Number), "write_hour": strictyaml.Maybe(&p.WriteHour, r.Number),
			})
			(*into)[model.Value] = p
		})
	}
}

func (r *configFile) budget(b *staff.Budget) strictyaml.Member {
	return func(path string, n *yaml.Node) {
		r.Mapping(path, n, map[string]strictyaml.Member{"usd": r.Number(&b.USD), "tokens": r.Count(&b.Tokens)})
	}
}

// checkStaff validates the nested sections of the file against the flags and the scene.
func (s *settings) checkStaff() (errs []error) {
	s.staff.Kinds, s.staff.Default, s.staff.Model = agents.RunnerSpecs(all.Adapters), s.crew, s.model
	s.staff.Review, s.staff.AcceptHosts = contracts.ReviewMode(s.review), s.acceptHosts
	in := staff.ValidationInput{BuiltIn: agents.People(all.Adapters)}
	if sc, err := loadScene(s.scene); err == nil { // another check reports a scene that cannot be read
		if sc == nil {
			sc = scene.Default()
		}
		for _, p := range sc.Manifest().POIs {
			in.Places = append(in.Places, p.POIID)
		}
	}
	for _, p := range s.staff.Validate(in) {
		errs = append(errs, s.withLine(p))
	}
	return errs
}

// withLine returns a problem as an error, with its line in the configuration file if known.
func (s *settings) withLine(p staff.Problem) error {
	if p.Path == "crew" && !strings.HasPrefix(s.sources["crew"], "file") {
		return fmt.Errorf("%s: %s", s.nameOf("crew"), p.Text)
	}
	for path := p.Path; path != ""; path = parent(path) {
		if line, ok := s.lines[path]; ok {
			return &strictyaml.Problem{File: s.file, Line: line, Err: p}
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
	return s.staff.BroadRoots(home)
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
