package gate

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
)

// secretPrefix lets people and scanners recognize a leaked token.
const secretPrefix = "bullpen_"

// newSecret returns a secret with 256 random bits.
func newSecret() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails: the runtime stops the process instead
	return secretPrefix + base64.RawURLEncoding.EncodeToString(b[:])
}

// newTokenID returns an id for lists and logs; it is not a secret.
func newTokenID() string { return "tok_" + strings.ToLower(rand.Text()[:10]) }

// fingerprint returns the stored form of a secret. Secrets are random, so a plain hash
// cannot be reversed, and a lookup by hash leaks no timing information.
func fingerprint(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
