// Package ghtest puts a stand-in for gh in PATH, with a bare repository in place of a remote one.
// The stand-in behaves as the gh manual describes for `gh pr list`, `create` and `view`, and for
// `gh run view`.
package ghtest

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/bullpen-office/bullpen/atomicfile"
)

//go:embed gh.sh
var script string

// Host is a stand-in for a git host such as GitHub.
type Host struct {
	t   *testing.T
	dir string
	// URL is the address of the repository on the git host.
	URL string
}

// New returns a host whose repository is a copy of the repository in dir. It adds the copy to the
// repository in dir as the remote "origin".
func New(t *testing.T, dir string) *Host {
	t.Helper()
	h := &Host{t, t.TempDir(), filepath.Join(t.TempDir(), "remote.git")}
	h.Git("clone", "--quiet", "--bare", dir, h.URL)
	h.Git("-C", dir, "remote", "add", "origin", h.URL)
	h.write("remote", h.URL)
	h.Install()
	return h
}

// Install puts the stand-in for gh at the front of PATH. A test that changes PATH can call Install
// again.
func (h *Host) Install() {
	h.t.Helper()
	bin := h.t.TempDir()
	program := strings.Replace(script, "STATE", h.dir, 1)
	if err := os.WriteFile(filepath.Join(bin, "gh"), []byte(program), 0o700); err != nil {
		h.t.Fatal(err)
	}
	h.t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// Git runs git and returns its output.
func (h *Host) Git(args ...string) string {
	h.t.Helper()
	out, err := exec.Command("git", args...).CombinedOutput()
	if err != nil {
		h.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// Show returns the content of a file on a branch of the git host.
func (h *Host) Show(branch, file string) string {
	h.t.Helper()
	return h.Git("--git-dir="+h.URL, "show", branch+":"+file)
}

// LogOut makes the stand-in for gh behave as if no one were logged in; LogOut(false) undoes this.
func (h *Host) LogOut(out bool) { h.mark("logged_out", out) }

// Fail makes `gh pr create` fail before it does anything; Fail(false) undoes this.
func (h *Host) Fail(fail bool) { h.mark("broken", fail) }

// Created returns the number of pull requests.
func (h *Host) Created() (n int) {
	for h.Read(n+1, "branch") != "" {
		n++
	}
	return n
}

// Read returns one field of a pull request (branch, base, title, body or state), or "" if it is not
// set.
func (h *Host) Read(number int, what string) string {
	content, _ := os.ReadFile(filepath.Join(h.dir, strconv.Itoa(number), what))
	return string(content)
}

// Check sets the checks of a pull request. checks contains the elements of a JSON array.
func (h *Host) Check(number int, checks string) { h.set(number, "checks", checks) }

// Log sets the output of a job on the git host. The job's page is
// https://example.org/shop/actions/runs/1/job/JOB.
func (h *Host) Log(job int, text string) { h.write(fmt.Sprint("job-", job), text) }

// Merge merges a pull request as the given commit.
func (h *Host) Merge(number int, commit string) {
	h.set(number, "commit", commit)
	h.set(number, "state", "MERGED")
}

// Close closes a pull request without merging it.
func (h *Host) Close(number int) { h.set(number, "state", "CLOSED") }

// Fork marks a pull request as coming from a fork.
func (h *Host) Fork(number int) { h.set(number, "fork", "true") }

// mark creates or removes a file that changes what the stand-in for gh does.
func (h *Host) mark(name string, on bool) {
	h.t.Helper()
	if on {
		h.write(name, "")
	} else if err := os.Remove(filepath.Join(h.dir, name)); err != nil {
		h.t.Fatal(err)
	}
}

func (h *Host) set(number int, what, value string) {
	h.t.Helper()
	h.write(filepath.Join(strconv.Itoa(number), what), value)
}

// write replaces a file atomically: the stand-in for gh reads either the old or the new content.
func (h *Host) write(name, content string) {
	h.t.Helper()
	if err := atomicfile.Write(filepath.Join(h.dir, name), []byte(content)); err != nil {
		h.t.Fatal(err)
	}
}
