package web

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

func smallClient(t *testing.T) client {
	t.Helper()
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	c, err := newClient(fstest.MapFS{
		"index.html":        file("<!doctype html>"),
		"index.html.br":     file("br of index"),
		"favicon.svg":       file("<svg/>"),
		"assets/a-1.js":     file("plain script"),
		"assets/a-1.js.br":  file("br of script"),
		"assets/a-1.js.gz":  file("gz of script"),
		"assets/n-1.woff2":  file("font"),
		"assets/x-1.wasm":   file("unknown type"),
		"assets/s-1.css":    file("body{}"),
		"assets/s-1.css.gz": file("gz of style"),
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func ask(h http.Handler, method, path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestClientSendsTheSmallestAcceptedForm(t *testing.T) {
	c := smallClient(t)
	for _, tt := range []struct{ path, accept, encoding, body string }{
		{"/assets/a-1.js", "gzip, deflate, br, zstd", "br", "br of script"},
		{"/assets/a-1.js", "gzip", "gzip", "gz of script"},
		{"/assets/a-1.js", "GZIP;q=0.5", "gzip", "gz of script"},
		{"/assets/a-1.js", "br;q=0, gzip", "gzip", "gz of script"},
		{"/assets/a-1.js", "br; q=0.000, *", "gzip", "gz of script"},
		{"/assets/a-1.js", "*", "br", "br of script"},
		{"/assets/a-1.js", "*;q=0", "", "plain script"},
		{"/assets/a-1.js", "br;q=nonsense", "", "plain script"},
		{"/assets/a-1.js", "deflate, brotli", "", "plain script"},
		{"/assets/a-1.js", "", "", "plain script"},
		{"/assets/s-1.css", "br, gzip", "gzip", "gz of style"},
		{"/assets/n-1.woff2", "br, gzip", "", "font"},
		{"/", "br", "br", "br of index"},
	} {
		w := ask(c, "GET", tt.path, "Accept-Encoding", tt.accept)
		if w.Code != 200 || w.Header().Get("Content-Encoding") != tt.encoding || w.Body.String() != tt.body {
			t.Errorf("%s with %q: %d %q %q", tt.path, tt.accept, w.Code, w.Header().Get("Content-Encoding"), w.Body)
		}
		if got := w.Header().Get("Content-Length"); got != strconv.Itoa(len(tt.body)) {
			t.Errorf("%s with %q: Content-Length %s", tt.path, tt.accept, got)
		}
		if packed := tt.path != "/assets/n-1.woff2"; packed != (w.Header().Get("Vary") == "Accept-Encoding") {
			t.Errorf("%s: Vary %q", tt.path, w.Header().Get("Vary"))
		}
	}
	if w := ask(c, "GET", "/assets/a-1.js", "Accept-Encoding", "identity", "Accept-Encoding", "br"); w.Header().Get("Content-Encoding") != "br" {
		t.Error("a second Accept-Encoding line was not read")
	}
}

func TestClientTypesAndCaching(t *testing.T) {
	c := smallClient(t)
	for _, tt := range []struct{ path, kind, cache string }{
		{"/", "text/html; charset=utf-8", cacheRevalidate},
		{"/favicon.svg", "image/svg+xml", cacheRevalidate},
		{"/assets/a-1.js", "text/javascript; charset=utf-8", cacheForever},
		{"/assets/s-1.css", "text/css; charset=utf-8", cacheForever},
		{"/assets/n-1.woff2", "font/woff2", cacheForever},
		{"/assets/x-1.wasm", "application/octet-stream", cacheForever},
	} {
		w := ask(c, "GET", tt.path)
		h := w.Header()
		if h.Get("Content-Type") != tt.kind || h.Get("Cache-Control") != tt.cache || h.Get("ETag") == "" {
			t.Errorf("%s: %v", tt.path, h)
		}
		if again := ask(c, "GET", tt.path, "If-None-Match", h.Get("ETag")); again.Code != http.StatusNotModified || again.Body.Len() != 0 {
			t.Errorf("%s asked again: %d", tt.path, again.Code)
		}
		if head := ask(c, "HEAD", tt.path); head.Code != 200 || head.Body.Len() != 0 || head.Header().Get("Content-Length") == "" {
			t.Errorf("HEAD %s: %d %v", tt.path, head.Code, head.Header())
		}
	}
	plain, packed := ask(c, "GET", "/assets/a-1.js"), ask(c, "GET", "/assets/a-1.js", "Accept-Encoding", "br")
	if plain.Header().Get("ETag") == packed.Header().Get("ETag") {
		t.Error("two forms share one ETag: a cache would mix them")
	}
}

// A built .gz file has the same content as the plain file.
func TestBuiltFormsHaveTheSameContent(t *testing.T) {
	for name, file := range builtClient() {
		for _, form := range file.forms {
			if form.encoding == "gzip" && unzip(t, form.body) != string(file.forms[len(file.forms)-1].body) {
				t.Errorf("%s.gz is not %s", name, name)
			}
		}
	}
}

func unzip(t *testing.T, packed []byte) string {
	t.Helper()
	z, err := gzip.NewReader(strings.NewReader(string(packed)))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(plain)
}
