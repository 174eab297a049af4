package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/bullpen-office/bullpen/ledger/jetstream/natstest"
)

// --nats-ca and --nats-creds open an office on servers that require TLS and a user's JWT. Without
// them, the error says what is missing.
func TestSecuredCluster(t *testing.T) {
	dir := t.TempDir()
	key, cert := writeCertificate(t, dir, "server"), filepath.Join(dir, "server.pem")
	writeCertificate(t, dir, "other")
	operator := newOperator(t)
	creds := operator.writeCreds(t, dir, "creds")
	stranger := newOperator(t).writeCreds(t, dir, "stranger")
	c := natstest.StartWith(t, 1, natstest.Options{
		Extra:   operator.config + fmt.Sprintf("tls { cert_file: %q, key_file: %q }\n", cert, key),
		Connect: []nats.Option{nats.RootCAs(cert), nats.UserCredentials(creds)},
	})
	before, after := filepath.Join(dir, "before.jsonl"), filepath.Join(dir, "after.jsonl")
	call(t, exitOK, "export", "--data", usedOffice(t), "-o", before)
	servers := []string{"--nats", c.URL(), "--data", filepath.Join(dir, "none")}
	secured := append(slices.Clone(servers), "--nats-ca", cert, "--nats-creds", creds)
	call(t, exitOK, append([]string{"import", before, "--nats-replicas", "1"}, secured...)...)
	call(t, exitOK, append([]string{"export", "-o", after}, secured...)...)
	if diff := cmp.Diff(exportedLines(t, before), exportedLines(t, after)); diff != "" {
		t.Error(diff)
	}
	for want, args := range map[string][]string{
		"set --nats-ca to the CA certificate": {"--nats-creds", creds},
		"is not trusted":                      {"--nats-creds", creds, "--nats-ca", filepath.Join(dir, "other.pem")},
		"refused the credentials":             {"--nats-ca", cert, "--nats-creds", stranger},
		"check the user and password":         {"--nats-ca", cert},
	} {
		_, errs := call(t, exitFailed, append(append([]string{"export", "-o", filepath.Join(dir, "refused")}, servers...), args...)...)
		if !strings.Contains(errs, want) {
			t.Errorf("%v: %s, want %q", args, errs, want)
		}
	}
}

// writeCertificate writes a self-signed certificate for 127.0.0.1 to NAME.pem and returns the path
// of its key.
func writeCertificate(t *testing.T, dir, name string) (keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	keyFile = filepath.Join(dir, name+".key")
	for path, block := range map[string]*pem.Block{
		filepath.Join(dir, name+".pem"): {Type: "CERTIFICATE", Bytes: cert},
		keyFile:                         {Type: "PRIVATE KEY", Bytes: private},
	} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return keyFile
}

// operator issues JWTs for NATS accounts and users.
type operator struct {
	config     string // configuration of servers that trust the operator
	account    string
	accountKey nkeys.KeyPair
}

func newOperator(t *testing.T) *operator {
	t.Helper()
	key, name := newKey(t, nkeys.CreateOperator)
	o := &operator{}
	o.accountKey, o.account = newKey(t, nkeys.CreateAccount)
	_, system := newKey(t, nkeys.CreateAccount)
	limits := map[string]any{"wildcards": true}
	for _, limit := range []string{"subs", "data", "payload", "imports", "exports", "conn", "leaf"} {
		limits[limit] = -1
	}
	systemJWT := signJWT(t, key, name, system, map[string]any{"type": "account", "version": 2, "limits": limits})
	for _, limit := range []string{"mem_storage", "disk_storage", "streams", "consumer"} {
		limits[limit] = -1
	}
	accountJWT := signJWT(t, key, name, o.account, map[string]any{"type": "account", "version": 2, "limits": limits})
	o.config = fmt.Sprintf("operator: %s\nsystem_account: %s\nresolver: MEMORY\nresolver_preload: { %s: %s, %s: %s }\n",
		signJWT(t, key, name, name, map[string]any{"type": "operator", "version": 2}), system, system, systemJWT, o.account, accountJWT)
	return o
}

// writeCreds creates a user and returns the path of its credentials file.
func (o *operator) writeCreds(t *testing.T, dir, name string) string {
	t.Helper()
	key, user := newKey(t, nkeys.CreateUser)
	seed, err := key.Seed()
	if err != nil {
		t.Fatal(err)
	}
	token := signJWT(t, o.accountKey, o.account, user, map[string]any{"type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1})
	path := filepath.Join(dir, name)
	text := fmt.Sprintf("-----BEGIN NATS USER JWT-----\n%s\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n%s\n------END USER NKEY SEED------\n", token, seed)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func newKey(t *testing.T, create func() (nkeys.KeyPair, error)) (key nkeys.KeyPair, public string) {
	t.Helper()
	key, err := create()
	if err != nil {
		t.Fatal(err)
	}
	if public, err = key.PublicKey(); err != nil {
		t.Fatal(err)
	}
	return key, public
}

// signJWT returns a signed JWT in the format that NATS uses.
func signJWT(t *testing.T, key nkeys.KeyPair, issuer, subject string, claims map[string]any) string {
	t.Helper()
	body, err := json.Marshal(map[string]any{"jti": subject, "iat": time.Now().Unix(), "iss": issuer, "sub": subject, "name": "test", "nats": claims})
	if err != nil {
		t.Fatal(err)
	}
	text := base64.RawURLEncoding.EncodeToString([]byte(`{"typ":"JWT","alg":"ed25519-nkey"}`)) + "." + base64.RawURLEncoding.EncodeToString(body)
	signature, err := key.Sign([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature)
}
