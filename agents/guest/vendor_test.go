package guest_test

import (
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/agents/guest"
)

// A program is recognized by its own name or directory, not by another name that contains its name.
func TestProgram(t *testing.T) {
	is := guest.Program("gemini", "@google/gemini-cli")
	for program, want := range map[string]bool{
		"/opt/bin/gemini":                                   true,
		"/opt/bin/Gemini.exe":                               true,
		"/opt/gemini/bin/server":                            false,
		"/opt/bin/gemini-demo":                              false,
		"/usr/bin/vim gemini":                               false,
		"/usr/bin/node":                                     false,
		"/usr/bin/node server.js":                           false,
		"/usr/bin/node --no-warnings /usr/local/bin/gemini": true,
		"/usr/bin/node /src/bundle/gemini.js --acp":         true,
		"/usr/bin/node /x/node_modules/@google/gemini-cli/dist/index.js":      true,
		"/usr/bin/node /src/gemini-demo/server.js":                            false,
		"/usr/bin/node /src/gemini/server.js":                                 false,
		"/usr/bin/node /x/node_modules/@google/gemini-cli-demo/dist/index.js": false,
		"/usr/bin/node /x/server.js gemini":                                   false,
	} {
		args := strings.Fields(program)
		if got := is(args[0], args); got != want {
			t.Errorf("%s: %v", program, got)
		}
	}
}
