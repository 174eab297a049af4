package survey

import (
	"errors"
	"io/fs"
	"os"
	"testing"
)

// A file that was replaced by a link or another file after it was checked is not read.
func TestShowReadsWhatItChecked(t *testing.T) {
	f := folder(t, map[string]string{"a.txt": "public", "b.txt": "other", ".env": "private"})
	info, err := f.listed(t.Context(), "a.txt")
	if err != nil {
		t.Fatal(err)
	}
	for name, swap := range map[string]func() error{
		"link": func() error { return os.Symlink(".env", f.Path("a.txt")) },
		"file": func() error { return os.Link(f.Path("b.txt"), f.Path("a.txt")) },
	} {
		if err := os.Remove(f.Path("a.txt")); err != nil {
			t.Fatal(err)
		}
		if err := swap(); err != nil {
			t.Skip("no links on this system")
		}
		if text, err := f.read("a.txt", info); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

// In a repository, Show finds exactly the files that Files lists.
func TestShowFindsListedFilesOnly(t *testing.T) {
	f := folder(t, map[string]string{
		".gitignore": "*.log\n", "a.go": "package a", "x.log": "ignored", "sub/b.go": "package b", "[c].go": "package c", "node_modules/d.js": "d", "token.txt": "t",
	})
	runGit(t, f.Dir(), "init", "-q")
	f = open(t, f.Dir())
	listing, err := f.Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, file := range listing.Files {
		listed[file.Path] = true
	}
	for _, name := range []string{".gitignore", "a.go", "x.log", "sub/b.go", "[c].go", "node_modules/d.js", "token.txt", "sub", ".git/HEAD", "../a.go", "/a.go", "", ".", "*.go"} {
		_, err := f.Show(t.Context(), name)
		if (err == nil) != listed[name] || err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v, listed %v", name, err, listed[name])
		}
	}
}
