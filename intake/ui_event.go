package intake

import (
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/ui"
)

// event is one received workflow event.
type event struct {
	name    string
	payload jsontext.Value
	id      string // the sender's id; without one, the event never counts as a duplicate
	source  string // namespace of id; empty means the credential and the agent
	agent   string // an id or a name; empty means no agent
	run     string
	session string
	ts      int64 // when the event happened; 0 means now
	subrun  bool

	replaced bool      // invalid UTF-8 in the body was replaced
	hud      *hudEvent // set for a HUD event, which is not a workflow event

	ignored string             // why the event is not for this office
	refusal *contracts.Refusal // why the event cannot be recorded
}

// fromRequest returns the fields that the query and headers set for all events in a body.
func fromRequest(r *http.Request, body []byte) event {
	q := r.URL.Query()
	e := event{replaced: !utf8.Valid(body), agent: q.Get("agent"), run: q.Get("run"), session: q.Get("session"), source: q.Get("source")}
	if e.id = strings.TrimSpace(r.Header.Get("Idempotency-Key")); e.id == "" {
		e.id = attribute(r, "id")
	}
	if e.source == "" {
		e.source = attribute(r, "source")
	}
	return e
}

// numbered returns e with an id for the i-th event of a request. The request has one idempotency
// key, but each of its events needs its own id so that it is recorded once.
func (e event) numbered(i int) event {
	if e.id != "" {
		e.id = contracts.DerivedUUID("events", e.id, strconv.Itoa(i))
	}
	return e
}

// parts splits an event into parts. Each part has an item to draw or the reason it is ignored.
func (e *event) parts() []ui.Part {
	if e.ignored != "" {
		return []ui.Part{{Ignored: e.ignored, Raw: e.payload}}
	}
	return ui.Normalize(e.name, e.payload)
}

// happened returns the time of an event, or now if the time is missing or in the future.
func (e *event) happened(now int64) int64 {
	if e.ts > 0 && e.ts < now {
		return e.ts
	}
	return now
}

// idWithin returns the first of the named members of the payload, or "" if it has none of them.
func idWithin(payload jsontext.Value, names []string) string {
	o, _ := members(payload)
	return o.text(names...)
}

// object is a JSON object whose members are not decoded.
type object map[string]jsontext.Value

func members(v jsontext.Value) (o object, ok bool) { return hud.Members(v) }

// lenient holds the decoding options for other programs' output.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// text returns the first of the named members that is a number or a non-empty string, or "".
func (o object) text(names ...string) string {
	for _, n := range names {
		switch v := o[n]; v.Kind() {
		case '0':
			return string(v)
		case '"':
			if s, _ := hud.Text(v); s != "" {
				return s
			}
		}
	}
	return ""
}

// value returns the first of the named members that is present, even if null, or nil if there is none.
func (o object) value(names ...string) jsontext.Value {
	for _, n := range names {
		if v, ok := o[n]; ok {
			return v
		}
	}
	return nil
}

// millis parses a time given in milliseconds, in seconds (W1) or in RFC 3339 format. It returns 0
// if there is no valid time.
func (o object) millis(names ...string) int64 {
	s := o.text(names...)
	var n float64
	if json.Unmarshal([]byte(s), &n) == nil {
		if n < 1e11 {
			n *= 1000
		}
		if n > 0 && n < 1e15 {
			return int64(n)
		}
		return 0
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return 0
	}
	return max(t.UnixMilli(), 0)
}
