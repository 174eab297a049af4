package atomicfile

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

// onlyFile checks that path contains want and that its directory has no other entry.
func onlyFile(t *testing.T, path, want string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil || string(content) != want {
		t.Errorf("%s contains %q, %v; want %q", path, content, err, want)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("the directory contains %v, %v; want only the file", entries, err)
	}
}

func TestWriteReplacesAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.json")
	for _, content := range []string{"first", "second and longer", ""} {
		if err := Write(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		onlyFile(t, path, content)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, []byte("private again")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
}

func TestFailureLeavesTheOldFile(t *testing.T) {
	t.Run("no directory", func(t *testing.T) {
		if err := Write(filepath.Join(t.TempDir(), "missing", "f"), nil); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("error %v; want fs.ErrNotExist", err)
		}
	})
	t.Run("a directory in the way", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "f")
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := Write(path, []byte("x")); err == nil {
			t.Error("a directory was replaced")
		}
		if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
			t.Errorf("files were left behind: %v", entries)
		}
	})
	t.Run("aborted", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "f")
		if err := Write(path, []byte("old")); err != nil {
			t.Fatal(err)
		}
		f, err := Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString("new"); err != nil {
			t.Fatal(err)
		}
		f.Abort()
		onlyFile(t, path, "old")
		if err := f.Commit(); err == nil {
			t.Error("aborted content was committed")
		}
		onlyFile(t, path, "old")
	})
}

func TestAbortAfterCommitKeepsTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("content"); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	f.Abort()
	onlyFile(t, path, "content")
}

func TestRename(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "copy"), filepath.Join(dir, "f")
	if err := Rename(from, to); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("for a missing file: %v", err)
	}
	if err := os.WriteFile(from, []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Rename(from, to); err != nil {
		t.Fatal(err)
	}
	onlyFile(t, to, "content")
}

// While several writers replace the file, each read returns one complete version.
func TestReadersSeeWholeVersions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	version := func(b byte) []byte { return bytes.Repeat([]byte{b}, 32<<10) }
	if err := Write(path, version('a')); err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	for b := byte('b'); b < 'e'; b++ {
		writers.Go(func() {
			for range 10 {
				if err := Write(path, version(b)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()
	for {
		content, err := os.ReadFile(path)
		if err != nil || len(content) == 0 || !bytes.Equal(content, version(content[0])) {
			t.Fatalf("read a part of a version: %d bytes, %v", len(content), err)
		}
		select {
		case <-done:
			return
		default:
		}
	}
}
