//go:build unix

package crew

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
)

// Files are read only from the workspace: neither .. nor links lead out of it, and only regular
// files of limited size are read.
func TestFilesStayInside(t *testing.T) {
	outside := t.TempDir()
	workspace := filepath.Join(t.TempDir(), "work")
	write := func(path, content string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := func(to, name string) {
		t.Helper()
		if err := os.Symlink(to, filepath.Join(workspace, name)); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(outside, "secret"), "secret")
	write(filepath.Join(workspace, "a.md"), "inside")
	write(filepath.Join(workspace, "sub", "b.bin"), "\xff\x00")
	write(filepath.Join(workspace, "empty"), "")
	write(filepath.Join(workspace, "big"), strings.Repeat("x", contracts.LimitArtifactBytes+1))
	link("a.md", "in")
	link(filepath.Join(outside, "secret"), "out")
	link(outside, "dir")
	link("../../"+filepath.Base(filepath.Dir(outside))+"/"+filepath.Base(outside)+"/secret", "up")
	if err := syscall.Mkfifo(filepath.Join(workspace, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"a.md": "inside", "./sub/../a.md": "inside", "in": "inside", filepath.Join(workspace, "a.md"): "inside", "sub/b.bin": "\xff\x00"} {
		if got, err := readFile(workspace, path); err != nil || got != want {
			t.Errorf("%s: %q %v", path, got, err)
		}
	}
	for _, path := range []string{"../secret", "../../etc/passwd", "/etc/passwd", filepath.Join(outside, "secret"), "out", "dir/secret", "up", "pipe", "sub", ".", "empty", "big", "missing", ""} {
		got, err := readFile(workspace, path)
		if err == nil {
			t.Errorf("%q was read: %.20q", path, got)
		} else if strings.Contains(err.Error(), workspace) {
			t.Errorf("%q: the error contains a path on this machine: %v", path, err)
		}
	}
	if got := mimeOf("sub/b.bin", "\xff\x00"); got != "application/octet-stream" {
		t.Error(got)
	}
}
