package web

import (
	"compress/gzip"
	"mime"
	"net/http"
	"strings"
	"sync"

	"github.com/bullpen-office/bullpen/contracts"
)

// gzips is a pool of idle gzip writers, which use about 800 KB each.
var gzips = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level is a constant
	}
	return w
}}

// Compress gzips JSON responses of at least contracts.LimitCompress bytes to GET requests from
// clients that accept gzip. Everything else is passed through.
//
// A response to a POST is not compressed, because it can repeat the request next to secret data:
// its compressed length would then reveal how similar the two are.
func Compress(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.Header.Get("Upgrade") != "" || r.Header.Get("Range") != "" {
			next.ServeHTTP(w, r)
			return
		}
		c := &compressor{ResponseWriter: w, accepted: prefers(r.Header.Values("Accept-Encoding"), "gzip")}
		done := false
		defer func() {
			if !done { // after a panic, do not complete the gzip stream: the response must not look whole
				c.releaseGzip()
			}
		}()
		next.ServeHTTP(c, r)
		done = true
		c.finish()
	})
}

// compressor buffers the beginning of a response until it is clear whether to compress it.
type compressor struct {
	http.ResponseWriter
	accepted bool // the client accepts gzip
	status   int
	held     []byte
	started  bool
	gzip     *gzip.Writer // nil if the response is passed through
}

// Unwrap returns the underlying writer, so that http.ResponseController can set deadlines.
func (c *compressor) Unwrap() http.ResponseWriter { return c.ResponseWriter }

func (c *compressor) WriteHeader(status int) {
	switch {
	case status < http.StatusOK:
		c.ResponseWriter.WriteHeader(status)
	case c.status == 0:
		if c.status = status; !c.compressible() {
			c.start(false)
		}
	}
}

func (c *compressor) Write(p []byte) (int, error) {
	if c.status == 0 {
		if c.Header().Get("Content-Type") == "" {
			c.Header().Set("Content-Type", http.DetectContentType(p))
		}
		c.WriteHeader(http.StatusOK)
	}
	if !c.started {
		if len(c.held)+len(p) < contracts.LimitCompress {
			c.held = append(c.held, p...)
			return len(p), nil
		}
		if err := c.start(true); err != nil {
			return 0, err
		}
	}
	if c.gzip != nil {
		return c.gzip.Write(p)
	}
	return c.ResponseWriter.Write(p)
}

// FlushError sends everything written so far, compressed or not.
func (c *compressor) FlushError() error {
	if c.status == 0 {
		c.WriteHeader(http.StatusOK)
	}
	if err := c.start(len(c.held) > 0); err != nil {
		return err
	}
	if c.gzip != nil {
		if err := c.gzip.Flush(); err != nil {
			return err
		}
	}
	return http.NewResponseController(c.ResponseWriter).Flush()
}

// Flush is FlushError for handlers that use http.Flusher.
func (c *compressor) Flush() { _ = c.FlushError() }

// compressible reports whether the response is JSON with status 200, without a content encoding and
// without cookies.
func (c *compressor) compressible() bool {
	h := c.Header()
	if c.status != http.StatusOK || h.Get("Content-Encoding") != "" || len(h.Values("Set-Cookie")) > 0 {
		return false
	}
	media, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && (media == "application/json" || media == "application/x-ndjson")
}

// start sends the header and the buffered start of the body, compressed if pack is set, the client
// accepts gzip and the response is compressible.
func (c *compressor) start(pack bool) error {
	if c.started {
		return nil
	}
	c.started = true
	h := c.Header()
	if c.compressible() {
		h.Add("Vary", "Accept-Encoding")
		if pack && c.accepted {
			h.Set("Content-Encoding", "gzip")
			h.Del("Content-Length")
			h.Del("Accept-Ranges")
			if tag := h.Get("ETag"); strings.HasPrefix(tag, `"`) {
				h.Set("ETag", "W/"+tag) // weak: the same content, different bytes
			}
			c.gzip = gzips.Get().(*gzip.Writer)
			c.gzip.Reset(c.ResponseWriter)
		}
	}
	c.ResponseWriter.WriteHeader(c.status)
	held := c.held
	if c.held = nil; len(held) == 0 {
		return nil
	}
	_, err := c.Write(held)
	return err
}

// finish sends the rest of the response.
func (c *compressor) finish() {
	if c.status != 0 {
		_ = c.start(false)
	}
	if c.gzip != nil {
		_ = c.gzip.Close()
		c.releaseGzip()
	}
}

// releaseGzip returns the gzip writer, if there is one, to the pool.
func (c *compressor) releaseGzip() {
	if w := c.gzip; w != nil {
		c.gzip = nil
		w.Reset(nil)
		gzips.Put(w)
	}
}
