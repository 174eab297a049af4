package intake

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/ui"
)

// outcome is what became of one event.
type outcome struct {
	Seq        uint64 `json:"seq,omitzero"` // of its first record
	ID         string `json:"id,omitzero"`  // the sender's id, or that of the record
	Duplicate  bool   `json:"duplicate"`
	Ignored    string `json:"ignored,omitzero"` // it is kept, but nothing is drawn
	DecisionID string `json:"decision_id,omitzero"`
	Note       string `json:"note,omitzero"` // what of it could not be kept as it came

	refusal *contracts.Refusal
}

// What is kept of an event otherwise than it came.
const noteReplaced = "the body is not valid UTF-8; invalid bytes were replaced by U+FFFD"

func noteCut(bytes int) string {
	return fmt.Sprintf("only the beginning of %d bytes was kept; send less per request", bytes)
}

// remark notes what could not be kept of a part. The whole of a tool result lies
// beside the ledger.
func (o *outcome) remark(e *event, part ui.Part, normalized jsontext.Value) {
	_, whole := part.Item.(*ui.ToolResult)
	switch {
	case o.Note != "":
	case !whole && (len(part.Raw) > contracts.LimitUIRaw || saysTruncated(normalized)):
		o.Note = noteCut(len(part.Raw))
	case e.replaced:
		o.Note = noteReplaced
	}
}

// saysTruncated reports a normalized event of which something was cut.
func saysTruncated(normalized jsontext.Value) bool {
	const name = "truncated"
	if !bytes.Contains(normalized, []byte(name)) { // nearly every one
		return false
	}
	shown, _ := members(normalized)
	return shown[name].Kind() == 't'
}

// results is the answer to many events, one for each and in their order.
type results struct {
	Results []any `json:"results"`
	Failed  int   `json:"failed,omitzero"`
}

// answerTaken answers one event with what became of it. Of many, each stands for
// itself; the status is that of the first refusal only when nothing was taken in.
func answerTaken(w http.ResponseWriter, taken []outcome, many bool) {
	if !many {
		if no := taken[0].refusal; no != nil {
			refuse(w, no)
			return
		}
		gate.Answer(w, http.StatusOK, taken[0])
		return
	}
	out := results{Results: make([]any, len(taken))}
	var first *contracts.Refusal
	for i, t := range taken {
		out.Results[i] = t
		if t.refusal != nil {
			out.Results[i] = t.refusal
			out.Failed++
			first = cmp.Or(first, t.refusal)
		}
	}
	code := http.StatusOK
	if out.Failed > 0 && out.Failed == len(taken) {
		code = statusOf(w, first)
	}
	gate.Answer(w, code, out)
}

// dry is what would be drawn of an event.
type dry struct {
	Normalized []jsontext.Value   `json:"normalized"`
	Ignored    string             `json:"ignored,omitzero"`
	Error      *contracts.Refusal `json:"error,omitzero"`
}

// answerDry stores nothing.
func answerDry(w http.ResponseWriter, events []event, many bool) {
	out := make([]dry, len(events))
	for i := range events {
		e := &events[i]
		if out[i].Error = e.refusal; e.refusal != nil {
			continue
		}
		if e.hud != nil {
			fact, _ := e.hud.fact(hud.Source{AgentID: contracts.AgentIDOf(e.agent), Session: e.session}, e.id, openCall{id: e.hud.Correlation, parent: e.hud.Parent, call: e.hud.Call}, 0)
			out[i].Normalized = []jsontext.Value{hud.Value(fact)}
			continue
		}
		items, why := ui.Drawn(e.parts())
		for _, item := range items {
			out[i].Normalized = append(out[i].Normalized, ui.Encode(item, e.subrun))
		}
		out[i].Ignored = why
	}
	switch {
	case many:
		gate.Answer(w, http.StatusOK, out)
	case out[0].Error != nil:
		refuse(w, out[0].Error)
	default:
		gate.Answer(w, http.StatusOK, out[0])
	}
}

// statuses are those of refusals.
var statuses = map[contracts.ErrorCode]int{
	contracts.CodeNotAllowed: http.StatusForbidden, contracts.CodeRateLimited: http.StatusTooManyRequests,
	contracts.CodeValidationFailed: http.StatusBadRequest, contracts.CodeNotFound: http.StatusNotFound,
	contracts.CodeConflict: http.StatusConflict, contracts.CodeInternal: http.StatusServiceUnavailable,
}

// statusOf also says when to come back, where that helps.
func statusOf(w http.ResponseWriter, no *contracts.Refusal) int {
	wait := no.RetryAfterMS
	if no.Code == contracts.CodeInternal && wait == 0 {
		wait = contracts.RecordRetryMax.Milliseconds()
	}
	if wait > 0 {
		w.Header().Set("Retry-After", strconv.FormatInt((wait+999)/1000, 10))
	}
	if code, ok := statuses[no.Code]; ok {
		return code
	}
	return http.StatusInternalServerError
}

func refuse(w http.ResponseWriter, no *contracts.Refusal) { gate.Answer(w, statusOf(w, no), no) }
