package intake

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
	"github.com/bullpen-office/bullpen/hud/status"
	"github.com/bullpen-office/bullpen/hud/ui"
)

// UISource is the source of agents that send workflow events.
var UISource = contracts.Source{Source: contracts.SourceUI, Label: "Script", Color: "#7d5a9e"}

// Guests is the part of the roster that workflow events use. Join returns once an agent is
// admitted; joining again with the same profile changes nothing. AddEvidence adds evidence and
// never waits.
type Guests interface {
	Join(ctx context.Context, p contracts.AgentProfile, proof Proof) error
	AddEvidence(ctx context.Context, agentID string, e status.Evidence)
}

// Blobs stores content by its hash; the content is durable when PutBlob returns.
type Blobs interface {
	PutBlob(ctx context.Context, content []byte) (sha256 string, err error)
}

// UIConfig configures the receiver of workflow events. All but the last four fields are
// required.
type UIConfig struct {
	Office    Office
	Guests    Guests
	Blobs     Blobs
	Agent     func(id string) (contracts.AgentProfile, bool) // returns an agent that is in the office now
	Principal func(*http.Request) contracts.Principal        // returns the sender of a request

	Roots   hud.Roots        // to shorten paths for viewers
	NewUUID func() string    // nil means random
	Now     func() time.Time // nil means time.Now
	Log     *slog.Logger     // nil means no logging
}

// UI receives workflow events. Once they are durable, it responds with the result of each event.
// Events with the same source and id are recorded once, even if their contents differ. Run ends calls
// that never receive a result.
type UI struct {
	UIConfig
	calls *openCalls
}

// NewUI returns a receiver of workflow events; empty fields of cfg get their defaults.
func NewUI(cfg UIConfig) *UI {
	if cfg.NewUUID == nil {
		cfg.NewUUID = uuid.NewString
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	return &UI{UIConfig: cfg, calls: newOpenCalls(contracts.LimitUICalls)}
}

// ServeKind handles POST /v1/ui/{kind}: the body is the payload, as text or JSON.
func (u *UI) ServeKind(w http.ResponseWriter, r *http.Request) {
	kind := r.PathValue("kind")
	if _, ok := kinds[kind]; !ok {
		refuse(w, contracts.Refuse(contracts.CodeNotFound, "unknown kind of UI event %q; use one of %s",
			contracts.Clip(contracts.CleanLine(kind), contracts.LimitName), strings.Join(ui.Kinds, ", ")))
		return
	}
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	e := fromRequest(r, body)
	e.name = ui.NameOf(kind)
	var refusal *contracts.Refusal
	if e.payload, refusal = payloadOf(body, r.Header.Get("Content-Type")); refusal != nil {
		refuse(w, refusal)
		return
	}
	if e.id == "" {
		e.id = idWithin(e.payload, kinds[kind])
	}
	u.answer(w, r, []event{e}, false)
}

// kinds maps each kind of UI event to the members of its payload that may contain the event's id.
// For tool events, the member `id` is not used, because it is the call's id, which the call's start
// and result share.
var kinds = map[string][]string{
	"status": {"event_id", "id"}, "message": {"event_id", "id"}, "progress": {"event_id", "id"}, "ask": {"event_id", "id"},
	"tool_execution": {"event_id"}, "tool_result": {"event_id"},
}

// ServeEvents handles POST /v1/events. The body contains one event, a list of events, one event per
// line, or CloudEvents.
func (u *UI) ServeEvents(w http.ResponseWriter, r *http.Request) {
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	events, many, refusal := readEvents(r, body)
	if refusal == nil && len(events) > contracts.LimitEvents {
		refusal = contracts.Refuse(contracts.CodeValidationFailed, "too many events in one request (limit %d); split the request", contracts.LimitEvents)
	}
	if refusal != nil {
		refuse(w, refusal)
		return
	}
	u.answer(w, r, events, many)
}

// answer records events or, with dry_run, only describes how they would be drawn.
func (u *UI) answer(w http.ResponseWriter, r *http.Request, events []event, many bool) {
	switch r.URL.Query().Get("dry_run") {
	case "", "0", "false":
	default:
		answerDry(w, events, many)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), contracts.CommandTimeout)
	defer cancel()
	p := post{UI: u, principal: u.Principal(r), now: u.Now().UnixMilli(), agents: map[string]eventAgent{}}
	answerOutcomes(w, p.record(ctx, events), many)
}
