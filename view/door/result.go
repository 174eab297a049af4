package door

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/web"
)

// hudResult is the response to GET /v1/hud/{id}/result, and the format that large results are
// stored in.
type hudResult struct {
	ID     string         `json:"id"`
	Result jsontext.Value `json:"result"`
}

// serveHUDResult answers with a tool call's complete result: the content stored next to the ledger
// or, if there is none, the result in the fact itself.
func (d *Door) serveHUDResult(w http.ResponseWriter, r *http.Request) {
	h, err := d.cfg.View.Activity(r.Context(), r.PathValue("id"))
	if answerMissing(w, named("activity", r), "it is unknown, or retention has removed it", h != nil, err) {
		return
	}
	if h.ResultSHA256 == "" {
		if answerMissing(w, named("result for activity", r), "", h.Result != nil, nil) {
			return
		}
		gate.Answer(w, http.StatusOK, hudResult{ID: h.UUID, Result: h.Result})
		return
	}
	content, ok, err := d.cfg.Blobs.Blob(r.Context(), h.ResultSHA256)
	if answerMissing(w, named("result for activity", r), "it was removed or never stored; the activity still shows the beginning of the result", ok, err) {
		return
	}
	web.ServeHashed(w, r, "application/json", h.ResultSHA256, content)
}
