package watch

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bullpen-office/bullpen/agents/openclaw/translate"
	"github.com/bullpen-office/bullpen/atomicfile"
	"github.com/bullpen-office/bullpen/contracts"
)

// device is this installation's identity: one key for all gateways, and a token from each gateway.
type device struct {
	dir    string // where the key and tokens are stored; if empty, they are kept in memory
	key    ed25519.PrivateKey
	tokens map[string]string // by gateway
}

const keyName = "device.key"

// openDevice reads the device key, or creates it if there is none.
func openDevice(dir string) (*device, error) {
	d := &device{dir: dir, tokens: map[string]string{}}
	if dir == "" {
		_, key, err := ed25519.GenerateKey(rand.Reader)
		d.key = key
		return d, err
	}
	text, err := ReadPrivate(filepath.Join(dir, keyName))
	if errors.Is(err, fs.ErrNotExist) {
		_, key, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			return nil, err
		}
		d.key = key
		return d, writePrivate(dir, keyName, hex.EncodeToString(key.Seed()))
	}
	if err != nil {
		return nil, fmt.Errorf("read the device key: %w", err)
	}
	seed, err := hex.DecodeString(text)
	if err != nil || len(seed) != ed25519.SeedSize {
		return nil, fmt.Errorf("%s is not a device key: remove it to create a new one, then pair this device with the gateways again", filepath.Join(dir, keyName))
	}
	d.key = ed25519.NewKeyFromSeed(seed)
	return d, nil
}

// hasDeviceKey reports whether dir contains a device key.
func hasDeviceKey(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, keyName))
	return dir != "" && err == nil
}

func (d *device) publicKey() []byte { return d.key.Public().(ed25519.PublicKey) }

// id returns the fingerprint that gateways use to identify the device.
func (d *device) id() string {
	sum := sha256.Sum256(d.publicKey())
	return hex.EncodeToString(sum[:])
}

// sign returns the signature that proves the device's identity. The parts include the gateway's
// challenge and the requested role and scopes.
func (d *device) sign(parts ...string) string {
	text := strings.Join(append([]string{"v3", d.id()}, parts...), "|")
	return base64.RawURLEncoding.EncodeToString(ed25519.Sign(d.key, []byte(text)))
}

func tokenName(url string) string { return "token-" + translate.TagOf(url) }

// token returns the token that the gateway at url gave this device, or "" if there is none.
func (d *device) token(url string) string {
	if t := d.tokens[url]; t != "" || d.dir == "" {
		return t
	}
	text, err := ReadPrivate(filepath.Join(d.dir, tokenName(url)))
	if err != nil {
		return ""
	}
	d.tokens[url] = text
	return text
}

// keep stores a token from a gateway.
func (d *device) keep(url, token string) error {
	if token == "" || token == d.token(url) {
		return nil
	}
	d.tokens[url] = token
	if d.dir == "" {
		return nil
	}
	return writePrivate(d.dir, tokenName(url), token)
}

// ReadPrivate returns the start of a file, at most contracts.LimitDeviceFile bytes, without
// surrounding whitespace.
func ReadPrivate(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, contracts.LimitDeviceFile))
	return strings.TrimSpace(string(text)), err
}

// writePrivate writes a file atomically. Only the owner can read the file.
func writePrivate(dir, name, text string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("store %s: %w", name, err)
	}
	if err := atomicfile.Write(filepath.Join(dir, name), []byte(text+"\n")); err != nil {
		return fmt.Errorf("store %s: %w", name, err)
	}
	return nil
}
