package intake

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/bullpen-office/bullpen/hud/ui"
)

// refusingOffice refuses everything with the same reason.
type refusingOffice struct {
	refusal  *contracts.Refusal
	recorded []contracts.Fact
}

func (o *refusingOffice) Tell(_ context.Context, facts ...contracts.Fact) []contracts.Reply {
	o.recorded = append(o.recorded, facts...)
	replies := make([]contracts.Reply, len(facts))
	for i := range replies {
		replies[i].Refusal = o.refusal
	}
	return replies
}

type stubGuests struct{ err error }

func (d stubGuests) Join(context.Context, contracts.AgentProfile, Proof) error { return d.err }
func (d stubGuests) AddEvidence(context.Context, string, status.Evidence)      {}
func (d stubGuests) PutBlob(context.Context, []byte) (sha string, err error)   { return "", d.err }

func refusingUI(refusal *contracts.Refusal, err error) (*UI, *refusingOffice) {
	office := &refusingOffice{refusal: refusal}
	return NewUI(UIConfig{
		Office: office, Guests: stubGuests{err}, Blobs: stubGuests{err}, Now: func() time.Time { return time.UnixMilli(1) },
		Agent:     func(string) (contracts.AgentProfile, bool) { return contracts.AgentProfile{}, false },
		Principal: func(*http.Request) contracts.Principal { return contracts.Principal{ID: "local"} },
	}), office
}

func postKind(u *UI, target string, body io.Reader) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, target, body)
	r.SetPathValue("kind", "tool_execution")
	w := httptest.NewRecorder()
	u.ServeKind(w, r)
	return w
}

// If the office refuses an event, the HTTP status matches the reason, with Retry-After if a retry may
// help.
func TestUIRefusalOfTheOfficeHasItsStatus(t *testing.T) {
	for code, want := range map[contracts.ErrorCode]int{
		contracts.CodeInternal: 503, contracts.CodeValidationFailed: 400, contracts.CodeConflict: 409, contracts.CodeRateLimited: 429,
		contracts.CodeNotFound: 404, contracts.CodeNotAllowed: 403,
	} {
		u, _ := refusingUI(contracts.Refuse(code, "no"), nil)
		w := postKind(u, "/?agent=a", strings.NewReader("ls"))
		if w.Code != want || !strings.Contains(w.Body.String(), string(code)) || (w.Header().Get("Retry-After") != "") != (code == contracts.CodeInternal) {
			t.Errorf("%s: %d %v %s", code, w.Code, w.Header(), w.Body)
		}
		if len(u.calls.calls) != 0 {
			t.Errorf("%s: a call that was not recorded is open", code)
		}
	}
	u, office := refusingUI(nil, errors.New("the office is full"))
	if w := postKind(u, "/?agent=a", strings.NewReader("ls")); w.Code != 409 || len(office.recorded) != 0 {
		t.Errorf("full: %d %s", w.Code, w.Body)
	}
	w := httptest.NewRecorder()
	u.ServeEvents(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`[{"name":"abstract.status","agent":"a"},{"name":"abstract.status","agent":"a"}]`)))
	if w.Code != 409 || strings.Count(w.Body.String(), "CONFLICT") != 2 {
		t.Errorf("many: %d %s", w.Code, w.Body)
	}
}

// U4: the duration of a status sent now starts when the status is recorded; the duration of an
// earlier status starts at its own time.
func TestUIStatusLastsFromItsTime(t *testing.T) {
	for ts, want := range map[string][2]int64{"": {2000, 0}, `,"ts":500000000000`: {0, 500000002000}, `,"ts":900000000000`: {2000, 0}} {
		u, office := refusingUI(nil, nil)
		u.Now = func() time.Time { return time.UnixMilli(600000000000) }
		r := httptest.NewRequest(http.MethodPost, "/v1/events", strings.NewReader(`{"name":"abstract.status","payload":{"text":"T","duration":2}`+ts+`}`))
		u.ServeEvents(httptest.NewRecorder(), r)
		seen := office.recorded[0].(contracts.UISeen)
		if got := [2]int64{seen.Lasts, seen.UI.ExpiresAt}; got != want {
			t.Errorf("%q: %v, want %v", ts, got, want)
		}
	}
}

// A body with too many lines is refused before all of them are read.
func TestUIRefusesTooManyLines(t *testing.T) {
	u, _ := refusingUI(nil, nil)
	w := httptest.NewRecorder()
	body := "{}\n" + strings.Repeat("x\n", contracts.LimitBody/4)
	u.ServeEvents(w, httptest.NewRequest(http.MethodPost, "/v1/events", strings.NewReader(body)))
	if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "limit 1000") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// The error for an invalid line gives its position in the body.
func TestUIInvalidLineIsLocated(t *testing.T) {
	for body, want := range map[string]string{
		"{\"name\":\"abstract.status\"}\n{x}\n":               "the body is not valid JSON at line 2, column 2 (byte 28)",
		"{\"name\":\"abstract.status\"}\n\n \t{\"a\": \n{}\n": "the body is not valid JSON at line 3, column 8 (byte 35)",
	} {
		u, _ := refusingUI(nil, nil)
		w := httptest.NewRecorder()
		u.ServeEvents(w, httptest.NewRequest(http.MethodPost, "/v1/events", strings.NewReader(body)))
		if !strings.Contains(w.Body.String(), want) || strings.Contains(w.Body.String(), "line 1") {
			t.Errorf("%q: %s", body, w.Body)
		}
	}
}

type brokenBody struct{ io.Reader }

func (b brokenBody) Read(p []byte) (int, error) {
	if n, err := b.Reader.Read(p); err == nil {
		return n, nil
	}
	return 0, io.ErrUnexpectedEOF
}

func TestUIRefusesIncompleteBody(t *testing.T) {
	u, office := refusingUI(nil, nil)
	if w := postKind(u, "/", brokenBody{strings.NewReader("l")}); w.Code != 400 || len(office.recorded) != 0 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := postKind(u, "/", strings.NewReader(strings.Repeat("x", contracts.LimitBody+1))); w.Code != 413 || len(office.recorded) != 0 {
		t.Errorf("%d %.100s", w.Code, w.Body)
	}
}

// A result matches only calls from its own feed.
func TestOpenCalls(t *testing.T) {
	o := newOpenCalls(4)
	a, b := feed{"a", "s"}, feed{"b", "s"}
	o.start(openCall{feed: a, id: "1", tool: "x"})
	o.start(openCall{feed: a, id: "2", tool: "y"})
	if c, _, _ := o.end(endOf(a, &ui.ToolResult{Tool: ui.Unnamed}), ""); c != nil {
		t.Errorf("without a name, while two tools run: %+v", c)
	}
	o.start(openCall{feed: b, id: "1", tool: "x"})
	find := func(f feed, r ui.ToolResult) string {
		c, tell, _ := o.end(endOf(f, &r), "")
		if c == nil || !tell {
			return ""
		}
		return c.id
	}
	if got := find(a, ui.ToolResult{Tool: "y"}); got != "2" {
		t.Errorf("by its tool: %q", got)
	}
	if got := find(b, ui.ToolResult{Tool: ui.Unnamed, CallID: "2"}); got != "" {
		t.Errorf("of another feed: %q", got)
	}
	if got := find(b, ui.ToolResult{Tool: ui.Unnamed}); got != "1" {
		t.Errorf("the oldest: %q", got)
	}
	r := ui.ToolResult{Tool: ui.Unnamed, CallID: "1"}
	_, _, undo := o.end(endOf(a, &r), "first")
	if got := find(a, r); got != "" {
		t.Errorf("twice: %q", got)
	}
	undo()
	if got := find(a, r); got != "1" {
		t.Errorf("after an undo: %q", got)
	}
	for range 10 {
		o.start(openCall{feed: a, id: "n", tool: "x"})
	}
	if len(o.calls) != 4 {
		t.Errorf("%d calls are remembered", len(o.calls))
	}
}

// A call without a result is ended once, and so is a call that was dropped to make room for a newer
// one; a late result adds no second end.
func TestUICallsWithoutResultAreEnded(t *testing.T) {
	u, office := refusingUI(nil, nil)
	now := time.UnixMilli(1_000_000)
	u.Now = func() time.Time { return now }
	ends := func() (list []contracts.HUD) {
		for _, f := range office.recorded {
			if h, ok := f.(contracts.HUDSeen); ok && h.HUD.Event == contracts.HUDToolEnd {
				list = append(list, h.HUD)
			}
		}
		return list
	}
	postKind(u, "/v1/ui/tool_execution", strings.NewReader(`{"name":"read_file","arguments":{"path":"a.go"},"call_id":"c1"}`))
	now = now.Add(contracts.SilenceTool - time.Second)
	u.endOverdue(t.Context())
	if got := ends(); len(got) != 0 {
		t.Fatalf("too early: %+v", got)
	}
	now = now.Add(time.Second)
	u.endOverdue(t.Context())
	u.endOverdue(t.Context())
	got := ends()
	if len(got) != 1 || got[0].CorrelationID != "c1" || *got[0].DurationMS != contracts.SilenceTool.Milliseconds() || !strings.Contains(string(got[0].Result), hud.NoEnd) {
		t.Fatalf("%+v", got)
	}
	r := httptest.NewRequest(http.MethodPost, "/v1/ui/tool_result", strings.NewReader(`{"call_id":"c1","output":"late"}`))
	r.SetPathValue("kind", "tool_result")
	u.ServeKind(httptest.NewRecorder(), r)
	if got := ends(); len(got) != 1 {
		t.Errorf("a second end: %+v", got[1:])
	}
	for range contracts.LimitUICalls + 1 {
		postKind(u, "/v1/ui/tool_execution", strings.NewReader(`"ls"`))
	}
	u.endOverdue(t.Context())
	if got := ends(); len(got) != 2 { // c1 was dropped first; it had ended
		t.Errorf("%d ends", len(got))
	}
}

// A turn that a framework reports stays open while its session sends events, and is ended exactly
// once when the events stop.
func TestSilentReportedTurnIsEnded(t *testing.T) {
	u, office := refusingUI(nil, nil)
	now := time.UnixMilli(1_000_000)
	u.Now = func() time.Time { return now }
	say := func(body string) {
		r := httptest.NewRequest(http.MethodPost, "/v1/events?agent=a", strings.NewReader(body))
		u.ServeEvents(httptest.NewRecorder(), r)
	}
	say(`{"type":"hud","event":"turn_start","correlationId":"t1"}`)
	say(`{"type":"hud","event":"think_start","correlationId":"k1","parentId":"t1"}`)
	now = now.Add(contracts.SilenceTool - time.Second)
	say(`{"type":"hud","event":"think_end","correlationId":"k1","parentId":"t1"}`)
	now = now.Add(2 * time.Second)
	office.recorded = nil
	u.endOverdue(t.Context())
	if len(office.recorded) != 0 {
		t.Fatalf("too early: %+v", office.recorded)
	}
	now = now.Add(contracts.SilenceTool)
	u.endOverdue(t.Context())
	u.endOverdue(t.Context())
	if len(office.recorded) != 1 {
		t.Fatalf("%+v", office.recorded)
	}
	end := office.recorded[0].(contracts.HUDSeen).HUD
	if end.Event != contracts.HUDTurnEnd || end.CorrelationID != "t1" || !strings.Contains(string(end.Result), hud.NoEnd) {
		t.Errorf("%+v", end)
	}
}

// A reported turn is still open after a restart: events from its session keep it open, and it is
// ended exactly once when they stop. A result that arrives after the restart is still matched with
// its call.
func TestUITakesOverWhatIsOpen(t *testing.T) {
	u, office := refusingUI(nil, nil)
	now := time.UnixMilli(1_000_000)
	u.Now = func() time.Time { return now }
	opened := func(event contracts.HUDEvent, id, tool string) contracts.Opened {
		return contracts.Opened{TS: now.UnixMilli(), HUD: contracts.HUD{
			Event: event, CorrelationID: id, AgentID: "agent_a", Session: hudSession("agent_a", ""), Tool: tool, Args: []byte(`{"path":"a.go"}`),
		}}
	}
	u.TakeOver([]contracts.Opened{opened(contracts.HUDTurnStart, "t1", ""), opened(contracts.HUDToolStart, "c1", "read")})
	now = now.Add(contracts.SilenceTool - time.Second)
	r := httptest.NewRequest(http.MethodPost, "/v1/events?agent=a", strings.NewReader(`{"name":"abstract.tool_result","payload":{"name":"read_file","output":"text"}}`))
	u.ServeEvents(httptest.NewRecorder(), r)
	ends := func() (list []contracts.HUD) {
		for _, f := range office.recorded {
			if h, ok := f.(contracts.HUDSeen); ok && h.HUD.Event.Ends() {
				list = append(list, h.HUD)
			}
		}
		return list
	}
	now = now.Add(2 * time.Second)
	u.endOverdue(t.Context())
	if got := ends(); len(got) != 1 || got[0].CorrelationID != "c1" || got[0].Event != contracts.HUDToolEnd || *got[0].DurationMS != (contracts.SilenceTool-time.Second).Milliseconds() {
		t.Fatalf("%+v", got)
	}
	now = now.Add(contracts.SilenceTool)
	u.endOverdue(t.Context())
	u.endOverdue(t.Context())
	if got := ends(); len(got) != 2 || got[1].CorrelationID != "t1" || got[1].Event != contracts.HUDTurnEnd {
		t.Errorf("%+v", got)
	}
}

// A credential in a call or a result is redacted in all three copies: as sent, as drawn,
// and as activity.
func TestEveryCopyOfAnEventIsRedacted(t *testing.T) {
	u, office := refusingUI(nil, nil)
	secret := "sk-ant-api03-" + strings.Repeat("aB3", 12)
	for _, payload := range []string{
		`"arguments":{"path":"a.go","note":"PASSWORD=hunter2x9 ` + secret + `"}`, `"arguments":"{\"path\":\"a ` + secret + `\"}"`, `"arguments":{"name":"API_KEY","value":"hunter2x9"}`,
		`"output":"PASSWORD=hunter2x9\n` + secret + `"`, `"output":{"text":"` + secret + `","password":"hunter2x9"}`, `"error":"` + secret + `"`, `"content":[{"text":"` + secret + `"},{"text":"PASSWORD=hunter2x9"}]`,
	} {
		for _, kind := range []string{"tool_execution", "tool_result"} {
			office.recorded = nil
			body := `{"name":"abstract.` + kind + `","agent":"a","payload":{"tool":"read","call_id":"` + strconv.Itoa(len(payload)) + `",` + payload + `}}`
			u.ServeEvents(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/v1/events", strings.NewReader(body)))
			if len(office.recorded) != 2 {
				t.Fatalf("%s: %d facts, want the event and its activity", body, len(office.recorded))
			}
			seen, activity := office.recorded[0].(contracts.UISeen).UI, office.recorded[1].(contracts.HUDSeen).HUD
			for _, copied := range []string{string(seen.Raw), string(seen.Normalized), string(activity.Args) + string(activity.Result) + activity.Label} {
				if copied == "" || strings.Contains(copied, "hunter2") || strings.Contains(copied, secret) {
					t.Errorf("%s: %s", body, copied)
				}
			}
		}
	}
}
