//go:build unix

package git_test

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestMain reduces the number of random histories, because each one runs git a few hundred times.
func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "rapid.checks" })
	if !given {
		_ = flag.Set("rapid.checks", "12")
	}
	os.Exit(m.Run())
}

// Some of these paths are parent directories of others, so files and directories replace each other.
var paths = rapid.SampledFrom([]string{"a.txt", "src", "src/main.go", "src/main.go/deep", "b", "b/c", "b/c/d", "crlf.txt", "-rf", "line\nbreak", "\xff\"\\", "ignored.log", "gone.txt"})

// steps are the actions of a person who edits files and uses git. Actions that run git may fail.
var steps = map[string]func(*rig, *rapid.T){
	"write": func(r *rig, rt *rapid.T) {
		name := paths.Draw(rt, "path")
		r.makeWay(name)
		r.write(name, rapid.SampledFrom([]string{"", "1\n", "2\n", "1\r\n", "1\r\n2\n", "\x00\r\n", strings.Repeat("long\n", 2000)}).Draw(rt, "content"))
	},
	"link": func(r *rig, rt *rapid.T) {
		name := paths.Draw(rt, "path")
		r.makeWay(name)
		r.must(os.Symlink(rapid.SampledFrom([]string{"src", "nowhere", ".."}).Draw(rt, "target"), r.path(name)))
	},
	"remove": func(r *rig, rt *rapid.T) { r.makeWay(paths.Draw(rt, "path")) },
	"rename": func(r *rig, rt *rapid.T) {
		from, to := paths.Draw(rt, "from"), paths.Draw(rt, "to")
		if _, err := os.Lstat(r.path(from)); err == nil && !strings.HasPrefix(from, to) && !strings.HasPrefix(to, from) {
			r.makeWay(to)
			r.must(os.Rename(r.path(from), r.path(to)))
		}
	},
	"mode": func(r *rig, rt *rapid.T) {
		name := r.path(paths.Draw(rt, "path"))
		if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() {
			r.must(os.Chmod(name, rapid.SampledFrom([]os.FileMode{0o600, 0o700}).Draw(rt, "mode")))
		}
	},
	"empty directory": func(r *rig, rt *rapid.T) {
		name := paths.Draw(rt, "path")
		r.makeWay(name)
		r.must(os.Mkdir(r.path(name), 0o700))
	},
	"add":         func(r *rig, rt *rapid.T) { _, _ = r.try("add", "--all", "--", paths.Draw(rt, "path")) },
	"add ignored": func(r *rig, rt *rapid.T) { _, _ = r.try("add", "--force", "--", paths.Draw(rt, "path")) },
	"add all":     func(r *rig, _ *rapid.T) { _, _ = r.try("add", "--all") },
	"untrack":     func(r *rig, rt *rapid.T) { _, _ = r.try("rm", "-r", "--cached", "--", paths.Draw(rt, "path")) },
	"unstage":     func(r *rig, rt *rapid.T) { _, _ = r.try("reset", "--quiet", "--", paths.Draw(rt, "path")) },
	"commit":      func(r *rig, _ *rapid.T) { _, _ = r.try("commit", "--quiet", "-m", "next") },
	"uncommit":    func(r *rig, _ *rapid.T) { _, _ = r.try("reset", "--soft", "HEAD~") },
	"stash":       func(r *rig, _ *rapid.T) { _, _ = r.try("stash", "push", "--quiet") },
	"index format": func(r *rig, rt *rapid.T) {
		r.git("update-index", "--index-version", rapid.SampledFrom([]string{"2", "4"}).Draw(rt, "version"))
	},
}

// oddSteps set flags in the index.
var oddSteps = map[string]func(*rig, *rapid.T){
	"intent": func(r *rig, rt *rapid.T) { _, _ = r.try("add", "--intent-to-add", "--", paths.Draw(rt, "path")) },
	"assume": func(r *rig, rt *rapid.T) {
		_, _ = r.try("update-index", "--assume-unchanged", "--", paths.Draw(rt, "path"))
	},
	"skip": func(r *rig, rt *rapid.T) {
		_, _ = r.try("update-index", "--skip-worktree", "--", paths.Draw(rt, "path"))
	},
}

func (r *rig) isDir(name string) bool {
	info, err := os.Lstat(r.path(name))
	return err == nil && info.IsDir()
}

// makeWay removes everything that prevents a file from being created at a path.
func (r *rig) makeWay(name string) {
	r.Helper()
	for i, c := range name {
		if c == '/' && !r.isDir(name[:i]) {
			r.must(os.RemoveAll(r.path(name[:i])))
		}
	}
	r.must(os.RemoveAll(r.path(name)))
	r.must(os.MkdirAll(filepath.Dir(r.path(name)), 0o700))
}

// listing describes a tree.
func (r *rig) listing(tree string) string {
	r.Helper()
	return tree + "\n" + r.git("ls-tree", "-r", tree)
}

// added describes the tree that git add creates from all files, with a copy of the index in which no
// flag hides changes. git runs in the repository itself, not in a copy, because it relies on the
// timestamps of unchanged files; new objects go to another directory.
func (r *rig) added() string {
	r.Helper()
	dir := r.TempDir()
	index := filepath.Join(dir, "index")
	if out, err := exec.Command("cp", "-a", r.path(".git/index"), index).CombinedOutput(); err != nil {
		r.Fatalf("%v: %s", err, out)
	}
	git := func(args ...string) string {
		r.Helper()
		out, err := r.tryWith([]string{"GIT_INDEX_FILE=" + index, "GIT_OBJECT_DIRECTORY=" + dir, "GIT_ALTERNATE_OBJECT_DIRECTORIES=" + r.path(".git/objects")}, args...)
		if err != nil {
			r.Fatalf("git %v: %v: %s", args, err, out)
		}
		return out
	}
	for row := range strings.SplitSeq(git("ls-files", "-v", "-z"), "\x00") {
		flag, name, _ := strings.Cut(row, " ")
		if strings.ToUpper(flag) != flag {
			git("update-index", "--no-assume-unchanged", "--", name)
		}
		if _, err := os.Lstat(r.path(name)); err == nil && strings.ToUpper(flag) == "S" {
			git("update-index", "--no-skip-worktree", "--", name)
		}
	}
	git("-c", "core.autocrlf=false", "-c", "core.fileMode=true", "add", "--all", "--sparse")
	tree := git("write-tree")
	return tree + "\n" + git("ls-tree", "-r", tree)
}

// After any history, Tree returns the tree that git add would create, and a restored snapshot has the
// same files and the same status. Nothing else changes in the repository.
func TestTreeIsWhatGitAddMakes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := newRig(t)
		converts := rapid.Bool().Draw(rt, "converts line endings") // restored files may then have other line endings
		if converts {
			r.write(".gitattributes", rapid.SampledFrom([]string{"* text=auto\n", "*.txt text\n", "*.txt eol=crlf\n"}).Draw(rt, "attributes"))
			_, _ = r.try("add", "--all")
		}
		actions := map[string]func(*rapid.T){}
		for name, step := range steps {
			actions[name] = func(rt *rapid.T) { step(r, rt) }
		}
		if rapid.IntRange(0, 3).Draw(rt, "flags in the index") == 0 {
			for name, step := range oddSteps {
				actions[name] = func(rt *rapid.T) { step(r, rt) }
			}
		}
		for range rapid.IntRange(1, 3).Draw(rt, "rounds") {
			rt.Repeat(actions)
			before, refs := r.own(), r.git("for-each-ref")
			tree, err := r.open().Tree(t.Context())
			if err != nil || len(tree.Skipped)+len(tree.Nested) > 0 {
				rt.Fatalf("%+v, %v", tree, err)
			}
			if d := cmp.Diff(r.added(), r.listing(tree.Hash)); d != "" {
				rt.Fatalf("tree:\n%s", d)
			}
			if r.own() != before || r.git("for-each-ref") != refs {
				rt.Fatal("the index or a ref changed")
			}
			restored := r.restore(r.snapshot())
			index := r.git("ls-files", "--stage", "-v", "-z")
			if d := cmp.Diff(index, restored.git("ls-files", "--stage", "-v", "-z")); d != "" {
				rt.Errorf("index:\n%s", d)
			}
			skips := strings.Contains(strings.ToUpper("\x00"+index), "\x00S ") // a deleted file counts as left out by a sparse checkout
			if d := cmp.Diff(r.files()+r.state(), restored.files()+restored.state()); d != "" && !converts && !skips {
				rt.Errorf("files and state:\n%s", d)
			}
			r.git("worktree", "remove", "--force", restored.dir)
		}
	})
}

// Settings and files that change the behaviour of git add or the output of git status do not change
// the tree.
func TestTreeOfUnusualRepositories(t *testing.T) {
	for name, change := range map[string]func(*rig){
		"case of a directory": func(r *rig) { r.git("config", "core.ignoreCase", "true"); r.write("SRC/new.go", "package main\n") },
		"case of a file": func(r *rig) {
			r.git("config", "core.ignoreCase", "true")
			r.must(os.Rename(r.path("a.txt"), r.path("A.txt")))
		},
		"files that differ in case": func(r *rig) {
			r.write("A.TXT", "1\n")
			r.git("add", "--all")
			r.git("commit", "--quiet", "-m", "both")
			r.git("config", "core.ignoreCase", "true")
			r.must(os.Remove(r.path("a.txt")))
		},
		"modes": func(r *rig) { r.git("config", "core.fileMode", "false"); r.must(os.Chmod(r.path("a.txt"), 0o700)) },
		"CRLF in the index": func(r *rig) {
			r.write("a.txt", "1\r\n")
			r.git("commit", "--quiet", "-am", "CRLF")
			r.write(".gitattributes", "* text=auto\n")
			r.git("add", ".gitattributes")
			r.write("a.txt", "1\r\n2\r\n")
			r.write("new.txt", "1\r\n")
		},
		"deleted attributes": func(r *rig) {
			r.write(".gitattributes", "*.txt eol=lf\n")
			r.write("!first.txt", "1\n")
			r.git("add", "--all")
			r.git("commit", "--quiet", "-m", "attributes")
			r.must(os.Remove(r.path(".gitattributes")))
			r.write("!first.txt", "2\r\n")
			r.write("a.txt", "2\r\n")
		},
		"settings of git status": func(r *rig) {
			for _, s := range []string{"status.showUntrackedFiles=no", "status.relativePaths=true", "status.renames=copies", "color.ui=always", "column.ui=always", "core.splitIndex=true", "index.version=4"} {
				key, value, _ := strings.Cut(s, "=")
				r.git("config", key, value)
			}
			r.git("mv", "a.txt", "src/a.txt")
			r.write("new.txt", "new\n")
		},
		"hidden edit": func(r *rig) {
			r.write("b", "x")
			r.git("add", "b")
			r.write("b", "y")
			r.git("update-index", "--skip-worktree", "b")
		},
		"link in place of .gitmodules": func(r *rig) {
			r.write(".gitmodules", "[submodule]\n")
			r.git("add", "--all")
			r.git("commit", "--quiet", "-m", "submodules")
			r.must(os.Remove(r.path(".gitmodules")))
			r.must(os.Symlink("a.txt", r.path(".gitmodules")))
		},
		"nothing is left": func(r *rig) { r.git("rm", "--quiet", "-r", ".") },
	} {
		t.Run(name, func(t *testing.T) {
			for _, format := range []string{"sha1", "sha256"} {
				r := newRig(t, "--object-format="+format)
				change(r)
				tree, err := r.open().Tree(t.Context())
				r.must(err)
				if d := cmp.Diff(r.added(), r.listing(tree.Hash)); d != "" {
					t.Error(d)
				}
			}
		})
	}
}

// git add takes twice as long as git status in a large working tree, so it is used only if necessary.
func TestTreeWithoutGitAdd(t *testing.T) {
	r := newRig(t)
	r.write("a.txt", "staged\n")
	r.write("src/new.go", "package main\n")
	r.git("add", "--all")
	r.write("a.txt", "edited\n")
	r.write("untracked", "new\n")
	r.must(os.Remove(r.path("gone.txt")))
	program, err := exec.LookPath("git")
	r.must(err)
	bin, log := t.TempDir(), filepath.Join(t.TempDir(), "log")
	r.must(os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\necho \"$*\" >>'"+log+"'\nexec '"+program+"' \"$@\"\n"), 0o700))
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	_, err = r.open().Tree(t.Context())
	r.must(err)
	r.snapshot()
	calls, err := os.ReadFile(log)
	r.must(err)
	if !strings.Contains(string(calls), " status ") || strings.Contains(string(calls), " add ") || strings.Contains(string(calls), " write-tree") {
		t.Errorf("git was called with:\n%s", calls)
	}
}
