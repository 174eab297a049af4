package server

import (
	"regexp"
	"strings"
	"testing"
)

// Only the web client's own files are served, and only by their exact names.
func TestOnlyClientFilesAreServed(t *testing.T) {
	r := startRig(t, Config{Crew: CrewNone})
	for _, path := range []string{
		"/assets/", "/assets/none.js", "/assets/index.html", "/index.html.br", "/favicon.svg.br", "/dist/index.html", "/web.go", "/package.json",
		"/assets/../index.html", "/assets/%2e%2e/index.html", "/assets/..%2f..%2fserver%2fclient.go", "/assets/%5c..%5cweb.go", "/assets/a%00.js",
	} {
		resp, body := r.do("GET", path, "")
		if resp.StatusCode != 404 && resp.StatusCode != 400 {
			t.Errorf("%s: %d %.80s", path, resp.StatusCode, body)
		}
	}
}

// Every file that the page refers to is embedded in the program.
func TestEveryFileOfTheClientIsEmbedded(t *testing.T) {
	r := startRig(t, Config{Crew: CrewNone})
	status, page, h := r.get("/", "")
	if status != 200 || h.Get("Content-Type") != "text/html; charset=utf-8" || !strings.Contains(page, `href="/text"`) {
		t.Fatalf("the page: %d %v", status, h)
	}
	names := regexp.MustCompile(`(?:src|href)="(/[^"]+)"`).FindAllStringSubmatch(page, -1)
	if len(names) < 3 {
		t.Fatalf("the page refers to too few files: %s", page)
	}
	for _, name := range names {
		if status, body, _ := r.get(name[1], ""); status != 200 || body == "" {
			t.Errorf("%s: %d", name[1], status)
		}
	}
	for _, inline := range []string{"<script>", "<style", " style=", "javascript:", "http:", "https:"} {
		if strings.Contains(page, inline) {
			t.Errorf("the page holds %q, which the policy forbids", inline)
		}
	}
}
