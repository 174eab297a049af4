//go:build unix

package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/process"
	"github.com/bullpen-office/bullpen/drive/workspace"
	"github.com/bullpen-office/bullpen/e2e/leaktest"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == process.TendCommand {
		os.Exit(process.Tend(os.Args[2:]))
	}
	leaktest.Main(m)
}

// open returns a workspace with files. A file named secret is outside the workspace.
func open(t *testing.T, files map[string]string) *workspace.Workspace {
	t.Helper()
	outer := t.TempDir()
	dir := filepath.Join(outer, "work")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	files["../secret"] = "secret"
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"out": "../secret", "up": "..", "in": "a.txt", "dangling": "missing"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := workspace.Open(dir, process.Environment(os.Environ()))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func wantError(t *testing.T, what string, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: the error is %v, not %q", what, err, want)
	}
}

func TestFilesAreReadWrittenAndDeleted(t *testing.T) {
	w := open(t, map[string]string{"a.txt": "one"})
	for _, path := range []string{"a.txt", "./x/../a.txt", "in", w.Dir() + "/a.txt"} {
		if text, err := w.Read(path); err != nil || text != "one" {
			t.Errorf("%s: %q, %v", path, text, err)
		}
	}
	if err := errors.Join(w.Write("a.txt", "two"), w.Write("new/dir/b.txt", "three"), w.Delete("in")); err != nil {
		t.Fatal(err)
	}
	a, _ := w.Read("a.txt")
	b, _ := w.Read("new/dir/b.txt")
	if a != "two" || b != "three" {
		t.Errorf("%q, %q", a, b)
	}
	if err := w.Delete("a.txt"); err != nil {
		t.Error(err)
	}
	if _, err := w.Read("a.txt"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after the deletion: %v", err)
	}
}

// No path and no link leads out of the workspace, and only text files of bounded size are read.
func TestOtherFilesAreRefused(t *testing.T) {
	w := open(t, map[string]string{"a.txt": "one", "dir/b.txt": "two", "binary": "\xff\xfe"})
	if err := os.Truncate(filepath.Join(w.Dir(), "a.txt"), contracts.LimitWorkspaceFile+1); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"../secret": "outside the workspace", "/etc/passwd": "outside the workspace", "out": "escapes", "up/secret": "escapes", "dir": "not a regular file",
		"pipe": "not a regular file", "binary": "not UTF-8 text", "a.txt": "more than 8 MiB", "dir/missing": "does not exist", "dangling": "does not exist",
	} {
		_, err := w.Read(path)
		wantError(t, "read "+path, err, want)
		if err != nil && strings.Contains(err.Error(), w.Dir()) {
			t.Errorf("the error names a path on this machine: %v", err)
		}
	}
	for path, want := range map[string]string{
		"../new": "outside the workspace", "out": "escapes", "up/new": "escapes", "dir": "not a regular file", "pipe": "not a regular file", "dangling": "a link to a file that does not exist",
	} {
		wantError(t, "write "+path, w.Write(path, "x"), want)
	}
	wantError(t, "write", w.Write("big", strings.Repeat("x", contracts.LimitWorkspaceFile+1)), "more than 8 MiB")
	for path, want := range map[string]string{"../secret": "outside the workspace", "up/secret": "escapes", "dir": "is a directory", "missing": "does not exist"} {
		wantError(t, "delete "+path, w.Delete(path), want)
	}
	if text, err := os.ReadFile(filepath.Join(w.Dir(), "../secret")); err != nil || string(text) != "secret" {
		t.Errorf("the file outside is %q, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(w.Dir(), "../new")); err == nil {
		t.Error("a file was written outside")
	}
	if _, err := workspace.Open(filepath.Join(w.Dir(), "binary"), nil); err == nil {
		t.Error("a file was opened as a workspace")
	}
}

func TestRealResolvesLinks(t *testing.T) {
	w := open(t, map[string]string{"a.txt": "one", "dir/b.txt": "two"})
	if err := os.Symlink("dir", filepath.Join(w.Dir(), "to")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"in": "a.txt", "to/b.txt": "dir/b.txt", "to/new/c": "dir/new/c", ".": "."} {
		if got, err := w.Real(path); err != nil || got != want {
			t.Errorf("%s leads to %q, %v; want %q", path, got, err, want)
		}
	}
	_, err := w.Real("out")
	wantError(t, "out", err, "outside the workspace")
}

func TestList(t *testing.T) {
	w := open(t, map[string]string{"a.txt": "one", "dir/b.txt": "two", "dir/sub/c.txt": "3", ".git/config": "x", "node_modules/m/i.js": "x"})
	list := func(dir string, depth int) (names []string) {
		t.Helper()
		entries, more, err := w.List(t.Context(), dir, depth)
		if err != nil || more {
			t.Fatal(more, err)
		}
		for _, e := range entries {
			names = append(names, fmt.Sprint(e.Name, " ", e.Size))
		}
		return names
	}
	if diff := cmp.Diff([]string{".git/ 0", "a.txt 3", "dangling 0", "dir/ 0", "in 0", "node_modules/ 0", "out 0", "pipe 0", "up 0"}, list("", 1)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"dir/b.txt 3", "dir/sub/ 0", "dir/sub/c.txt 1"}, list(w.Dir()+"/dir", 9)); diff != "" {
		t.Error(diff)
	}
	for dir, want := range map[string]string{"up": "escapes", "a.txt": "not a directory", "missing": "does not exist", "..": "outside"} {
		_, _, err := w.List(t.Context(), dir, 1)
		wantError(t, dir, err, want)
	}
	for i := range contracts.LimitWorkspaceEntries {
		if err := w.Write(fmt.Sprintf("many/%d", i), ""); err != nil {
			t.Fatal(err)
		}
	}
	if entries, more, err := w.List(t.Context(), "", 2); err != nil || !more || len(entries) != contracts.LimitWorkspaceEntries {
		t.Errorf("%d entries, more %v, %v", len(entries), more, err)
	}
}

func TestSearch(t *testing.T) {
	w := open(t, map[string]string{
		"a.go": "package a\nfunc Find() {}\r\n", "dir/b.go": "func find() {}\n", "dir/c.txt": "Find me", ".git/d.go": "Find", "binary.go": "Find\x00", "private.go": "Find",
	})
	found, err := w.Search(t.Context(), workspace.Query{Pattern: regexp.MustCompile("(?i)find"), Glob: "*.go", Skip: func(name string) bool { return name == "private.go" }})
	if err != nil {
		t.Fatal(err)
	}
	want := workspace.Found{Matches: []workspace.Match{{"a.go", 2, "func Find() {}"}, {"dir/b.go", 1, "func find() {}"}}, Skipped: 1}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Error(diff)
	}
	if found, err := w.Search(t.Context(), workspace.Query{Pattern: regexp.MustCompile("secret")}); err != nil || len(found.Matches) > 0 {
		t.Errorf("links were followed: %+v, %v", found, err)
	}
	_, err = w.Search(t.Context(), workspace.Query{Pattern: regexp.MustCompile("x"), Glob: "[a"})
	wantError(t, "glob", err, "malformed")
	if err := w.Write("many.txt", strings.Repeat("hit\n", contracts.LimitWorkspaceMatches+1)); err != nil {
		t.Fatal(err)
	}
	if found, err := w.Search(t.Context(), workspace.Query{Pattern: regexp.MustCompile("^hit$")}); err != nil || !found.More || len(found.Matches) != contracts.LimitWorkspaceMatches {
		t.Errorf("%d matches, more %v, %v", len(found.Matches), found.More, err)
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Search(stopped, workspace.Query{Pattern: regexp.MustCompile("x")}); !errors.Is(err, context.Canceled) {
		t.Errorf("after a cancellation: %v", err)
	}
}

// testTimeout is longer than any command in these tests takes.
const testTimeout = 2 * time.Minute

func TestCommandsRunInTheWorkspace(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-secret-value")
	w := open(t, map[string]string{"a.txt": "one"})
	out, err := w.Run(t.Context(), `cat a.txt; echo " err$OPENAI_API_KEY" >&2; read line; exit 3`, testTimeout)
	if diff := cmp.Diff(workspace.Output{Text: "one err\n", ExitCode: 3}, out); diff != "" || err != nil {
		t.Error(diff, err)
	}
	out, err = w.Run(t.Context(), fmt.Sprintf("head -c %d /dev/zero | tr '\\0' x; printf end", contracts.LimitCommandOutput), testTimeout)
	if err != nil || !out.Cut || len(out.Text) != contracts.LimitCommandOutput || !strings.HasSuffix(out.Text, "xend") {
		t.Errorf("%d bytes, cut %v, %v", len(out.Text), out.Cut, err)
	}
}

// A command that takes too long or is cancelled is killed, together with everything that it
// started.
func TestCommandsEnd(t *testing.T) {
	for name, c := range map[string]struct {
		timeout time.Duration
		cancel  bool
	}{"timeout": {timeout: time.Second}, "cancelled": {timeout: testTimeout, cancel: true}} {
		t.Run(name, func(t *testing.T) {
			w := open(t, map[string]string{})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if c.cancel {
				go func() {
					until(func() bool { text, _ := w.Read("pids"); return strings.Count(text, "\n") == 2 })
					cancel()
				}()
			}
			out, err := w.Run(ctx, `echo $$ >pids; sleep 600 & echo $! >>pids; echo begun; wait`, c.timeout)
			if out.TimedOut == c.cancel || c.cancel != errors.Is(err, context.Canceled) || out.ExitCode != -1 {
				t.Errorf("%+v, %v", out, err)
			}
			pids, _ := w.Read("pids")
			for _, pid := range strings.Fields(pids) {
				if !until(func() bool { return ended(pid) }) {
					t.Errorf("process %s still runs", pid)
				}
			}
		})
	}
}

func ended(pid string) bool {
	n := 0
	if _, err := fmt.Sscan(pid, &n); err != nil {
		return false
	}
	stat, _ := os.ReadFile("/proc/" + pid + "/stat")
	return errors.Is(syscall.Kill(n, 0), syscall.ESRCH) || strings.Contains(string(stat), ") Z ")
}

// until waits up to testTimeout for a condition, and reports whether the condition was met.
func until(cond func() bool) bool {
	for end := time.Now().Add(testTimeout); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if cond() {
			return true
		}
	}
	return false
}
