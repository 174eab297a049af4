// Package door serves operators the whole ledger while the office is running: exports, backups,
// verification and redaction.
//
// It guarantees that an aborted response does not look complete, that only one backup, verification
// or redaction runs at a time, and that every export is recorded.
package door

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/ledger"
	"github.com/bullpen-office/bullpen/office"
)

// Ledger is a ledger that can be copied and verified.
type Ledger interface {
	ledger.Ledger
	Backup(ctx context.Context, path string) (ledger.Report, error)
	Inspect(ctx context.Context) (ledger.Report, error)
}

// Office is the part of the office that redacts records.
type Office interface {
	Redact(ctx context.Context, r office.RedactRequest) (office.Redactions, error)
}

// Config configures a Door. All fields are required.
type Config struct {
	Ledger      Ledger
	Office      Office
	Audit       func(contracts.Audited) // records an export in the audit log
	Dir         string                  // created for each backup, and removed once the backup has been sent
	ShutdownCtx context.Context         // context of redactions, which continue even if their request ends
	Log         *slog.Logger
}

// Door serves a ledger to operators.
type Door struct {
	cfg     Config
	reading sync.Mutex // held by the running backup, verification or redaction
}

// New returns a Door. It removes files that a killed process left in Dir.
func New(cfg Config) *Door {
	if cfg.Ledger.Durable() {
		_ = os.RemoveAll(cfg.Dir)
	}
	return &Door{cfg: cfg}
}

// Doors returns the handlers by route pattern. All routes are for operators only.
func (d *Door) Doors() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"GET /v1/export":  d.serveArchive,
		"GET /v1/backup":  d.oneAtATime(d.serveBackup),
		"GET /v1/verify":  d.oneAtATime(d.serveVerify),
		"POST /v1/redact": d.oneAtATime(d.serveRedact),
	}
}

// oneAtATime refuses a backup, verification or redaction while another one is running, because each
// reads the whole file over one of only a few connections. A backup also needs as much space as the
// ledger.
func (d *Door) oneAtATime(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !d.reading.TryLock() {
			gate.Refuse(w, http.StatusConflict, contracts.CodeConflict, "a backup, verification or redaction is running; try again when it has finished")
			return
		}
		defer d.reading.Unlock()
		next(w, r)
	}
}

// serveVerify answers GET /v1/verify: it checks all records, their links in the chain and all
// content, while the office is running.
func (d *Door) serveVerify(w http.ResponseWriter, r *http.Request) {
	report, err := d.cfg.Ledger.Inspect(r.Context())
	switch {
	case err == nil:
		gate.Answer(w, http.StatusOK, report)
	case errors.Is(err, ledger.ErrCorrupt):
		gate.Refuse(w, http.StatusInternalServerError, contracts.CodeInternal, "%v", err)
	default:
		gate.Refuse(w, http.StatusServiceUnavailable, contracts.CodeInternal, "the ledger cannot be verified now: %v", err)
	}
}

// auditExport records an export of the ledger in the audit log. The last argument describes the
// format, for example "as JSON Lines".
func (d *Door) auditExport(r *http.Request, as string) {
	p := gate.PrincipalFrom(r)
	d.cfg.Audit(contracts.Audited{Kind: contracts.AuditExport, By: p.ID, Via: p.Via, Says: p.ID + " exported the ledger " + as})
}

// slowWriter extends the write deadline on every write, so that a slow client is not cut off as
// long as it makes progress.
type slowWriter struct {
	w  http.ResponseWriter
	rc *http.ResponseController
}

func (p *slowWriter) Write(b []byte) (int, error) {
	_ = p.rc.SetWriteDeadline(time.Now().Add(contracts.BodyTimeout))
	return p.w.Write(b)
}
