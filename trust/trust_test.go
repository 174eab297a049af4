package trust

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// authority is a test CA, like the internal CA of an organization.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string // PEM file with its certificate, for --cacert
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Test CA"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return &authority{cert, key, file}
}

// serve starts a TLS server with a certificate for the host.
func (a *authority) serve(t *testing.T, host string, from, to time.Time) *httptest.Server {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(2), DNSNames: []string{host}, NotBefore: from, NotAfter: to}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	srv.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	srv.Config.ErrorLog = nil
	srv.StartTLS()
	t.Cleanup(srv.Close)
	return srv
}

// ask sends one request with the given TLS configuration.
func ask(address string, secure *tls.Config) (*http.Response, error) {
	transport := &http.Transport{TLSClientConfig: secure, DisableKeepAlives: true}
	return (&http.Client{Transport: transport}).Get(address)
}

func TestFailuresAreExplained(t *testing.T) {
	ca := newAuthority(t)
	known, err := Config(ca.file)
	if err != nil {
		t.Fatal(err)
	}
	now, hour := time.Now(), time.Hour
	good := ca.serve(t, "localhost", now.Add(-hour), now.Add(hour))
	other := ca.serve(t, "office.example", now.Add(-hour), now.Add(hour))
	old := ca.serve(t, "localhost", now.Add(-2*hour), now.Add(-hour))
	early := ca.serve(t, "localhost", now.Add(hour), now.Add(2*hour))
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	local := func(s *httptest.Server) string { return strings.Replace(s.URL, "127.0.0.1", "localhost", 1) }
	https := strings.Replace(local(plain), "http:", "https:", 1)

	for name, tt := range map[string]struct {
		address string
		secure  *tls.Config
		says    []string
	}{
		"trusted":     {local(good), known, nil},
		"unknown CA":  {local(good), nil, []string{"does not trust", "Test CA", "--cacert FILE", "BULLPEN_CACERT"}},
		"other name":  {local(other), known, []string{"is for office.example, not for localhost", "in the address"}},
		"expired":     {local(old), known, []string{"expired on", "needs a new one"}},
		"not yet":     {local(early), known, []string{"not valid before", "clock"}},
		"no TLS":      {https, known, []string{"does not support TLS", "use " + local(plain)}},
		"another pin": {local(good), Pinned(strings.Repeat("0", 64)), []string{"not the one", "restart the office"}},
		"its pin":     {local(good), Pinned(Hash(good.TLS.Certificates[0].Certificate[0])), nil},
	} {
		resp, err := ask(tt.address, tt.secure)
		if len(tt.says) == 0 {
			if err != nil || resp.StatusCode != http.StatusNoContent {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		why := Explain(err, tt.address)
		if why == nil {
			t.Errorf("%s: %v is not explained", name, err)
			continue
		}
		for _, words := range append(tt.says, tt.address) {
			if !strings.Contains(why.Error(), words) {
				t.Errorf("%s: %q lacks %q", name, why, words)
			}
		}
	}
}

// ExplainAnswer explains plain HTTP sent to a TLS port, but no other failures.
func TestPlainHTTPToTLSPortIsExplained(t *testing.T) {
	ca := newAuthority(t)
	srv := ca.serve(t, "localhost", time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	address := strings.Replace(srv.URL, "https:", "http:", 1)
	resp, err := ask(address, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	why := ExplainAnswer(resp.StatusCode, body, address)
	if why == nil || !strings.Contains(why.Error(), "requires TLS: use "+srv.URL) {
		t.Errorf("%v of %d %q", why, resp.StatusCode, body)
	}
	if why := ExplainAnswer(http.StatusBadRequest, []byte(`{"code":"VALIDATION_FAILED"}`), address); why != nil {
		t.Error(why)
	}
	if why := Explain(errors.New("connection refused"), address); why != nil {
		t.Error(why)
	}
}

func TestCAFileIsChecked(t *testing.T) {
	if c, err := Config(""); c != nil || err != nil {
		t.Errorf("%v %v", c, err)
	}
	if _, err := Config(filepath.Join(t.TempDir(), "gone.pem")); err == nil || !strings.Contains(err.Error(), "gone.pem") {
		t.Error(err)
	}
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Config(empty); err == nil || !strings.Contains(err.Error(), "BEGIN CERTIFICATE") {
		t.Error(err)
	}
}
