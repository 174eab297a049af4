package claude

import (
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/drive"
)

// environment returns the program's environment: the session's environment plus the bridge's
// variables for spawned processes (docs/PROTOCOL.md).
func (d *Driver) environment(spec drive.Spec, id string) []string {
	env := slices.DeleteFunc(slices.Clone(spec.Env), func(pair string) bool {
		return strings.HasPrefix(pair, "SYNTHESIS_OPENCLAW_SESSION=") || strings.HasPrefix(pair, "SYNTHESIS_CLAUDE_SESSION=")
	})
	return append(env, "SYNTHESIS_OPENCLAW_SESSION="+spec.Key, "SYNTHESIS_CLAUDE_SESSION="+id)
}
