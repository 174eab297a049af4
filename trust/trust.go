// Package trust checks an office's TLS certificate and explains a failed check: what is wrong and
// what to do. It never skips the check.
package trust

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"
)

// Config returns a TLS configuration that trusts this machine's certificate authorities and those
// in the PEM file cacert. If cacert is empty, it returns nil, which means the default checks.
func Config(cacert string) (*tls.Config, error) {
	if cacert == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(cacert)
	if err != nil {
		return nil, fmt.Errorf("read the CA certificate: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s contains no PEM certificate (-----BEGIN CERTIFICATE-----)", cacert)
	}
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}, nil
}

var errPin = errors.New("the certificate is not the one that this data directory's office was started with")

// Pinned returns a TLS configuration that trusts only the certificate with the given Hash. It
// replaces the usual checks, which would fail because the certificate names the public host, not
// this machine.
func Pinned(hash string) *tls.Config {
	return &tls.Config{
		InsecureSkipVerify: true, //nolint:gosec // VerifyConnection decides
		MinVersion:         tls.VersionTLS12,
		VerifyConnection: func(cs tls.ConnectionState) error {
			if Hash(cs.PeerCertificates[0].Raw) != hash {
				return errPin
			}
			return nil
		},
	}
}

// Hash returns the hex SHA-256 of a DER-encoded certificate.
func Hash(der []byte) string {
	sum := sha256.Sum256(der)
	return hex.EncodeToString(sum[:])
}

// Error means that a connection failed because of TLS. Its text explains the cause and what to do.
type Error struct {
	text  string
	cause error
}

func (e *Error) Error() string { return e.text }
func (e *Error) Unwrap() error { return e.cause }

// Explain returns an *Error if the connection to address failed because of TLS, otherwise nil.
func Explain(err error, address string) *Error {
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	var verify *tls.CertificateVerificationError
	text := ""
	switch {
	case errors.As(err, &unknown):
		text = fmt.Sprintf("the TLS certificate of %s is signed by an authority that this machine does not trust%s: add the CA certificate with --cacert FILE (or BULLPEN_CACERT)", address, issuer(unknown.Cert))
	case errors.As(err, &name):
		text = fmt.Sprintf("the TLS certificate of %s is for %s, not for %s: use a name from the certificate in the address", address, names(name.Certificate), name.Host)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		text = expired(invalid.Cert, address)
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		text = fmt.Sprintf("%s does not support TLS: use %s", address, swapScheme(address))
	case errors.Is(err, errPin):
		text = fmt.Sprintf("the TLS certificate of %s is not trusted: %v; if the certificate was renewed, restart the office", address, errPin)
	case errors.As(err, &verify), errors.As(err, &invalid):
		text = fmt.Sprintf("the TLS certificate of %s is not valid: %v; the office needs a new certificate", address, err)
	case errors.As(err, &alert):
		text = fmt.Sprintf("the TLS handshake with %s failed: %v; check the address and the proxies in front of the office", address, alert)
	default:
		return nil
	}
	return &Error{text: text, cause: err}
}

// ExplainAnswer returns an *Error if an HTTP response indicates that plain HTTP was sent to a TLS
// port, otherwise nil.
func ExplainAnswer(status int, body []byte, address string) *Error {
	text := strings.ToLower(string(body[:min(len(body), 512)]))
	if status != http.StatusBadRequest || !strings.HasPrefix(address, "http://") ||
		!strings.Contains(text, "http request to an https server") && !strings.Contains(text, "plain http request was sent to https port") {
		return nil
	}
	return &Error{text: fmt.Sprintf("%s requires TLS: use %s", address, swapScheme(address)), cause: errors.New("plain HTTP was sent to a TLS port")}
}

func issuer(c *x509.Certificate) string {
	if c == nil || c.Issuer.CommonName == "" {
		return ""
	}
	return fmt.Sprintf(" (%q)", c.Issuer.CommonName)
}

func names(c *x509.Certificate) string {
	list := append([]string{}, c.DNSNames...)
	for _, ip := range c.IPAddresses {
		list = append(list, ip.String())
	}
	if len(list) == 0 {
		return "no host name"
	}
	const most = 5
	if len(list) > most {
		list = append(list[:most], "…")
	}
	return strings.Join(list, ", ")
}

func expired(c *x509.Certificate, address string) string {
	if c == nil {
		return fmt.Sprintf("the TLS certificate of %s has expired: the office needs a new one", address)
	}
	if time.Now().Before(c.NotBefore) {
		return fmt.Sprintf("the TLS certificate of %s is not valid before %s: check this machine's clock", address, c.NotBefore.Format(time.RFC3339))
	}
	return fmt.Sprintf("the TLS certificate of %s expired on %s: the office needs a new one", address, c.NotAfter.Format(time.DateOnly))
}

// swapScheme returns the address with http and https, or ws and wss, exchanged.
func swapScheme(address string) string {
	scheme, rest, _ := strings.Cut(address, "://")
	if plain, ok := strings.CutSuffix(scheme, "s"); ok {
		return plain + "://" + rest
	}
	return scheme + "s://" + rest
}
