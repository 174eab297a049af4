package process

import (
	"strings"

	"github.com/bullpen-office/bullpen/hud"
)

// Environment returns the environment for commands that the office runs itself: own, without the
// variables that hold secrets, redirect git or belong to the office.
func Environment(own []string) (env []string) {
	for _, pair := range own {
		name, _, _ := strings.Cut(pair, "=")
		if !hud.SecretName(name) && name != "SSH_AUTH_SOCK" && !strings.HasPrefix(name, "GIT_") && !strings.HasPrefix(name, "BULLPEN_") && !strings.HasPrefix(name, "SYNTHESIS_") {
			env = append(env, pair)
		}
	}
	return env
}
