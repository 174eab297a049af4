//go:build unix

package git_test

import (
	"encoding/hex"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/bullpen-office/bullpen/repo/git"
)

func (r *rig) exact(need ...string) (string, error) {
	return r.open().ExactTree(r.Context(), need...)
}

func (r *rig) mustExact() string {
	r.Helper()
	tree, err := r.exact()
	r.must(err)
	return tree
}

// The exact tree of a clean checkout is the commit's tree, and every byte of every file counts,
// including untracked files and files that are tracked but ignored.
func TestExactTree(t *testing.T) {
	r := newRig(t)
	r.write("kept.log", "tracked although ignored\n")
	r.git("add", "--force", "kept.log")
	r.git("commit", "--quiet", "-m", "second")
	clean := r.mustExact()
	if want := r.git("rev-parse", "HEAD^{tree}"); clean != want {
		t.Fatalf("%s, want the commit's tree %s", clean, want)
	}
	r.write("ignored.log", "not part of the tree\n")
	if r.mustExact() != clean {
		t.Error("an ignored file changed the tree")
	}
	for name, change := range map[string]func(){
		"edit":       func() { r.write("a.txt", "one\ntwo\nthreE\n") },
		"new file":   func() { r.write("new.txt", "") },
		"deleted":    func() { r.must(os.Remove(r.path("gone.txt"))) },
		"mode":       func() { r.must(os.Chmod(r.path("a.txt"), 0o700)) },
		"ignored":    func() { r.write("kept.log", "changed\n") },
		"crlf":       func() { r.git("config", "core.autocrlf", "true"); r.write("a.txt", "one\r\ntwo\r\nthree\r\n") },
		"assumed":    func() { r.git("update-index", "--assume-unchanged", "a.txt"); r.write("a.txt", "hidden\n") },
		"excluded":   func() { r.write(".git/info/exclude", "conftest.py\n"); r.write("conftest.py", "evil\n") },
		"attributes": func() { r.write(".git/info/attributes", "* ident\n"); r.write("a.txt", "$Id: evil $\n") },
	} {
		t.Run(name, func(t *testing.T) {
			before := r.T
			r.T = t
			defer func() { r.T = before }()
			change()
			if got := r.mustExact(); got == clean {
				t.Errorf("the tree is still %s", got)
			}
			r.git("update-index", "--no-assume-unchanged", "a.txt")
			r.must(os.RemoveAll(r.path(".git/info")))
			_, _ = r.try("config", "--unset", "core.autocrlf")
			r.git("reset", "--quiet", "--hard")
			r.git("clean", "--quiet", "-fd")
			r.must(os.Chmod(r.path("a.txt"), 0o600))
			if got := r.mustExact(); got != clean {
				t.Fatalf("restored to %s", got)
			}
		})
	}
}

// submodule adds a submodule, and returns it.
func (r *rig) submodule() *rig {
	r.Helper()
	other := newRig(r.T)
	r.git("submodule", "--quiet", "add", other.dir, "libs/other")
	r.git("commit", "--quiet", "-m", "submodule")
	return &rig{r.T, r.path("libs/other")}
}

// The exact tree equals a snapshot's tree if the files are the same, regardless of how git stores
// them.
func TestExactTreeOfOddRepositories(t *testing.T) {
	const crlf = "one\r\ntwo\r\n"
	auto := func(r *rig) {
		r.write("dos.txt", crlf)
		r.git("add", "--all")
		r.git("commit", "--quiet", "-m", "CRLF")
		r.write(".gitattributes", "* text=auto\n*.bat eol=crlf\n")
	}
	for name, prepare := range map[string]func(r *rig){
		"CRLF":                        func(r *rig) { r.write("dos.txt", crlf) },
		"CRLF with text=auto":         auto,
		"edited CRLF with text=auto":  func(r *rig) { auto(r); r.write("dos.txt", crlf+"three\r\n") },
		"new CRLF with text=auto":     func(r *rig) { auto(r); r.write("new.txt", crlf) },
		"CRLF to LF with text=auto":   func(r *rig) { auto(r); r.write("dos.txt", "one\ntwo\n") },
		"LF to CRLF with text=auto":   func(r *rig) { auto(r); r.write("a.txt", crlf) },
		"eol=crlf":                    func(r *rig) { auto(r); r.write("run.bat", crlf) },
		"safecrlf":                    func(r *rig) { auto(r); r.git("config", "core.safecrlf", "true"); r.write("new.txt", crlf) },
		"tracked although ignored":    func(r *rig) { r.write("kept.log", "kept\n"); r.git("add", "--force", "kept.log") },
		"submodule":                   func(r *rig) { r.submodule() },
		"submodule with a new commit": func(r *rig) { r.submodule().git("commit", "--quiet", "--allow-empty", "-m", "new") },
		"submodule that is not checked out": func(r *rig) {
			r.submodule()
			r.git("submodule", "--quiet", "deinit", "--all")
		},
		"autocrlf of an agent": func(r *rig) {
			r.must(os.Remove(r.path("a.txt")))
			r.git("-c", "core.autocrlf=true", "checkout", "--quiet", "a.txt")
			if content, err := os.ReadFile(r.path("a.txt")); err != nil || !strings.Contains(string(content), "\r\n") {
				r.Fatalf("%q, %v", content, err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			prepare(r)
			if saved, got := r.snapshot(), r.mustExact(); got != saved.Tree {
				t.Errorf("%s, want %s:\n%s", got, saved.Tree, r.git("diff", "--stat", saved.Tree, got))
			}
		})
	}
}

// A forged index, in which a file's entry points to different content, is not trusted.
func TestExactTreeOfAForgedIndex(t *testing.T) {
	r := newRig(t)
	good := r.mustExact()
	r.write("a.txt", "evil\n")
	r.git("add", "a.txt") // now the index has the file's times and size
	index, err := os.ReadFile(r.path(".git/index"))
	r.must(err)
	evil, honest := r.git("rev-parse", ":a.txt"), r.git("rev-parse", "HEAD:a.txt")
	forged := strings.Replace(string(index), unhex(t, evil), unhex(t, honest), 1)
	if forged == string(index) {
		t.Fatal("the index does not contain the hash")
	}
	r.git("config", "index.skipHash", "true")
	forged = forged[:len(forged)-20] + strings.Repeat("\x00", 20)
	r.must(os.WriteFile(r.path(".git/index"), []byte(forged), 0o600))
	if got, err := r.exact(); err == nil && got == good {
		t.Error("the forged index was believed")
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

// ExactTree fails if the tree would not reflect the exact content of the files.
func TestInexact(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*rig)
		need   string
		want   string
	}{
		"pipe":  {func(r *rig) { r.must(os.Remove(r.path("a.txt"))); r.must(syscall.Mkfifo(r.path("a.txt"), 0o600)) }, "a.txt", "a.txt"},
		"ident": {func(r *rig) { r.write(".gitattributes", "*.txt ident\n") }, "", "attribute ident"},
		"encoding": {func(r *rig) {
			r.write(".gitattributes", "a.txt working-tree-encoding=UTF-16\n")
			r.write("a.txt", "\xff\xfea\x00")
		}, "", "working-tree-encoding"},
		"needed, hidden": {func(r *rig) { r.write("needed.log", "x") }, "needed.log", "needed.log"},
		"needed, absent": {func(*rig) {}, "nothing", "nothing"},
		"sparse": {func(r *rig) {
			r.git("update-index", "--skip-worktree", "gone.txt")
			r.must(os.Remove(r.path("gone.txt")))
		}, "", "gone.txt"},
		"submodule with changes":    {func(r *rig) { r.submodule().write("a.txt", "changed\n") }, "", "libs/other"},
		"submodule with a new file": {func(r *rig) { r.submodule().write("new.txt", "new\n") }, "", "libs/other"},
		"submodule with an edit that git does not see": {func(r *rig) {
			inner := r.submodule()
			inner.git("update-index", "--assume-unchanged", "a.txt")
			inner.write("a.txt", "changed\n")
		}, "", "libs/other"},
		"files where a submodule belongs": {func(r *rig) {
			r.submodule()
			r.git("submodule", "--quiet", "deinit", "--all")
			r.write("libs/other/new.txt", "new\n")
		}, "", "libs/other"},
		"submodule with a submodule with changes": {func(r *rig) {
			inner := r.submodule()
			deep := inner.submodule()
			r.git("add", "--all")
			deep.write("a.txt", "changed\n")
		}, "", "libs/other"},
		"repository inside": {func(r *rig) {
			r.must(os.Mkdir(r.path("inner"), 0o700))
			inner := &rig{r.T, r.path("inner")}
			inner.git("init", "--quiet")
			inner.git("commit", "--quiet", "--allow-empty", "-m", "inner")
		}, "", "inner"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			c.change(r)
			var need []string
			if c.need != "" {
				need = append(need, c.need)
			}
			if tree, err := r.exact(need...); !errors.Is(err, git.ErrInexact) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %v", tree, err)
			}
		})
	}
}

// Files in a directory that cannot be opened are not saved, and the snapshot is reported as
// incomplete.
func TestUnreadableDirectory(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root can open every directory")
	}
	r := newRig(t)
	r.must(os.Chmod(r.path("src"), 0o000))
	defer func() { _ = os.Chmod(r.path("src"), 0o700) }()
	if _, err := r.exact(); !errors.Is(err, git.ErrInexact) {
		t.Errorf("%v", err)
	}
	if s := r.snapshot(); s.Complete() {
		t.Errorf("%+v", s)
	}
}
