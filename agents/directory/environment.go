package directory

import (
	"cmp"
	"os"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/staff"
)

// preparer returns a function that calls prepare for the given runner, or nil if the office does
// not start that runner's programs.
func (d *Directory) preparer(r staff.Runner) func(spec *drive.Spec) (func(), error) {
	if !d.cfg.Staff.Starts(r) {
		return nil
	}
	return func(spec *drive.Spec) (func(), error) { return d.prepare(r, spec) }
}

// prepare sets a program's environment, including a credential. The credential is valid only for
// the program's agent, and only until revoke is called.
func (d *Directory) prepare(r staff.Runner, spec *drive.Spec) (revoke func(), err error) {
	speaker, _, _ := strings.Cut(spec.Key, contracts.SessionSeparator) // the agent that the program names in its hello
	var processes []gate.Process
	if kind, _ := d.cfg.Staff.Spec(r.Kind); kind.Dials { // these programs are given their conversation id
		spec.Resume = cmp.Or(spec.Resume, uuid.NewString())
		processes = append(processes, gate.Process{Session: spec.Key, Program: spec.Resume})
	}
	credential, err := d.cfg.Issue(contracts.AgentIDOf(cmp.Or(speaker, spec.AgentID)), processes...)
	if err != nil {
		return nil, err
	}
	env, _ := Inherited(d.cfg.Staff, r, os.Environ())
	spec.Env = append(env, "SYNTHESIS_WS_URL="+credential.Address, "BULLPEN_TOKEN="+credential.Token)
	return credential.Revoke, nil
}

// excludedVariables lists variables that describe this process and would mislead a child process.
var excludedVariables = []string{"PWD", "OLDPWD"}

// Inherited returns the environment of a runner's program, and the names of the credentials
// withheld from it. The program gets only its own vendor's credentials and those that the
// configuration names (ADR 21). It never gets the office's own settings, nor variables that would
// mislead it.
func Inherited(s staff.Staff, r staff.Runner, own []string) (env, held []string) {
	kind, _ := s.Spec(r.Kind)
	allowed := slices.Concat(r.Env, kind.Variables)
	if kind.VariablesOf != nil {
		allowed = append(allowed, kind.VariablesOf(r)...)
	}
	never := slices.Concat(excludedVariables, staff.ReservedVariables)
	for _, k := range s.Kinds {
		never = append(never, k.ExcludedVariables...)
	}
	others := s.SecretVariables()
	for _, pair := range own {
		name, _, _ := strings.Cut(pair, "=")
		switch {
		case matches(never, name):
		case !matches(allowed, name) && (hud.SecretName(name) || slices.Contains(others, name)):
			held = append(held, name)
		default:
			env = append(env, pair)
		}
	}
	slices.Sort(held)
	return env, held
}

// commandEnvironment returns the environment for commands that the office runs for a runner's
// agents. It is the environment of an agent program without the variables that process.Environment
// withholds from commands. Variables that the configuration names are kept.
func commandEnvironment(s staff.Staff, r staff.Runner, own []string) []string {
	inherited, _ := Inherited(s, r, own)
	env := process.Environment(inherited)
	for _, pair := range inherited {
		if name, _, _ := strings.Cut(pair, "="); matches(r.Env, name) && !slices.Contains(env, pair) {
			env = append(env, pair)
		}
	}
	return env
}

// matches reports whether name matches an element of list: a name, or a prefix followed by *.
func matches(list []string, name string) bool {
	return slices.ContainsFunc(list, func(pattern string) bool {
		beginning, open := strings.CutSuffix(pattern, "*")
		return name == beginning || open && strings.HasPrefix(name, beginning)
	})
}
