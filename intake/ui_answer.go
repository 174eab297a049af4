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

// outcome is the result of one event.
type outcome struct {
	Seq        uint64 `json:"seq,omitzero"` // seq of the event's first record
	ID         string `json:"id,omitzero"`  // the id that the sender gave the event, otherwise the record's id
	Duplicate  bool   `json:"duplicate"`
	Ignored    string `json:"ignored,omitzero"` // why the event is stored but not drawn
	DecisionID string `json:"decision_id,omitzero"`
	Note       string `json:"note,omitzero"` // how the stored event differs from the event that was sent, or the name of a new guest

	refusal *contracts.Refusal
}

// noteReplaced is the note for an event whose body was not valid UTF-8.
const noteReplaced = "the body is not valid UTF-8; invalid bytes were replaced with U+FFFD"

func noteCut(bytes int) string {
	return fmt.Sprintf("only the beginning of the %d bytes was kept; send less per request", bytes)
}

// setNote sets the note for a part that was shortened, had invalid UTF-8 or has a note of its own. A
// tool result is never shortened: it is stored whole outside the ledger's records.
func (o *outcome) setNote(e *event, part ui.Part, normalized jsontext.Value) {
	_, whole := part.Item.(*ui.ToolResult)
	switch {
	case o.Note != "":
	case !whole && (len(part.Raw) > contracts.LimitUIRaw || isTruncated(normalized)):
		o.Note = noteCut(len(part.Raw))
	case e.replaced:
		o.Note = noteReplaced
	default:
		o.Note = part.Note
	}
}

// isTruncated reports whether a normalized event was shortened.
func isTruncated(normalized jsontext.Value) bool {
	const name = "truncated"
	if !bytes.Contains(normalized, []byte(name)) { // the common case
		return false
	}
	shown, _ := members(normalized)
	return shown[name].Kind() == 't'
}

// results is the response to several events, with one result for each, in order.
type results struct {
	Results []any `json:"results"`
	Failed  int   `json:"failed,omitzero"`
}

// answerOutcomes responds with the result of each event. The response to a single event has that
// event's HTTP status; the response to several events has status 200, or the status of the first
// refusal if all were refused.
func answerOutcomes(w http.ResponseWriter, outcomes []outcome, many bool) {
	if !many {
		if refusal := outcomes[0].refusal; refusal != nil {
			refuse(w, refusal)
			return
		}
		gate.Answer(w, http.StatusOK, outcomes[0])
		return
	}
	out := results{Results: make([]any, len(outcomes))}
	var first *contracts.Refusal
	for i, t := range outcomes {
		out.Results[i] = t
		if t.refusal != nil {
			out.Results[i] = t.refusal
			out.Failed++
			first = cmp.Or(first, t.refusal)
		}
	}
	code := http.StatusOK
	if out.Failed > 0 && out.Failed == len(outcomes) {
		code = statusOf(w, first)
	}
	gate.Answer(w, code, out)
}

// dry is the response for one event of a dry run. It describes how the event would be drawn.
type dry struct {
	Normalized []jsontext.Value   `json:"normalized"`
	Ignored    string             `json:"ignored,omitzero"`
	Error      *contracts.Refusal `json:"error,omitzero"`
}

// answerDry describes how the events would be drawn, and stores nothing.
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
		items, why := ui.Items(e.parts())
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

// statuses maps refusals to HTTP statuses.
var statuses = map[contracts.ErrorCode]int{
	contracts.CodeNotAllowed: http.StatusForbidden, contracts.CodeRateLimited: http.StatusTooManyRequests,
	contracts.CodeValidationFailed: http.StatusBadRequest, contracts.CodeNotFound: http.StatusNotFound,
	contracts.CodeConflict: http.StatusConflict, contracts.CodeInternal: http.StatusServiceUnavailable,
}

// statusOf returns the status of a refusal and sets Retry-After if a retry may help.
func statusOf(w http.ResponseWriter, refusal *contracts.Refusal) int {
	wait := refusal.RetryAfterMS
	if refusal.Code == contracts.CodeInternal && wait == 0 {
		wait = contracts.RecordRetryMax.Milliseconds()
	}
	if wait > 0 {
		w.Header().Set("Retry-After", strconv.FormatInt((wait+999)/1000, 10))
	}
	if code, ok := statuses[refusal.Code]; ok {
		return code
	}
	return http.StatusInternalServerError
}

func refuse(w http.ResponseWriter, refusal *contracts.Refusal) {
	gate.Answer(w, statusOf(w, refusal), refusal)
}
