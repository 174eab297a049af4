package server

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/connect"
	"github.com/bullpen-office/bullpen/contracts"
)

// startConnect starts an office on a machine with Claude Code and a model.
func startConnect(t *testing.T) (r *rig, cfg Config, settings string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("this test needs a shell script")
	}
	bin, home := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "claude"), []byte("#!/bin/sh\necho '2.1.197 (Claude Code)'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":/usr/bin:/bin")
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"object":"list","data":[{"id":"llama3.2"}]}`))
	}))
	t.Cleanup(model.Close)
	env := map[string]string{"OPENAI_BASE_URL": model.URL + "/v1", "OPENAI_API_KEY": "sk-secret", "OPENCLAW_GATEWAY_PORT": "1"}
	cfg = Config{DataDir: t.TempDir(), Connect: connect.Config{Program: "/opt/bullpen", Home: home, Getenv: func(name string) string { return env[name] }}}
	return startRig(t, cfg), cfg, filepath.Join(home, ".claude", "settings.json")
}

func (r *rig) connectItem(body, id string) (report contracts.ConnectReport, it contracts.ConnectItem) {
	r.t.Helper()
	if err := json.Unmarshal([]byte(body), &report); err != nil {
		r.t.Fatalf("%v: %s", err, body)
	}
	i := slices.IndexFunc(report.Items, func(it contracts.ConnectItem) bool { return it.ID == id })
	if i < 0 {
		r.t.Fatalf("no %s in %s", id, body)
	}
	return report, report.Items[i]
}

// Every operator sees which agents on the office's machine can be connected, without secrets; only
// the operator credential can connect one.
func TestConnect(t *testing.T) {
	r, cfg, settings := startConnect(t)
	owner := cfg.ownerToken(t)
	status, body, _ := r.get("/v1/connect", "")
	report, it := r.connectItem(body, "claude")
	if status != http.StatusOK || report.Permit || report.Crew != CrewRehearsal || it.State != contracts.ConnectFound || it.Plan == nil {
		t.Errorf("%d %s", status, body)
	}
	if _, model := r.connectItem(body, "model"); model.Command != "bullpen serve --crew openai --model llama3.2" || strings.Contains(body, "sk-secret") {
		t.Errorf("%+v", model)
	}
	if resp, body := r.do("POST", "/v1/connect/claude", ""); resp.StatusCode != http.StatusForbidden || !strings.Contains(body, "bullpen open") {
		t.Errorf("a caller without a credential changed a file: %d %s", resp.StatusCode, body)
	}
	if _, err := os.Stat(settings); err == nil {
		t.Fatal("the refused request wrote the settings")
	}
	resp, body := r.do("POST", "/v1/connect/claude", owner)
	if report, it = r.connectItem(body, "claude"); resp.StatusCode != http.StatusOK || !report.Permit || it.State != contracts.ConnectConnected || it.Plan != nil {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
	if text, err := os.ReadFile(settings); err != nil || !strings.Contains(string(text), "/opt/bullpen' hook claude") {
		t.Errorf("%v %s", err, text)
	}
	for _, id := range []string{"claude", "model", "nothing"} {
		if resp, body := r.do("POST", "/v1/connect/"+id, owner); resp.StatusCode != http.StatusConflict || !strings.Contains(body, "run the command") {
			t.Errorf("%s: %d %s", id, resp.StatusCode, body)
		}
	}
}

func TestConnectRoles(t *testing.T) {
	r, cfg, _ := startConnect(t)
	for role, want := range map[contracts.AccessRole]int{contracts.AccessViewer: http.StatusForbidden, contracts.AccessAgent: http.StatusForbidden, contracts.AccessOperator: http.StatusOK} {
		if status, body, _ := r.get("/v1/connect", madeToken(t, cfg.DataDir, role, "")); status != want {
			t.Errorf("%s: %d %s", role, status, body)
		}
	}
}
