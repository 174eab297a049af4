package door

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/e2e/leaktest"
	"github.com/bullpen-office/bullpen/ledger/sqlite"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// Only one backup or verification runs at a time. Neither leaves a copy behind, and a copy that a
// killed office left behind is removed.
func TestBackupsAndVerificationsRunOneAtATime(t *testing.T) {
	data := t.TempDir()
	dir := filepath.Join(data, "backup.tmp")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "ledger.db"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := sqlite.Open(t.Context(), sqlite.Config{Path: filepath.Join(data, "ledger.db"), MinFree: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	exports := 0
	d := New(Config{Ledger: l, Audit: func(contracts.Audited) { exports++ }, Dir: dir, ShutdownCtx: context.Background(), Log: slog.New(slog.DiscardHandler)})
	gone := func(when string) {
		t.Helper()
		if _, err := os.Lstat(dir); !os.IsNotExist(err) {
			t.Errorf("%s: the copy is still there: %v", when, err)
		}
	}
	gone("after the start")
	for _, busy := range []bool{false, true} {
		want := http.StatusOK
		if busy {
			want = http.StatusConflict
			d.reading.Lock()
		}
		for _, path := range []string{"/v1/backup", "/v1/verify"} {
			w := httptest.NewRecorder()
			d.Doors()["GET "+path](w, httptest.NewRequest(http.MethodGet, path, nil))
			if w.Code != want {
				t.Errorf("%s, busy %t: %d %.200s", path, busy, w.Code, w.Body)
			}
		}
	}
	d.reading.Unlock()
	gone("after a backup")
	if exports != 1 {
		t.Errorf("%d exports were recorded", exports)
	}
}
