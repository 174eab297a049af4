package web

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
)

const (
	cacheForever    = "public, max-age=31536000, immutable" // a file's name changes with its content
	cacheRevalidate = "private, no-cache"
)

var clientTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".json": "application/json; charset=utf-8", ".svg": "image/svg+xml", ".png": "image/png", ".webp": "image/webp", ".woff2": "font/woff2",
}

// clientForms lists the encodings of stored files, best first.
var clientForms = []struct{ encoding, suffix string }{{"br", ".br"}, {"gzip", ".gz"}, {"", ""}}

// client maps URL paths to the files of the built web client. Only paths in the map are served, so
// a request cannot reach any other file.
type client map[string]*clientFile

type clientFile struct {
	kind, cache string
	forms       []clientForm
}

type clientForm struct {
	encoding, etag string
	body           []byte
}

// Client returns the handler that serves the files of the built client.
func Client() http.Handler { return builtClient() }

var builtClient = sync.OnceValue(func() client {
	c, err := newClient(Files())
	if err != nil {
		panic(err) // the files are embedded in the program
	}
	return c
})

func newClient(files fs.FS) (client, error) {
	c := client{}
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(name, ".br") || strings.HasSuffix(name, ".gz") {
			return err
		}
		f, err := readClientFile(files, name)
		c["/"+name] = f
		return err
	})
	return c, err
}

func readClientFile(files fs.FS, name string) (*clientFile, error) {
	f := &clientFile{kind: clientTypes[path.Ext(name)], cache: cacheRevalidate}
	f.kind = cmp.Or(f.kind, "application/octet-stream")
	if strings.HasPrefix(name, "assets/") {
		f.cache = cacheForever
	}
	for _, form := range clientForms {
		body, err := fs.ReadFile(files, name+form.suffix)
		if err != nil && form.suffix != "" {
			continue // not worth compressing
		}
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(body)
		f.forms = append(f.forms, clientForm{form.encoding, `"` + hex.EncodeToString(sum[:16]) + `"`, body})
	}
	return f, nil
}

func (c client) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Path
	if name == "/" {
		name = "/index.html"
	}
	f, ok := c[name]
	if !ok {
		gate.Refuse(w, http.StatusNotFound, contracts.CodeNotFound, "no such file; reload the page if the office was updated")
		return
	}
	form := f.best(r.Header.Values("Accept-Encoding"))
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("Cache-Control", f.cache)
	h.Set("ETag", form.etag)
	if len(f.forms) > 1 {
		h.Set("Vary", "Accept-Encoding")
	}
	if form.encoding != "" {
		h.Set("Content-Encoding", form.encoding)
		h.Set("Content-Length", strconv.Itoa(len(form.body))) // ServeContent leaves it out for encoded content
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(form.body))
}

// best returns the first form that the browser accepts; every browser accepts the plain form.
func (f *clientFile) best(accept []string) clientForm {
	for _, form := range f.forms {
		if form.encoding == "" || accepts(accept, form.encoding) {
			return form
		}
	}
	return f.forms[len(f.forms)-1]
}

// accepts reports whether the Accept-Encoding header allows the encoding.
func accepts(accept []string, encoding string) bool {
	q, _ := quality(accept, encoding)
	return q > 0
}

// prefers reports whether the Accept-Encoding header allows the encoding and does not rank the
// plain form higher.
func prefers(accept []string, encoding string) bool {
	q, _ := quality(accept, encoding)
	plain, named := quality(accept, "identity")
	return q > 0 && (!named || q >= plain)
}

// quality returns the weight of an encoding (0 if the header does not allow it), and whether the
// header lists the encoding by name. A name takes precedence over "*".
func quality(accept []string, encoding string) (q float64, named bool) {
	for item := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		name, rest, _ := strings.Cut(item, ";")
		switch strings.ToLower(strings.TrimSpace(name)) {
		case encoding:
			return weight(rest), true
		case "*":
			q = weight(rest)
		}
	}
	return q, false
}

func weight(parameters string) float64 {
	value, ok := strings.CutPrefix(strings.ToLower(strings.ReplaceAll(parameters, " ", "")), "q=")
	if !ok {
		return 1
	}
	q, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return 0
	}
	return q
}
