//go:build unix

package e2e_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// installed installs an agent with e2e/agents/install (the newest version if BULLPEN_TEST_NEWEST is
// set) and returns the path of a file in its node_modules.
func installed(agent string, file ...string) (string, error) {
	if out, err := exec.Command("agents/install", agent).CombinedOutput(); err != nil { // the script has its own timeout
		return "", fmt.Errorf("%w: %s", err, out)
	}
	cache := "../.cache/agents"
	if os.Getenv("BULLPEN_TEST_NEWEST") != "" {
		cache += "-newest"
	}
	path, err := filepath.Abs(filepath.Join(append([]string{cache, agent, "node_modules"}, file...)...))
	if err != nil {
		return "", err
	}
	_, err = os.Stat(path)
	return path, err
}
