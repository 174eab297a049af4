package server

import (
	"bufio"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/web"
)

// fetch sends a request without decompressing the response.
func (r *rig) fetch(method, path string, header ...string) *http.Response {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, "http://"+r.addr+path, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := (&http.Transport{DisableCompression: true, DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { resp.Body.Close() })
	return resp
}

func unpacked(t *testing.T, body io.Reader) string {
	t.Helper()
	in, err := gzip.NewReader(body)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return string(plain)
}

// JSON responses are compressed for clients that accept compression, with a Vary header.
func TestJSONResponsesAreCompressed(t *testing.T) {
	r := startRig(t, Config{})
	for _, path := range []string{"/v1/events?limit=1000", "/v1/state", "/v1/export", "/contracts/schemas/events.schema.json", "/v1/scene/" + r.cfg.Scene.ID()} {
		plain, err := io.ReadAll(r.fetch("GET", path).Body)
		if err != nil {
			t.Fatal(err)
		}
		got := r.fetch("GET", path, "Accept-Encoding", "gzip")
		if len(plain) < contracts.LimitCompress {
			t.Fatalf("%s has only %d bytes", path, len(plain))
		}
		if got.Header.Get("Content-Encoding") != "gzip" || got.Header.Get("Vary") != "Accept-Encoding" || got.Header.Get("Content-Length") == "" && len(got.TransferEncoding) == 0 {
			t.Errorf("%s: %v", path, got.Header)
		}
		whole := unpacked(t, got.Body)
		if strings.HasPrefix(path, "/contracts") && whole != string(plain) { // other responses may have changed since
			t.Errorf("%s differs when compressed", path)
		}
		if !strings.HasPrefix(whole, "{") {
			t.Errorf("%s: %.80s", path, whole)
		}
	}
}

// Small responses, responses that are not JSON, and responses to clients that do not accept
// compression are sent as they are.
func TestOtherResponsesAreNotCompressed(t *testing.T) {
	r := startRig(t, Config{})
	for _, c := range []struct{ path, accept, encoding string }{
		{"/v1/state", "gzip;q=0", ""},
		{"/v1/state", "identity;q=1, gzip;q=0.5", ""},
		{"/v1/state", "gzip;q=0.5, identity;q=0.1", "gzip"},
		{"/v1/state", "br, *;q=0.1", "gzip"},
		{"/v1/state", "deflate", ""},
		{"/v1/state", "", ""},
		{"/healthz", "gzip", ""},
		{"/v1/projects/prj_none", "gzip", ""},
		{"/text", "gzip", ""},
	} {
		got := r.fetch("GET", c.path, "Accept-Encoding", c.accept)
		if got.Header.Get("Content-Encoding") != c.encoding {
			t.Errorf("%s with %q: %q", c.path, c.accept, got.Header.Get("Content-Encoding"))
		}
		if c.path == "/v1/state" && got.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s with %q: Vary %q", c.path, c.accept, got.Header.Get("Vary"))
		}
	}
	if got := r.fetch("HEAD", "/v1/state", "Accept-Encoding", "gzip"); got.StatusCode != 200 || got.Header.Get("Content-Encoding") != "" {
		t.Errorf("HEAD: %d %v", got.StatusCode, got.Header)
	}
}

// A compressed response can be revalidated by its ETag.
func TestCompressedResponsesAreRevalidated(t *testing.T) {
	r := startRig(t, Config{})
	path := "/contracts/schemas/events.schema.json"
	tag := r.fetch("GET", path, "Accept-Encoding", "gzip").Header.Get("ETag")
	if !strings.HasPrefix(tag, `W/"`) {
		t.Errorf("the ETag of compressed bytes is %s", tag)
	}
	if got := r.fetch("GET", path, "Accept-Encoding", "gzip", "If-None-Match", tag); got.StatusCode != http.StatusNotModified {
		t.Errorf("%d", got.StatusCode)
	}
	if got := r.fetch("GET", path, "Accept-Encoding", "gzip", "Range", "bytes=0-9"); got.StatusCode != http.StatusPartialContent || got.Header.Get("Content-Encoding") != "" {
		t.Errorf("a range: %d %v", got.StatusCode, got.Header)
	}
}

// An event stream arrives event by event, even for clients that accept gzip.
func TestEventStreamsAreNotBuffered(t *testing.T) {
	r := startRig(t, Config{})
	got := r.fetch("GET", "/v1/events/stream?after=0", "Accept-Encoding", "gzip", "Accept", "text/event-stream")
	if got.Header.Get("Content-Encoding") != "" || got.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%v", got.Header)
	}
	for in := bufio.NewScanner(got.Body); in.Scan(); {
		if strings.HasPrefix(in.Text(), "data: ") {
			return // the event arrived before the stream ended
		}
	}
	t.Error("no event arrived")
}

// Flushed data arrives immediately, and a truncated response is recognized as such.
func TestCompressedStreams(t *testing.T) {
	seen := make(chan struct{})
	srv := httptest.NewServer(web.Compress(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "application/x-ndjson")
		_, _ = io.WriteString(w, "{\"n\":1}\n")
		_ = http.NewResponseController(w).Flush()
		<-seen
		_, _ = io.WriteString(w, strings.Repeat("{\"n\":2}\n", 1000))
		if req.URL.Path == "/broken" {
			panic(http.ErrAbortHandler)
		}
	})))
	defer srv.Close()
	for _, path := range []string{"/", "/broken"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept-Encoding", "gzip")
		resp, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		in, err := gzip.NewReader(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		first := make([]byte, 8)
		if _, err := io.ReadFull(in, first); err != nil || string(first) != "{\"n\":1}\n" {
			t.Errorf("%q %v", first, err)
		}
		seen <- struct{}{}
		rest, err := io.ReadAll(in)
		if broken := path == "/broken"; broken == (err == nil) || !broken && len(rest) != 8000 {
			t.Errorf("%s: %d bytes, %v", path, len(rest), err)
		}
		resp.Body.Close()
	}
}

// Compressors are reused, but never shared by two responses.
func TestCompressorsAreNotShared(t *testing.T) {
	r := startRig(t, Config{})
	want, err := io.ReadAll(r.fetch("GET", "/contracts/schemas/events.schema.json").Body)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 10 {
				if got := unpacked(t, r.fetch("GET", "/contracts/schemas/events.schema.json", "Accept-Encoding", "gzip").Body); got != string(want) {
					t.Error("two answers were mixed")
				}
			}
		})
	}
	wg.Wait()
}
