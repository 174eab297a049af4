package server

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/hud"
)

// toolEnd records the end of a call, stores the whole result if the event contains only part of it,
// and returns the event's id.
func (r *rig) toolEnd(result any, once bool) (id string) {
	r.t.Helper()
	id = uuid.NewString()
	end, whole := hud.ToolEnd(hud.Source{}, id, hud.Span{Correlation: "call_1"}, hud.Call{Tool: "read"}, result, time.Second)
	if whole != nil {
		if _, err := r.ledger.PutBlob(r.t.Context(), whole); err != nil {
			r.t.Fatal(err)
		}
	}
	if err := r.office.Record(r.t.Context(), contracts.HUDSeen{HUD: end, Once: once}); err != nil {
		r.t.Fatal(err)
	}
	return id
}

// H4: the event for a large result contains only part of it, and a reference to the whole result.
func TestHUDResult(t *testing.T) {
	r := startRig(t, Config{})
	long := strings.Repeat("a line of text\n", 10_000)
	id := r.toolEnd(hud.Read("a.md", long), false)
	status, body, header := r.get("/v1/hud/"+id+"/result", "")
	var got struct {
		ID     string         `json:"id"`
		Result hud.ReadResult `json:"result"`
	}
	if err := json.Unmarshal([]byte(body), &got); err != nil || status != http.StatusOK || got.ID != id || got.Result.Text != long || got.Result.Truncated {
		t.Fatalf("%d, %d bytes: %v", status, len(body), err)
	}
	if header.Get("Content-Type") != "application/json" || header.Get("ETag") == "" {
		t.Errorf("headers %v", header)
	}

	small := r.toolEnd(hud.Read("a.md", "short"), true)
	if status, body, _ := r.get("/v1/hud/"+small+"/result", ""); status != http.StatusOK || !strings.Contains(body, `"text":"short"`) || !strings.Contains(body, small) {
		t.Errorf("inline: %d %s", status, body)
	}
}

// A request for a missing result is refused with the reason.
func TestMissingHUDResultIsExplained(t *testing.T) {
	r := startRig(t, Config{})
	lost := uuid.NewString()
	end, _ := hud.ToolEnd(hud.Source{}, lost, hud.Span{}, hud.Call{Tool: "exec"}, hud.Exec("yes", 0, strings.Repeat("y\n", 20_000), ""), 0)
	without := contracts.HUD{UUID: uuid.NewString(), Event: contracts.HUDTurnStart, CorrelationID: "t"}
	for _, f := range []contracts.HUDSeen{{HUD: end}, {HUD: without, Once: true}} {
		if err := r.office.Record(t.Context(), f); err != nil {
			t.Fatal(err)
		}
	}
	for id, reason := range map[string]string{
		lost:                                     "never stored",
		without.UUID:                             "no result for activity",
		uuid.NewString():                         "it is unknown",
		strings.Repeat("x", contracts.LimitID+1): "it is unknown",
	} {
		if status, body, _ := r.get("/v1/hud/"+id+"/result", ""); status != http.StatusNotFound || !strings.Contains(body, reason) {
			t.Errorf("%.40s: %d %s, want a reason with %q", id, status, body, reason)
		}
	}
	if resp, _ := r.do("POST", "/v1/hud/"+lost+"/result", ""); resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", resp.StatusCode)
	}
}

// Retention removes a stored result together with its HUD fact, but no other content.
func TestUpkeepRemovesResults(t *testing.T) {
	r := startRig(t, Config{Upkeep: time.Millisecond, KeepActivity: time.Nanosecond, Crew: CrewNone})
	kept, err := r.ledger.PutBlob(t.Context(), []byte("a deliverable"))
	if err != nil {
		t.Fatal(err)
	}
	id := r.toolEnd(hud.Read("a.md", strings.Repeat("text\n", 10_000)), false)
	r.untilTrue("the fact is gone", func() bool {
		status, _, _ := r.get("/v1/hud/"+id+"/result", "")
		return status == http.StatusNotFound
	})
	stats, err := r.ledger.Stats(t.Context())
	if err != nil || stats.Blobs != 1 {
		t.Errorf("%d pieces of content are left, want 1: %v", stats.Blobs, err)
	}
	if _, ok, err := r.ledger.Blob(t.Context(), kept); !ok || err != nil {
		t.Errorf("the deliverable: %v %v", ok, err)
	}
}
