package door

import (
	"bufio"
	"net/http"
	"strconv"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/ledger"
)

// serveArchive answers GET /v1/export?after=&kinds=&content= with the ledger as JSON Lines, while
// the office is running. An export without its final line is incomplete.
func (d *Door) serveArchive(w http.ResponseWriter, r *http.Request) {
	o, refusal := archiveOptions(r)
	if refusal != nil {
		gate.Answer(w, http.StatusBadRequest, refusal)
		return
	}
	d.auditExport(r, "as JSON Lines")
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.Header().Set("Cache-Control", "no-store")
	out := bufio.NewWriterSize(&slowWriter{w: w, rc: http.NewResponseController(w)}, 64<<10)
	_, err := ledger.WriteArchive(r.Context(), d.cfg.Ledger, out, o)
	if err == nil {
		err = out.Flush()
	}
	if err != nil && r.Context().Err() == nil {
		d.cfg.Log.Warn("export aborted", "error", err)
		panic(http.ErrAbortHandler) // so that the response does not look complete to the client
	}
}

func archiveOptions(r *http.Request) (o ledger.ArchiveOptions, refusal *contracts.Refusal) {
	q := r.URL.Query()
	o.Content = q.Get("content") != "0"
	if text := q.Get("after"); text != "" {
		after, err := strconv.ParseUint(text, 10, 63)
		if err != nil {
			return o, contracts.RefuseField("after", "\"after\" must be a whole number, 0 or more")
		}
		o.After = after
	}
	for kind := range strings.SplitSeq(q.Get("kinds"), ",") {
		if kind == "" {
			continue
		}
		if !contracts.KnownKind(contracts.Kind(kind)) {
			return o, contracts.RefuseField("kinds", "unknown record kind %q", contracts.Clip(contracts.CleanLine(kind), contracts.LimitName))
		}
		o.Kinds = append(o.Kinds, contracts.Kind(kind))
	}
	return o, nil
}
