package signer_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/bullpen-office/bullpen/repo/signer"
)

// Processes that request the first key at the same time receive the same key, and it does not
// change.
func TestOneKey(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	keys := make([]string, 8)
	var all sync.WaitGroup
	for i := range keys {
		all.Go(func() {
			key, err := signer.Key(dir)
			if err != nil {
				t.Error(err)
			}
			keys[i] = string(key)
		})
	}
	all.Wait()
	for _, key := range keys {
		if key == "" || key != keys[0] {
			t.Fatal("different keys")
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
	if info, err := os.Stat(filepath.Join(dir, "receipt.key")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// A damaged key is not replaced.
func TestDamagedKey(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "receipt.key")
	if err := os.WriteFile(path, []byte("AAAA"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := signer.Key(dir); err == nil {
		t.Error("a damaged key was accepted")
	}
	if content, _ := os.ReadFile(path); string(content) != "AAAA" {
		t.Errorf("%q", content)
	}
}
