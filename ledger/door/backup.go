package door

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/ledger"
)

// serveBackup answers GET /v1/backup with a verified, consistent snapshot of the ledger as an
// SQLite file, taken while the office is running.
func (d *Door) serveBackup(w http.ResponseWriter, r *http.Request) {
	if !d.cfg.Ledger.Durable() {
		gate.Refuse(w, http.StatusConflict, contracts.CodeConflict, "the ledger is in memory and has no file to copy; use `bullpen export`")
		return
	}
	dir := d.cfg.Dir
	if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700)); err != nil {
		gate.Refuse(w, http.StatusServiceUnavailable, contracts.CodeInternal, "cannot create a directory for the backup: %v", err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "ledger.db")
	switch _, err := d.cfg.Ledger.Backup(r.Context(), path); {
	case errors.Is(err, ledger.ErrFull):
		gate.Refuse(w, http.StatusInsufficientStorage, contracts.CodeInternal, "the backup could not be started: %v", err)
		return
	case err != nil:
		d.cfg.Log.Warn("backup failed", "error", err)
		gate.Refuse(w, http.StatusInternalServerError, contracts.CodeInternal, "backup failed: %v", err)
		return
	}
	file, err := os.Open(path)
	if err != nil {
		gate.Refuse(w, http.StatusInternalServerError, contracts.CodeInternal, "the backup cannot be read: %v", err)
		return
	}
	defer file.Close()
	d.auditExport(r, "as a backup")
	w.Header().Set("Content-Type", "application/vnd.sqlite3")
	w.Header().Set("Cache-Control", "no-store")
	if _, err := io.Copy(&slowWriter{w: w, rc: http.NewResponseController(w)}, file); err != nil {
		panic(http.ErrAbortHandler) // so that the response does not look complete to the client
	}
}
