package server

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Paths of the folder report open, and nothing else does: no ignored file, no place
// for secrets, nothing outside the folder.
func TestFilesOfTheFolder(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"src/main.go": "package main\n", ".env": "KEY=1\n", "photo.bin": "\x00\x01",
		"notes.txt": "token ghp_" + strings.Repeat("a1B2", 9) + "\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	outside := filepath.Join(t.TempDir(), "outside.txt")
	if err := os.WriteFile(outside, []byte("private"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link.txt")); err != nil {
		t.Skip("no links here")
	}
	r := startRig(t, Config{Folder: dir})
	for path, want := range map[string]int{
		"src/main.go": http.StatusOK, "notes.txt": http.StatusOK, ".env": http.StatusNotFound, "link.txt": http.StatusNotFound,
		"photo.bin": http.StatusUnsupportedMediaType, "src/none.go": http.StatusNotFound, "..%2foutside.txt": http.StatusBadRequest, "src": http.StatusNotFound,
	} {
		status, body, _ := r.get("/v1/files/"+path, "")
		if status != want {
			t.Errorf("%s: %d %s, want %d", path, status, body, want)
		}
		if strings.Contains(body, "ghp_a1B2") || strings.Contains(body, "private") {
			t.Errorf("%s: a secret left: %s", path, body)
		}
	}
}
