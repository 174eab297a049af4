package packaging_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// The web client is compiled into the program, so the licenses of its packages are included.
func TestLicensesOfTheClientsPackages(t *testing.T) {
	var lock struct {
		Packages map[string]struct {
			Dev      bool `json:"dev"`
			Optional bool `json:"optional"`
		} `json:"packages"`
	}
	must(t, json.Unmarshal([]byte(read(t, "web/package-lock.json")), &lock))
	want := map[string]bool{"go.txt": true, "gitleaks.txt": true} // the standard library, and the rules in hud/leak
	for path, p := range lock.Packages {
		name := strings.TrimPrefix(path, "node_modules/")
		if name == "" || p.Dev || p.Optional {
			continue
		}
		file := strings.ReplaceAll(name, "/", "+") + ".txt"
		want[file] = true
		ours, err := os.ReadFile(filepath.Join("licenses", file))
		if err != nil {
			t.Errorf("the client contains %s: cp web/%s/LICENSE packaging/licenses/%s", name, path, file)
			continue
		}
		theirs, err := os.ReadFile(filepath.Join(root, "web", path, "LICENSE"))
		if err == nil && string(theirs) != string(ours) {
			t.Errorf("the license of %s changed: cp web/%s/LICENSE packaging/licenses/%s", name, path, file)
		}
	}
	files, err := os.ReadDir("licenses")
	must(t, err)
	for _, f := range files {
		if !want[f.Name()] {
			t.Errorf("packaging/licenses/%s is not needed any more: delete it", f.Name())
		}
	}
}
