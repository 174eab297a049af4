package web

import "testing"

func TestPresentation(t *testing.T) {
	for _, tt := range []struct {
		mime              string
		raw               bool
		kind, disposition string
	}{
		{"text/markdown", false, "text/plain; charset=utf-8", "inline"},
		{"text/html; charset=utf-8", false, "text/plain; charset=utf-8", "inline"},
		{"image/svg+xml", false, "text/plain; charset=utf-8", "inline"},
		{"application/json", false, "text/plain; charset=utf-8", "inline"},
		{"image/png", false, "image/png", "inline"},
		{"application/pdf", false, "application/octet-stream", "attachment"},
		{"application/javascript", false, "application/octet-stream", "attachment"},
		{"text/html", true, "text/html", "attachment"},
		{"", false, "application/octet-stream", "attachment"},
		{"", true, "application/octet-stream", "attachment"},
		{"text/html\r\nX-Evil: 1", true, "application/octet-stream", "attachment"},
	} {
		kind, disposition := presentation(tt.mime, tt.raw)
		if kind != tt.kind || disposition != tt.disposition {
			t.Errorf("%q raw=%v: %s, %s", tt.mime, tt.raw, kind, disposition)
		}
	}
}
