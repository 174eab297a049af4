package packaging_test

import (
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

func TestShimPassesEverythingOn(t *testing.T) {
	c := exec.Command(need(t, "node"), "--test", "test/")
	c.Dir = "npm"
	succeed(t, c)
}

// The npm shim names every platform package that packaging/release builds.
func TestShimNamesEveryTarget(t *testing.T) {
	var shim struct {
		Version  string            `json:"version"`
		Optional map[string]string `json:"optionalDependencies"`
	}
	must(t, json.Unmarshal([]byte(read(t, "packaging/npm/package.json")), &shim))
	for _, system := range []string{"linux", "darwin", "win32"} {
		for _, cpu := range []string{"x64", "arm64"} {
			if name := "@bullpen-office/bullpen-" + system + "-" + cpu; shim.Optional[name] != shim.Version {
				t.Errorf("%s is %q, the shim is %q", name, shim.Optional[name], shim.Version)
			}
		}
	}
	if len(shim.Optional) != 6 {
		t.Errorf("the shim names %d packages, a release has 6", len(shim.Optional))
	}
}

// npm installs the shim with the one package for this machine, offline, and the installed command
// runs the program.
func TestReleaseInstallsWithNpm(t *testing.T) {
	npm, dir := need(t, "npm"), t.TempDir()
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	args := []string{"install", "--global", "--prefix", dir, "--offline", "--no-audit", "--no-fund", "--cache", filepath.Join(dir, "cache")}
	for _, name := range []string{"bullpen", "bullpen-" + runtime.GOOS + "-" + arch} {
		args = append(args, filepath.Join(release(t), "npm", "bullpen-office-"+name+"-"+checkVersion+".tgz"))
	}
	succeed(t, exec.Command(npm, args...))
	if out := succeed(t, exec.Command(filepath.Join(dir, "bin", "bullpen"), "version")); !strings.HasPrefix(out, "bullpen "+checkVersion+" ") {
		t.Errorf("the installed command says %s", out)
	}
}
