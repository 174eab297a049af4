package process

import (
	"strings"
	"testing"
)

// Commands that the office runs receive no secrets and no variables that redirect git.
func TestEnvironment(t *testing.T) {
	env := Environment([]string{"PATH=/bin", "HOME=/home/a", "OPENAI_API_KEY=x", "GITHUB_TOKEN=x", "BULLPEN_TOKEN=x", "GIT_DIR=/x", "SSH_AUTH_SOCK=/x", "LANG=C"})
	if got := strings.Join(env, " "); got != "PATH=/bin HOME=/home/a LANG=C" {
		t.Error(got)
	}
}
