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

// A patch contains every changed file, including renamed and binary files.
func TestPatch(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.write("old name.txt", "one\ntwo\nthree\nfour\nfive\n")
	r.commit("more")
	work, w := r.add()
	work.git("mv", "old name.txt", "neu \u00fc.txt")
	work.write("neu \u00fc.txt", "one\ntwo\nthree\nfour\nsix\n")
	work.write("a.txt", "one\n2\nthree\n")
	work.write("image.bin", "\x00\x01")
	work.write("latin.txt", "gr\xfc\xdfe\n")
	work.must(os.Remove(work.path("src/main.go")))
	p, err := w.Patch(t.Context(), w.Base, r.deliver(w))
	r.must(err)
	if d := cmp.Diff([]string{"a.txt", "image.bin", "latin.txt", "neu \u00fc.txt", "src/main.go"}, changedFiles(p)); d != "" {
		t.Error(d)
	}
	if p.Files != 5 || p.Added != 3 || p.Deleted != 3 {
		t.Errorf("%d files, +%d -%d", p.Files, p.Added, p.Deleted)
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
	if err != nil || len(same.Content) != 0 || same.Files != 0 {
		t.Errorf("%+v, %v", same, err)
	}
}

// A patch that is too large leaves out the content of whole files, generated ones first, but names
// them. Attributes define which files are generated; an agent's own attributes do not hide its
// changes.
func TestPatchTooLarge(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.write(".gitattributes", "api.txt linguist-generated\ndist/keep.txt -linguist-generated\n")
	r.commit("more")
	work, w := r.add()
	work.write(".gitattributes", "* -diff linguist-generated\ndist/first.js -linguist-generated\n")
	third := strings.Repeat("a line\n", contracts.LimitArtifactBytes/3/8) // each line starts with a + in the patch
	for _, name := range []string{"api.txt", "dist/first.js", "dist/keep.txt", "go.sum", "main.go", "other.go"} {
		work.write(name, third)
	}
	work.write("z.txt", "small\n")
	p, err := w.Patch(t.Context(), w.Base, r.deliver(w))
	r.must(err)
	var omitted []string
	for _, name := range changedFiles(p) {
		if strings.Contains(string(p.Content), "+++ b/"+name+"\n@@ -1 +1 @@\n [not shown") {
			omitted = append(omitted, name)
		}
	}
	if d := cmp.Diff([]string{"api.txt", "dist/first.js", "go.sum", "other.go"}, omitted); d != "" {
		t.Error(d)
	}
	if len(p.Content) > contracts.LimitArtifactBytes || !strings.HasSuffix(string(p.Content), "+small\n") || p.Files != 8 {
		t.Errorf("%d bytes, %d files", len(p.Content), p.Files)
	}
}

// Tasks that change the same file are reported as colliding even before they are delivered.
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
		seen, changed[own.ID], err = w.Changes(t.Context())
		r.must(err)
		if after := r.git("count-objects"); after != before {
			t.Errorf("reading a worktree's changes wrote to the repository: %s, before %s", after, before)
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
