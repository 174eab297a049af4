package scene_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/world/scene"
)

var update = flag.Bool("update", false, "rewrite the golden plans")

// The plan in testdata shows which cells are walkable: read its diff when the manifest changes.
func TestPlanGolden(t *testing.T) {
	got := scene.Default().Plan()
	golden := filepath.Join("testdata", "cozy_office_v0.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the plan changed; look at it and run the test with -update (-want +got):\n%s", diff)
	}
}
