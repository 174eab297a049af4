package worktree_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/repo/worktree"
)

// A patch has every changed file, with renames, binaries and generated files named as such.
func TestPatch(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.write("old name.txt", "one\ntwo\nthree\nfour\nfive\n")
	r.write(".gitattributes", "api.txt linguist-generated\ndist/keep.txt -linguist-generated\n")
	r.commit("more")
	work, w := r.add()
	work.git("mv", "old name.txt", "neu \u00fc.txt")
	work.write("neu \u00fc.txt", "one\ntwo\nthree\nfour\nsix\n")
	work.write("a.txt", "one\n2\nthree\n")
	work.write("image.bin", "\x00\x01")
	work.write("go.sum", "sum\n")
	work.write("dist/out.js", "out\n")
	work.write("dist/keep.txt", "kept\n")
	work.write("api.txt", "generated\n")
	work.write("latin.txt", "gr\xfc\xdfe\n")
	work.must(os.Remove(work.path("src/main.go")))
	p, err := w.Patch(t.Context(), w.Base, r.deliver(w))
	r.must(err)
	want := []worktree.File{
		{Path: "a.txt", Status: "M", Added: 1, Deleted: 1},
		{Path: "api.txt", Status: "A", Added: 1, Generated: true},
		{Path: "dist/keep.txt", Status: "A", Added: 1},
		{Path: "dist/out.js", Status: "A", Added: 1, Generated: true},
		{Path: "go.sum", Status: "A", Added: 1, Generated: true},
		{Path: "image.bin", Status: "A", Binary: true},
		{Path: "latin.txt", Status: "A", Added: 1},
		{Path: "neu \u00fc.txt", Old: "old name.txt", Status: "R", Added: 1, Deleted: 1},
		{Path: "src/main.go", Status: "D", Deleted: 1},
	}
	if d := cmp.Diff(want, p.Files); d != "" {
		t.Error(d)
	}
	if p.Total != len(want) || p.Added != 7 || p.Deleted != 3 {
		t.Errorf("%d files, +%d -%d", p.Total, p.Added, p.Deleted)
	}
	for _, want := range []string{"rename to neu \u00fc.txt\n", "Binary files /dev/null and b/image.bin differ\n", "-two\n+2\n", "+gr\uFFFDe\n", "deleted file mode"} {
		if !strings.Contains(string(p.Content), want) {
			t.Errorf("%q is not in the patch:\n%s", want, p.Content)
		}
	}
	if !utf8.Valid(p.Content) {
		t.Error("not UTF-8")
	}
	same, err := w.Patch(t.Context(), w.Base, w.Base)
	if err != nil || len(same.Content) != 0 || same.Total != 0 {
		t.Errorf("%+v, %v", same, err)
	}
}

// An agent's own attributes do not hide its changes.
func TestPatchAttributes(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	work, w := r.add()
	work.write(".gitattributes", "* -diff linguist-generated\n")
	work.write("a.txt", "one\n2\nthree\n")
	p, err := w.Patch(t.Context(), w.Base, r.deliver(w))
	r.must(err)
	if want := (worktree.File{Path: "a.txt", Status: "M", Added: 1, Deleted: 1}); len(p.Files) != 2 || p.Files[1] != want || !strings.Contains(string(p.Content), "-two\n+2\n") {
		t.Errorf("%+v\n%s", p.Files, p.Content)
	}
}

// A patch that is too large leaves out the content of whole files, generated ones first, but names them.
func TestPatchTooLarge(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	work, w := r.add()
	half := strings.Repeat("a line\n", contracts.LimitArtifactBytes/2/7)
	for _, name := range []string{"dist/first.js", "main.go", "other.go"} {
		work.write(name, half)
	}
	work.write("z.txt", "small\n")
	p, err := w.Patch(t.Context(), w.Base, r.deliver(w))
	r.must(err)
	var omitted []string
	for _, f := range p.Files {
		if f.Omitted {
			omitted = append(omitted, f.Path)
		}
	}
	if d := cmp.Diff([]string{"dist/first.js", "other.go"}, omitted); d != "" {
		t.Error(d)
	}
	for _, name := range omitted {
		if !strings.Contains(string(p.Content), "+++ b/"+name+"\n@@ -1 +1 @@\n [not shown") {
			t.Errorf("%s is not named in the patch", name)
		}
	}
	if len(p.Content) > contracts.LimitArtifactBytes || !strings.HasSuffix(string(p.Content), "+small\n") || p.Total != 4 {
		t.Errorf("%d bytes, %d files", len(p.Content), p.Total)
	}
}

// Tasks that change the same file collide while they work.
func TestCollisions(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	changed := map[string][]string{}
	for i, files := range [][]string{{"a.txt", "new.txt"}, {"b.txt"}, {"new.txt", "src/main.go", "a.txt"}} {
		own := worktree.Task{ID: fmt.Sprintf("task_%d", i), Branch: fmt.Sprintf("bullpen/shop-%d", i)}
		w, err := r.store.Add(t.Context(), r.dir, own)
		r.must(err)
		for _, name := range files {
			(tree{t, w.Dir}).write(name, own.ID)
		}
		before := r.git("count-objects")
		var seen string
		seen, changed[own.ID], err = w.Look(t.Context())
		r.must(err)
		if after := r.git("count-objects"); after != before {
			t.Errorf("looking at a worktree wrote to the repository: %s, before %s", after, before)
		}
		if delivered := r.deliver(w); seen != delivered {
			t.Errorf("saw %s, delivered %s", seen, delivered)
		}
	}
	want := []worktree.Collision{{Tasks: []string{"task_0", "task_2"}, Paths: []string{"a.txt", "new.txt"}}}
	if d := cmp.Diff(want, worktree.Collisions(changed)); d != "" {
		t.Error(d)
	}
}
