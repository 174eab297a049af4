package server

import (
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/staff"
)

// private are variables that say something about this process, not about the
// program that it starts: where it stands, and what would make a Claude Code take
// itself for a part of another one.
var private = []string{"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_SSE_PORT", "CLAUDE_PROJECT_DIR", "PWD", "OLDPWD"}

// families are the variables by which a program reaches its own model, credentials
// included: Claude Code also by way of Bedrock, Vertex and Foundry.
var families = map[staff.Kind][]string{
	staff.Claude: {"ANTHROPIC_*", "CLAUDE_*", "MCP_*", "AWS_*", "GOOGLE_*", "AZURE_*"},
}

// Inherited is what a runner's program gets of an environment, and the names of the
// credentials that are held back: those of its own family and those that the
// configuration names go to it, others do not (ADR 21). The office's own settings
// never do.
func Inherited(s staff.Staff, r staff.Runner, own []string) (env, held []string) {
	allowed := append(slices.Clone(r.Env), families[r.Kind]...)
	others := s.SecretVariables()
	for _, pair := range own {
		name, _, _ := strings.Cut(pair, "=")
		switch {
		case matches(staff.OwnVariables, name) || slices.Contains(private, name):
		case !matches(allowed, name) && (hud.SecretName(name) || slices.Contains(others, name)):
			held = append(held, name)
		default:
			env = append(env, pair)
		}
	}
	slices.Sort(held)
	return env, held
}

// matches compares a name with a list of names, or of beginnings that end with *.
func matches(list []string, name string) bool {
	return slices.ContainsFunc(list, func(pattern string) bool {
		beginning, open := strings.CutSuffix(pattern, "*")
		return name == beginning || open && strings.HasPrefix(name, beginning)
	})
}
