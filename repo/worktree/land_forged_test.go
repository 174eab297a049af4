package worktree_test

import (
	"bytes"
	"compress/zlib"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/bullpen-office/bullpen/repo/git"
	"github.com/bullpen-office/bullpen/repo/worktree"
)

// plant replaces the stored content of an object without changing its hash, as any program with
// write access to the repository can.
func (r *rig) plant(id, kind, content string) {
	r.Helper()
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, err := fmt.Fprintf(z, "%s %d\x00%s", kind, len(content), content)
	r.must(err)
	r.must(z.Close())
	file := r.path(filepath.Join(".git", "objects", id[:2], id[2:]))
	r.must(os.MkdirAll(filepath.Dir(file), 0o700))
	if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
		r.Fatal(err)
	}
	r.must(os.WriteFile(file, packed.Bytes(), 0o400))
}

// Objects whose content does not match their hash are refused, so that only checked content lands.
func TestLandForgedObjects(t *testing.T) {
	t.Parallel()
	for name, plant := range map[string]func(r *rig, work tree, head string){
		"file": func(r *rig, work tree, head string) {
			r.plant(work.git("rev-parse", head+":src/new.go"), "blob", "package evil\n")
		},
		"directory": func(r *rig, work tree, head string) {
			evil := work.git("rev-parse", head+":a.txt")
			r.plant(work.git("rev-parse", head+":src"), "tree", "100644 new.go\x00"+unhex(r.T, evil))
		},
		"top directory": func(r *rig, work tree, head string) {
			r.plant(work.git("rev-parse", head+"^{tree}"), "tree", "100644 a.txt\x00"+unhex(r.T, work.git("rev-parse", head+":a.txt")))
		},
		"not an object": func(r *rig, work tree, head string) {
			id := work.git("rev-parse", head+":src/new.go")
			r.plant(id, "blob", "")
			r.must(os.Truncate(r.path(filepath.Join(".git", "objects", id[:2], id[2:])), 3))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			work, w := r.add()
			work.write("src/new.go", "package good\n")
			head := work.commit("agent")
			delivered := r.deliver(w)
			plant(r, work, head)
			for _, dry := range []bool{true, false} {
				if _, err := w.Land(t.Context(), worktree.Landing{Tree: delivered, How: worktree.Rebase, DryRun: dry}); !errors.Is(err, git.ErrForged) || r.git("rev-parse", "main") != w.Base {
					t.Errorf("dry run %v: %v", dry, err)
				}
			}
		})
	}
}

func unhex(t *testing.T, s string) string {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
