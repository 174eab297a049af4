package packaging_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func workflows(t *testing.T) []string {
	t.Helper()
	list, _ := filepath.Glob("../.github/workflows/*.yml")
	if len(list) == 0 {
		t.Fatal("no workflow")
	}
	return list
}

// Workflows call targets of the Makefile, so that everyone can run the same steps.
func TestWorkflowsCallTargetsThatExist(t *testing.T) {
	makefile := read(t, "Makefile")
	for _, path := range workflows(t) {
		content := read(t, strings.TrimPrefix(filepath.ToSlash(path), "../"))
		var parsed struct{ Permissions map[string]string }
		readYAML(t, content, &parsed)
		if parsed.Permissions["contents"] != "read" {
			t.Errorf("%s has more than read permission by default: %v", path, parsed.Permissions)
		}
		for _, m := range regexp.MustCompile(`run: make ([a-z-]+)`).FindAllStringSubmatch(content, -1) {
			if !regexp.MustCompile(`(?m)^` + m[1] + `:`).MatchString(makefile) {
				t.Errorf("%s runs `make %s`, which does not exist", path, m[1])
			}
		}
	}
}

func TestWorkflowsPassActionlint(t *testing.T) {
	succeed(t, exec.Command(tool(t, "ACTIONLINT"), workflows(t)...))
}
