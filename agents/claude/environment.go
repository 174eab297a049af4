package claude

import (
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/drive"
)

// environment returns the environment of the program: that of the session, and the variables
// of the bridge for spawned processes (docs/PROTOCOL.md).
func (d *Driver) environment(spec drive.Spec, id string) []string {
	env := slices.DeleteFunc(slices.Clone(spec.Env), func(pair string) bool {
		return strings.HasPrefix(pair, "SYNTHESIS_OPENCLAW_SESSION=") || strings.HasPrefix(pair, "SYNTHESIS_CLAUDE_SESSION=")
	})
	return append(env, "SYNTHESIS_OPENCLAW_SESSION="+spec.Key, "SYNTHESIS_CLAUDE_SESSION="+id)
}
