package otlp

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// DefaultEndpoint is the default base URL of a collector on the same machine.
const DefaultEndpoint = "http://localhost:4318"

const tracesPath = "/v1/traces"

// TracesURL returns the URL that traces are sent to, derived from a collector's base URL according to
// the rules of OTEL_EXPORTER_OTLP_ENDPOINT. A URL that already ends in the traces path is returned
// unchanged. The error never quotes a URL that may contain a password.
func TracesURL(base string) (string, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		if strings.ContainsAny(base, "@?#") {
			return "", errors.New("invalid address: use a URL without a user name, password or query, such as " + DefaultEndpoint)
		}
		return "", fmt.Errorf("invalid address %q: use a URL such as %s", base, DefaultEndpoint)
	}
	if !strings.HasSuffix(u.Path, tracesPath) {
		u.Path = strings.TrimRight(u.Path, "/") + tracesPath
	}
	return u.String(), nil
}

// ParseHeaders parses OTEL_EXPORTER_OTLP_HEADERS: name=value pairs separated by commas, with
// percent-encoded values. Its errors never quote a value, which may be a secret.
func ParseHeaders(text string) (http.Header, error) {
	h := http.Header{}
	for i, pair := range strings.Split(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, encoded, ok := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		if !ok || !validName(name) { // all of it may be a secret
			return nil, fmt.Errorf("header %d is invalid: use name=value, separated by commas", i+1)
		}
		value, err := url.PathUnescape(strings.TrimSpace(encoded))
		if err != nil || strings.ContainsAny(value, "\r\n\x00") {
			return nil, fmt.Errorf("header %q has an invalid value: percent-encode it", name)
		}
		h.Set(name, value)
	}
	return h, nil
}

func validName(name string) bool {
	return name != "" && strings.IndexFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r))
	}) < 0
}
