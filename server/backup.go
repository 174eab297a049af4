package server

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

// oneAtATime refuses a request while another backup or verification runs: each reads the
// whole file over one of few connections, and a backup needs the space of another file.
func (s *Server) oneAtATime(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !s.reading.TryLock() {
			gate.Refuse(w, http.StatusConflict, contracts.CodeConflict, "a backup or verification is running; try again when it has finished")
			return
		}
		defer s.reading.Unlock()
		next(w, r)
	}
}

// backupDir holds the copy while it is made and sent.
func (c Config) backupDir() string { return filepath.Join(c.DataDir, "backup.tmp") }

// serveBackup is GET /v1/backup: a verified, consistent snapshot of the ledger as an
// SQLite file, taken while the office runs.
func (s *Server) serveBackup(w http.ResponseWriter, r *http.Request) {
	if !s.ledger.Durable() {
		gate.Refuse(w, http.StatusConflict, contracts.CodeConflict, "the ledger is in memory and has no file to copy: use `bullpen export`")
		return
	}
	dir := s.cfg.backupDir()
	if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o700)); err != nil {
		gate.Refuse(w, http.StatusServiceUnavailable, contracts.CodeInternal, "cannot create a directory for the backup: %v", err)
		return
	}
	defer os.RemoveAll(dir)
	path := LedgerPath(dir)
	switch _, err := s.ledger.Backup(r.Context(), path); {
	case errors.Is(err, ledger.ErrFull):
		gate.Refuse(w, http.StatusInsufficientStorage, contracts.CodeInternal, "no backup was made: %v", err)
		return
	case err != nil:
		s.cfg.Log.Warn("backup failed", "error", err)
		gate.Refuse(w, http.StatusInternalServerError, contracts.CodeInternal, "the backup failed: %v", err)
		return
	}
	file, err := os.Open(path)
	if err != nil {
		gate.Refuse(w, http.StatusInternalServerError, contracts.CodeInternal, "the backup cannot be read: %v", err)
		return
	}
	defer file.Close()
	s.exported(r, "as a backup")
	w.Header().Set("Content-Type", "application/vnd.sqlite3")
	w.Header().Set("Cache-Control", "no-store")
	if _, err := io.Copy(&patientWriter{w: w, rc: http.NewResponseController(w)}, file); err != nil {
		panic(http.ErrAbortHandler) // so that the client does not take it for complete
	}
}
