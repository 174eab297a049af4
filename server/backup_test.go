package server

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
)

// One backup or verification runs at a time, and neither leaves a copy behind: not one
// of its own, and not one that a killed office left.
func TestBackupsAndVerificationsRunOneAtATime(t *testing.T) {
	cfg := Config{Crew: CrewNone, DataDir: t.TempDir()}
	left := filepath.Join(cfg.backupDir(), "ledger.db")
	if err := os.MkdirAll(filepath.Dir(left), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(left, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := startRig(t, cfg)
	token := cfg.ownerToken(t)
	gone := func(when string) {
		t.Helper()
		if _, err := os.Lstat(cfg.backupDir()); !os.IsNotExist(err) {
			t.Errorf("%s: the copy is still there: %v", when, err)
		}
	}
	gone("after the start")
	for _, busy := range []bool{false, true} {
		want := http.StatusOK
		if busy {
			want = http.StatusConflict
			r.reading.Lock()
		}
		for _, path := range []string{"/v1/backup", "/v1/verify"} {
			if status, body, _ := r.get(path, token); status != want {
				t.Errorf("%s, busy %t: %d %.200s", path, busy, status, body)
			}
		}
	}
	r.reading.Unlock()
	gone("after a backup")
}
