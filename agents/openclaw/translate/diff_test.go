package translate

import (
	"testing"

	"github.com/bullpen-office/bullpen/hud"
)

func TestGatewayDiff(t *testing.T) {
	diff := "  8 before\n- 9 old\n+ 9 new\n+10 more\n 10 after\n    ...\n 40 x\n-41\n+42 y"
	want := "@@ -8,3 +8,4 @@\n before\n-old\n+new\n+more\n after\n@@ -40,2 +41,2 @@\n x\n-\n+y\n"
	if got := hud.Unified(hunksOf(diff)); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := editArea(details{Diff: diff, FirstChangedLine: 9}); got != (hud.FileArea{StartLine: 9, EndLine: 42}) {
		t.Errorf("the area is %v", got)
	}
}
