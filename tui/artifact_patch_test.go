package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/model"
	"github.com/bullpen-office/bullpen/tui/link"
)

const patch = `diff --git a/src/cart.ts b/src/cart.ts
index 111..222 100644
--- a/src/cart.ts
+++ b/src/cart.ts
@@ -10,3 +10,4 @@
 let sum = 0;
-sum += price;
+sum += price * count;
+sum = round(sum);
 return sum;
diff --git a/old.txt b/new.txt
similarity index 100%
rename from old.txt
rename to new.txt
diff --git a/logo.png b/logo.png
index 1..2 100644
Binary files a/logo.png and b/logo.png differ
diff --git a/go.sum b/go.sum
index 1..2 100644
--- a/go.sum
+++ b/go.sum
@@ -1,1 +1,1 @@
-h1:old
+h1:new
`

// reviewing opens a patch that is in review.
func reviewing(t *testing.T, w, h int, text string) *stage {
	t.Helper()
	s := newStage(t, w, h)
	s.live(true)
	art := contracts.Artifact{ArtifactID: "art_p", ProjectID: "proj_1", Type: "patch", Title: "Round the sum", MIME: "text/x-diff; charset=utf-8", Version: 1, Status: contracts.ArtifactInReview}
	snap := &contracts.Snapshot{Mode: "full", Seq: 1, Artifacts: []contracts.Artifact{art}}
	s.tell(link.Update{Messages: []model.Message{{Type: contracts.TypeSnapshot, ID: "snap_1", TS: s.now.UnixMilli(), Seq: 1, Payload: snap}}})
	s.conn.texts["/v1/artifacts/art_p/content"] = text
	s.run(s.openArtifact("art_p"), 0)
	return s
}

// TestPatch checks that a patch lists its files and shows their lines; generated files are folded.
func TestPatch(t *testing.T) {
	s := reviewing(t, 100, 40, patch)
	s.says("M src/cart.ts  +2 −1", "R new.txt", "M logo.png  binary", "11    - sum += price;", "11 + sum += price * count;", "renamed from old.txt", "generated: show 2 lines", "C Comment on the line")
	if frame := s.shown(); strings.Contains(frame, "h1:new") {
		t.Errorf("a generated file is not folded:\n%s", frame)
	}
	s.keys("z")
	s.says("h1:new")
}

// TestPatchComments checks that comments on lines are shown below them, can be changed and removed,
// and are sent with the instructions for changes.
func TestPatchComments(t *testing.T) {
	s := reviewing(t, 100, 40, patch)
	s.keys("c", `"Why is this gone?"`, "enter")
	s.says("▌ Why is this gone?")
	s.keys("down", "down", "c", `"Round once."`, "enter")
	s.keys("up", "c", `"Not this."`, "enter", "x")
	if frame := s.shown(); strings.Contains(frame, "Not this.") {
		t.Errorf("a removed comment is still shown:\n%s", frame)
	}
	s.keys("down", "c", `" Half a cent is lost."`, "enter", "r")
	s.says("2 line comments will be sent too")
	s.keys(`"Almost there."`, "enter")
	want := []contracts.CommandData{contracts.RequestChanges{
		ArtifactID: "art_p", ExpectedArtifactStatus: contracts.ArtifactInReview,
		Instructions: "Almost there.\n\nsrc/cart.ts:11 (removed): Why is this gone?\nsrc/cart.ts:12: Round once. Half a cent is lost.",
	}}
	if diff := cmp.Diff(want, s.conn.done[len(s.conn.done)-1:]); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

// TestPatchVersions checks that D shows which files changed since the previous version, or an error
// if the office cannot compare the versions.
func TestPatchVersions(t *testing.T) {
	s := newStage(t, 100, 40)
	s.live(true)
	first := contracts.Artifact{ArtifactID: "art_1", ProjectID: "proj_1", Type: "patch", MIME: contracts.MIMEPatch, Version: 1, Base: tree, Status: contracts.ArtifactSuperseded}
	second, third := first, first
	second.ArtifactID, second.Version, second.Parent, second.Base = "art_2", 2, "art_1", otherTree
	third.ArtifactID, third.Version, third.Parent, third.Status = "art_3", 3, "art_2", contracts.ArtifactInReview
	s.rows(contracts.Snapshot{Artifacts: []contracts.Artifact{first, second, third}})
	for _, id := range []string{"art_1", "art_2", "art_3"} {
		s.conn.texts["/v1/artifacts/"+id+"/content"] = patch
	}
	s.conn.texts["/v1/artifacts/art_2/changes?since=art_1"] = strings.Replace(patch, "price * count", "price * number", 1)
	s.run(s.openArtifact("art_2"), 0)
	s.says("price * count", "D what changed")
	s.keys("d")
	s.says("Changes since v1", "M src/cart.ts  +2 −1", "price * number", "generated: show 2 lines", contracts.SayOtherBase)
	s.keys("]")
	s.says("there is nothing at", "D shows the whole patch.")
	s.keys("d")
	s.says("price * count")
}

// TestPatchIsBounded checks that a hostile patch of a megabyte is drawn within the width and without
// control sequences, and that text which is not a patch is shown as text.
func TestPatchIsBounded(t *testing.T) {
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, "diff --git a/f%d b/f%d\n--- a/f%d\n+++ b/f%d\n@@ -1,1 +1,1 @@\n-\x1b[2J%s\n+<b>\u202e%s\n", i, i, i, i, strings.Repeat("x", 120), strings.Repeat("y", 120))
	}
	s := reviewing(t, 80, 24, b.String())
	s.says("M f0")
	s.keys("end", "n", "down", "c")
	if frame := s.View().Content; strings.Contains(frame, "\x1b[2J") || strings.Contains(frame, "\u202e") {
		t.Error("the frame contains a control sequence of the patch")
	}
	s = reviewing(t, 80, 24, "no patch at all")
	s.says("no patch at all")
}
