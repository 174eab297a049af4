package packaging_test

import (
	"encoding/json"
	"os/exec"
	"testing"
)

func TestShimPassesEverythingOn(t *testing.T) {
	c := exec.Command(need(t, "node"), "--test", "test/")
	c.Dir = "npm"
	succeed(t, c)
}

// npm chooses among the packages that packaging/release makes.
func TestShimNamesEveryTarget(t *testing.T) {
	var shim struct {
		Version  string
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
