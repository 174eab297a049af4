package guests_test

import (
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/agents/claude/guests"
)

// Claude Code is recognized however it was installed. Other programs are not, even if a directory in
// their path is named after it.
func TestIsProgram(t *testing.T) {
	for program, want := range map[string]bool{
		"/home/ada/.local/share/claude/versions/2.1.325":                        true,
		"/x/node_modules/@anthropic-ai/claude-code/bin/claude.exe":              true,
		"/usr/bin/node /home/ada/.claude/local/node_modules/.bin/claude":        true,
		"/usr/bin/node --no-warnings /x/@anthropic-ai/claude-code/cli.js -p hi": true,
		"/usr/bin/node /home/ada/claude-notes/server.js":                        false,
		"/usr/bin/node /home/ada/.claude/plugins/server.js":                     false,
		"/usr/bin/node /x/node_modules/@anthropic-ai/claude-code-acp/index.js":  false,
		"/home/ada/claude/versions/bin/server":                                  false,
		"/usr/bin/vim claude":                                                   false,
	} {
		args := strings.Fields(program)
		if got := guests.Vendor.IsProgram(args[0], args); got != want {
			t.Errorf("%s: %v", program, got)
		}
	}
}
