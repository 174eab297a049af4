//go:build unix

package sqlite_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// TestFileIsPrivate checks that only the owner may read agents' prompts and answers.
func TestFileIsPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "data")
	path := filepath.Join(dir, "ledger with space?#%.db")
	l := openFile(t, path)
	for name, want := range map[string]os.FileMode{
		filepath.Dir(dir): 0o700, dir: 0o700, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600, path + ".lock": 0o600,
	} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v, want mode %o", filepath.Base(name), info, err, want)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path + "-wal"); !os.IsNotExist(err) {
		t.Errorf("Close left a write-ahead log: %v", err)
	}
}

// TestSecondProcessIsRefused checks that a second process cannot open the ledger: two writers would
// each trust their own head. The lock belongs to the open file, so a second Open here acts like
// another process.
func TestSecondProcessIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	l := openFile(t, path)
	wantRefusal(t, path, "process "+strconv.Itoa(os.Getpid())+" is using the ledger")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	openFile(t, path)
}
