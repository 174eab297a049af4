package packaging_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var placeholder = regexp.MustCompile(`\{\{[^}]*\}\}`)

// The formula installs only files that the archives contain, and is valid Ruby.
func TestFormula(t *testing.T) {
	formula := read(t, "packaging/homebrew/bullpen.rb.tmpl")
	for _, want := range []string{`bin.install "bullpen"`, `"completions/bullpen.bash"`, `"completions/bullpen.zsh"`, `"completions/bullpen.fish"`, `Dir["man/*.1"]`} {
		if !strings.Contains(formula, want) {
			t.Errorf("the formula does not install %s", want)
		}
	}
	if n := strings.Count(formula, "{{ sha256 "); n != 4 {
		t.Errorf("the formula has %d hashes for 4 archives", n)
	}
	if opens, ends := len(regexp.MustCompile(`(?m)(\bdo$|^\s*(class|def) )`).FindAllString(formula, -1)), strings.Count(formula, "end\n"); opens != ends {
		t.Errorf("%d blocks are opened and %d ended", opens, ends)
	}
	ruby := need(t, "ruby")
	path := filepath.Join(t.TempDir(), "bullpen.rb")
	must(t, os.WriteFile(path, []byte(placeholder.ReplaceAllString(formula, "x")), 0o644))
	succeed(t, exec.Command(ruby, "-c", path))
}
