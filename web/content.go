package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// contentPolicy prevents browsers from running anything that an agent wrote.
const contentPolicy = "sandbox; default-src 'none'; img-src 'self'; style-src 'none'; frame-ancestors 'none'"

// ServeArtifact serves the content of a deliverable. Whatever type the agent claims, the browser
// shows the content as text or as an image, or downloads it.
func ServeArtifact(w http.ResponseWriter, r *http.Request, row contracts.Artifact, content []byte) {
	kind, disposition := presentation(row.MIME, r.URL.Query().Has("raw"))
	h := w.Header()
	h.Set("Content-Disposition", mime.FormatMediaType(disposition, map[string]string{"filename": fileName(row)}))
	h.Set("Content-Security-Policy", contentPolicy)
	ServeHashed(w, r, kind, row.SHA256, content)
}

// presentation returns the content type and disposition for a claimed MIME type. Text and a few
// image types are shown; everything else, and everything if raw is set, is a download.
func presentation(claimed string, raw bool) (kind, disposition string) {
	base, _, err := mime.ParseMediaType(claimed)
	if err != nil {
		base = ""
	}
	text := strings.HasPrefix(base, "text/") || base == "application/json" || base == "application/x-yaml" || base == "image/svg+xml"
	switch {
	case raw && base != "":
		return base, "attachment"
	case text:
		return "text/plain; charset=utf-8", "inline"
	case base == "image/png", base == "image/jpeg", base == "image/gif", base == "image/webp":
		return base, "inline"
	}
	return "application/octet-stream", "attachment"
}

var extensions = map[string]string{
	"text/markdown": ".md", "text/plain": ".txt", "text/html": ".html", "text/css": ".css", "text/csv": ".csv",
	"application/json": ".json", "image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "image/svg+xml": ".svg",
}

// fileName returns the name of a download. It uses only the id, because a title can contain
// characters that are unsafe in a file name.
func fileName(a contracts.Artifact) string {
	base, _, _ := mime.ParseMediaType(a.MIME)
	return a.ArtifactID + extensions[base]
}

// ServeBytes serves body with a hash of its content as the ETag.
func ServeBytes(w http.ResponseWriter, r *http.Request, kind string, body []byte) {
	sum := sha256.Sum256(body)
	ServeHashed(w, r, kind, hex.EncodeToString(sum[:16]), body)
}

// ServeHashed serves body with hash as its ETag.
func ServeHashed(w http.ResponseWriter, r *http.Request, kind, hash string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", "private, no-cache")
	h.Set("ETag", `"`+hash+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}
