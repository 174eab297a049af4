package server

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
)

// W10, W15: a request can be taken all the way to approval over HTTP and WebSocket.
func TestRequestToApproval(t *testing.T) {
	r := startRig(t, Config{DataDir: t.TempDir()})
	v := r.dial("")
	id := v.commission("Write a short plan for our summer party").ArtifactID
	status, body, h := r.get("/v1/artifacts/"+id+"/content", "")
	sum := sha256.Sum256([]byte(body))
	if status != 200 || body == "" || h.Get("ETag") != `"`+hex.EncodeToString(sum[:])+`"` {
		t.Fatalf("content: %d, etag %s, %d bytes", status, h.Get("ETag"), len(body))
	}
	if h.Get("Content-Type") != "text/plain; charset=utf-8" || h.Get("X-Content-Type-Options") != "nosniff" || !strings.HasPrefix(h.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("content could be executed: %v", h)
	}
	if _, _, h := r.get("/v1/artifacts/"+id+"/content?raw", ""); !strings.HasPrefix(h.Get("Content-Disposition"), "attachment") {
		t.Errorf("raw content is shown instead of saved: %v", h)
	}
	v.command(contracts.CmdApproveArtifact, contracts.ApproveArtifact{ArtifactID: id})
	approved := v.untilEvent(func(e contracts.Event) bool { return e.Name == contracts.EventReviewApproved && e.ArtifactID == id })
	if approved.By != gate.LocalID || approved.Via != "this machine, without a token" {
		t.Errorf("approved by %q via %q", approved.By, approved.Via)
	}
	var row contracts.Artifact
	status, body, _ = r.get("/v1/artifacts/"+id, "")
	if err := json.Unmarshal([]byte(body), &row); err != nil || status != 200 || row.Status != contracts.ArtifactApproved {
		t.Errorf("row: %d %s %v", status, body, err)
	}
	if status, body, _ := r.get("/text", ""); status != 200 || !strings.Contains(body, id) {
		t.Errorf("the page does not show the delivery: %d", status)
	}
}

// Everything acknowledged survives a restart.
func TestRestartKeepsEverything(t *testing.T) {
	dir := t.TempDir()
	first := startRig(t, Config{DataDir: dir, Crew: CrewNone})
	v := first.dial("")
	v.command(contracts.CmdSubmitRequest, contracts.SubmitRequest{Text: "Remember me"})
	v.until("ack")
	if code := shutdownCode(first, v); code != contracts.CloseGoingAway {
		t.Errorf("the viewer was closed with %d, want 1001", code)
	}
	first.stop()
	second := startRig(t, Config{DataDir: dir, Crew: CrewNone})
	if _, body, _ := second.get("/v1/state", ""); !strings.Contains(body, "Remember me") {
		t.Errorf("forgotten: %s", body)
	}
}

func shutdownCode(r *rig, v *viewer) contracts.CloseCode {
	go func() { _ = r.Shutdown(r.t.Context()) }()
	for {
		if _, code := v.read(); code != 0 {
			return code
		}
	}
}

func TestEndpointsAndRefusals(t *testing.T) {
	r := startRig(t, Config{Crew: CrewNone})
	for _, tt := range []struct {
		method, path string
		want         int
		holds        string
	}{
		{"GET", "/", 200, "<title>Bullpen</title>"},
		{"GET", "/text", 200, "<h1>Bullpen</h1>"},
		{"GET", "/favicon.svg", 200, "<svg"},
		{"GET", "/app.js", 200, "textContent"},
		{"GET", "/app.css", 200, "body"},
		{"GET", "/healthz", 200, `"status":"ok"`},
		{"GET", "/readyz", 200, `"ready":true`},
		{"GET", "/metrics", 200, "bullpen_hub_lag_records"},
		{"GET", "/v1/state", 200, `"agents":[`},
		{"GET", "/v1/events?after=0&limit=5", 200, `"next_after"`},
		{"GET", "/v1/scene/" + contracts.DefaultScene, 200, `"pois":[`},
		{"GET", "/contracts/schemas/protocol-envelope.schema.json", 200, `"$id"`},
		{"HEAD", "/healthz", 200, ""},

		{"GET", "/v1/scene/" + contracts.StudioScene, 200, `"poi_desk_12"`},
		{"GET", "/v1/scene/" + contracts.GardenScene, 200, `"poi_garden_fire"`},
		{"GET", "/v1/scene/other", 404, "NOT_FOUND"},
		{"GET", "/v1/scene/..%2f..%2fetc%2fpasswd", 400, "VALIDATION_FAILED"},
		{"GET", "/v1/artifacts/art_none", 404, "NOT_FOUND"},
		{"GET", "/v1/artifacts/art_none/content", 404, "NOT_FOUND"},
		{"GET", "/v1/artifacts/evt_s1/content", 404, "NOT_FOUND"},
		{"GET", "/v1/decisions/dec_none", 404, "NOT_FOUND"},
		{"GET", "/v1/projects/proj_none", 404, "NOT_FOUND"},
		{"GET", "/v1/tasks/task_none", 404, "NOT_FOUND"},
		{"GET", "/contracts/", 404, "NOT_FOUND"},
		{"GET", "/contracts/schemas", 404, "NOT_FOUND"},
		{"GET", "/contracts/schemas/none.json", 404, "NOT_FOUND"},
		{"GET", "/token", 404, "NOT_FOUND"},
		{"GET", "/page/app.js", 404, "NOT_FOUND"},
		{"POST", "/v1/state", 405, "VALIDATION_FAILED"},
		{"DELETE", "/healthz", 405, "VALIDATION_FAILED"},
	} {
		resp, body := r.do(tt.method, tt.path, "")
		if resp.StatusCode != tt.want || !strings.Contains(body, tt.holds) {
			t.Errorf("%s %s: %d %.200s", tt.method, tt.path, resp.StatusCode, body)
		}
		if resp.StatusCode == 405 && resp.Header.Get("Allow") == "" {
			t.Errorf("%s %s: 405 without Allow", tt.method, tt.path)
		}
		if resp.Header.Get("Content-Security-Policy") == "" || resp.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s %s: no security headers", tt.method, tt.path)
		}
	}
}

func TestPageObeysItsOwnPolicy(t *testing.T) {
	r := startRig(t, Config{Crew: CrewNone})
	_, page, _ := r.get("/text", "")
	for _, inline := range []string{"<script>", "<style", " style=", " onclick=", "javascript:"} {
		if strings.Contains(page, inline) {
			t.Errorf("the page holds %q, which the policy forbids", inline)
		}
	}
	_, script, _ := r.get("/app.js", "")
	for _, sink := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("} {
		if strings.Contains(script, sink) {
			t.Errorf("the script uses %s", sink)
		}
	}
}

// S2: agents may report but not read.
func TestRolesOfEndpoints(t *testing.T) {
	dir := t.TempDir()
	r := startRig(t, Config{DataDir: dir, Crew: CrewNone, RequireToken: true})
	store, err := gate.OpenTokens(dir)
	if err != nil {
		t.Fatal(err)
	}
	secret := func(role contracts.AccessRole) (string, string) {
		made, s, err := store.Create(gate.Token{Role: role, Created: time.Now()})
		if err != nil {
			t.Fatal(err)
		}
		return made.ID, s
	}
	_, agent := secret(contracts.AccessAgent)
	id, viewerToken := secret(contracts.AccessViewer)
	for _, path := range []string{"/", "/text", "/v1/state", "/ws/world", "/ws/hud", "/v1/events", "/v1/events/stream"} {
		if status, _, _ := r.get(path, agent); status != http.StatusForbidden {
			t.Errorf("an agent got %d at %s", status, path)
		}
		if status, _, _ := r.get(path, ""); status != http.StatusUnauthorized {
			t.Errorf("no credential got %d at %s", status, path)
		}
	}
	v := r.dial(viewerToken)
	v.command(contracts.CmdSubmitRequest, contracts.SubmitRequest{Text: "I only look"})
	for {
		m, code := v.read()
		if code != 0 || m.Type == "ack" {
			t.Fatalf("a viewer gave a command: %d %s", code, m.Payload)
		}
		if m.Type == "error" {
			if !strings.Contains(string(m.Payload), string(contracts.CodeNotAllowed)) {
				t.Errorf("refused with %s", m.Payload)
			}
			break
		}
	}
	if err := store.Revoke(id); err != nil {
		t.Fatal(err)
	}
	for {
		if _, code := v.read(); code != 0 {
			if code != contracts.CloseRevoked {
				t.Errorf("closed with %d, want 4003", code)
			}
			break
		}
	}
}

func TestNotReadyWithoutAHub(t *testing.T) {
	r := startRig(t, Config{Crew: CrewNone})
	r.readers.Stop() // viewers see nothing new from now on
	if status, body, _ := r.get("/readyz", ""); status != http.StatusServiceUnavailable || !strings.Contains(body, "stopped following") {
		t.Errorf("without a hub: %d %s", status, body)
	}
	if status, _, _ := r.get("/healthz", ""); status != http.StatusOK {
		t.Errorf("the process is alive, but /healthz says %d", status)
	}
}
