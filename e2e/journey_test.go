package e2e_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/bullpen-office/bullpen/server"
)

const request = "Create a landing page plan + copy + design brief for a note app"

// One request goes all the way to a trophy, with a change request in between, and every deliverable
// has content.
func TestFirstMinute(t *testing.T) {
	addr := startServer(t, server.Config{Pace: 60})
	p := newPerson("first")
	if _, err := p.arrive(addr); err != nil {
		t.Fatal(err)
	}
	defer p.v.close()
	if err := p.give("submit_request", message{"text": request}); err != nil {
		t.Fatal(err)
	}
	if err := p.watch(); err != nil {
		t.Fatal(err)
	}
	if !p.trophy {
		t.Error("the finished project won no trophy")
	}
	for id, m := range p.answered {
		if m.str("type") != "ack" {
			t.Errorf("%s was refused: %v", id, m)
		}
	}
	state := get(t, addr, "/v1/state")
	artifacts, _ := state["artifacts"].([]any)
	versions := map[float64]int{}
	for _, a := range artifacts {
		row := message(a.(map[string]any))
		versions[row["version"].(float64)]++
		text := content(t, addr, row.str("artifact_id"))
		if len(text) != int(row["bytes"].(float64)) || !strings.Contains(strings.ToLower(text), "rehearsal") || !strings.Contains(strings.ToLower(text), "note") {
			t.Errorf("%s (%s) is not a labelled document about the request: %.200q", row.str("title"), row.str("artifact_id"), text)
		}
	}
	if versions[1] < 3 || versions[2] != 1 {
		t.Errorf("versions %v, want at least three first versions and one second version", versions)
	}
}

func get(t *testing.T, addr, path string) message {
	t.Helper()
	var m message
	if err := json.Unmarshal([]byte(fetch(t, addr, path)), &m); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return m
}

func content(t *testing.T, addr, artifact string) string {
	t.Helper()
	return fetch(t, addr, "/v1/artifacts/"+artifact+"/content")
}

func fetch(t *testing.T, addr, path string) string {
	t.Helper()
	client := http.Client{Timeout: testTimeout, Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get("http://" + addr + path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %v %s", path, resp.Status, err, b)
	}
	return string(b)
}
