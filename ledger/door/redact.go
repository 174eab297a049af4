package door

import (
	"context"
	"errors"
	"net/http"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/office"
)

// RedactBody is the body of POST /v1/redact.
type RedactBody struct {
	Seqs   []uint64 `json:"seqs"`
	Reason string   `json:"reason"`
	All    bool     `json:"all,omitzero"` // also redact the records that repeat the text
	DryRun bool     `json:"dry_run,omitzero"`
}

// serveRedact answers POST /v1/redact by erasing the text of records. If the client disconnects,
// the redaction continues, because half a redaction is useless.
func (d *Door) serveRedact(w http.ResponseWriter, r *http.Request) {
	who := gate.PrincipalFrom(r)
	if !who.Permit {
		gate.Answer(w, http.StatusForbidden, contracts.RefuseWithoutOperator("redaction"))
		return
	}
	var req RedactBody
	if err := json.UnmarshalRead(r.Body, &req, json.RejectUnknownMembers(true)); err != nil {
		gate.Refuse(w, http.StatusBadRequest, contracts.CodeValidationFailed, `the body must be {"seqs": [17], "reason": "…"}: %v`, err)
		return
	}
	if n := len(req.Seqs); n == 0 || n > contracts.LimitRedactSeqs {
		gate.Answer(w, http.StatusBadRequest, contracts.RefuseField("seqs", "seqs must list 1 to %d records", contracts.LimitRedactSeqs))
		return
	}
	if contracts.Blank(req.Reason) && !req.DryRun {
		gate.Answer(w, http.StatusBadRequest, contracts.RefuseField("reason", "reason is required; it is recorded with the redaction"))
		return
	}
	ctx, cancel := context.WithTimeout(d.cfg.ShutdownCtx, contracts.WipeTimeout)
	defer cancel()
	done, err := d.cfg.Office.Redact(ctx, office.RedactRequest{Seqs: req.Seqs, All: req.All, By: who.ID, Via: who.Via, Reason: req.Reason, DryRun: req.DryRun})
	var refusal *contracts.Refusal
	switch {
	case errors.As(err, &refusal):
		gate.Answer(w, refusedStatus(refusal), refusal)
	case err != nil:
		d.cfg.Log.Error("redaction failed", "error", err)
		gate.Refuse(w, http.StatusInternalServerError, contracts.CodeInternal, "%v", err)
	default:
		if done.Remains != "" {
			d.cfg.Log.Warn("redacted text may still be in the ledger files", "error", done.Remains)
		}
		gate.Answer(w, http.StatusOK, done)
	}
}

func refusedStatus(refusal *contracts.Refusal) int {
	switch refusal.Code {
	case contracts.CodeNotFound:
		return http.StatusNotFound
	case contracts.CodeConflict:
		return http.StatusConflict
	}
	return http.StatusBadRequest
}
