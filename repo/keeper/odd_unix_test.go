//go:build unix

package keeper_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

// addSubmodule adds a repository with one file to the shop, as a submodule.
func (r *rig) addSubmodule() {
	r.Helper()
	lib := filepath.Join(filepath.Dir(r.shop), "lib")
	r.git("init", "--quiet", lib)
	r.put(lib, "lib.txt", "lib\n")
	r.git("-C", lib, "add", "lib.txt")
	r.git("-C", lib, "commit", "--quiet", "-m", "lib")
	r.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib, "lib")
	r.commit("submodule")
}

// check runs the shop's check on the worktree's files.
func (r *rig) check() (contracts.CheckResult, error) {
	w := *r.task().Worktree
	return r.keeper.Check(r.Context(), w, w.Checks[0], io.Discard)
}

// A passed check gives the delivered files the verdict proven, however the repository stores them.
func TestProvenInOddRepositories(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prepare func(r *rig)
		setup   func(r *rig, dir string)
	}{
		"files with CRLF and text=auto": {func(r *rig) {
			r.put(r.shop, "dos.txt", "one\r\ntwo\r\n")
			r.commit("CRLF")
			r.put(r.shop, ".gitattributes", "* text=auto\n")
			r.commit("attributes")
		}, func(r *rig, dir string) { r.put(dir, "new.txt", "new\r\n") }},
		"autocrlf": {func(r *rig) { r.git("config", "core.autocrlf", "true") }, func(r *rig, dir string) {
			r.must(os.Remove(filepath.Join(dir, ".bullpen.yaml")))
			r.git("-C", dir, "checkout", "--quiet", ".bullpen.yaml")
		}},
		"submodule that is not checked out": {(*rig).addSubmodule, func(*rig, string) {}},
		"submodule": {(*rig).addSubmodule, func(r *rig, dir string) {
			r.git("-C", dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			c.prepare(r)
			dir := r.prepare()
			c.setup(r, dir)
			r.put(dir, "a.txt", "two\n")
			r.deliver()
			result, err := r.check()
			r.must(err)
			r.must(r.Record(t.Context(), contracts.CheckRan{TaskID: "task_t1", Result: result}))
			if task := r.task(); task.Verdict != contracts.VerdictProven {
				t.Errorf("%s: the check ran on %s, the files are %s", task.Verdict, result.Tree, task.Tree)
			}
		})
	}
}

// A check does not run if nothing can be proven, and its result states the reason.
func TestNothingProvenAboutSubmodules(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.addSubmodule()
	dir := r.prepare()
	r.git("-C", dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init")
	r.put(dir, "a.txt", "two\n")
	r.put(filepath.Join(dir, "lib"), "lib.txt", "changed\n")
	tree := r.deliver()
	result, err := r.check()
	r.must(err)
	r.must(r.Record(t.Context(), contracts.CheckRan{TaskID: "task_t1", Result: result}))
	if task := r.task(); task.Verdict != contracts.VerdictOnlySaid || task.Tree != tree || task.Checks[0].End != contracts.EndNotRun || !strings.Contains(task.Checks[0].Reason, "uncommitted changes") {
		t.Errorf("%+v", task)
	}
}
