package gate

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/bullpen-office/bullpen/contracts"
)

// OwnerID is the principal of anyone who can read the owner token file.
const OwnerID = "owner"

// OwnerTokenPath returns the default path of the owner token.
func OwnerTokenPath(dataDir string) string { return filepath.Join(dataDir, "token") }

// ownerToken is the token that the command line uses. The file is the credential: replacing the
// file replaces the token, and deleting the file revokes the token.
type ownerToken struct {
	path string

	mu       sync.Mutex
	modified time.Time
	hash     string
}

// openOwnerToken reads the file, and creates it if there is none. Without a path, there is no owner
// token.
func openOwnerToken(path string) (*ownerToken, error) {
	t := &ownerToken{path: path}
	if path == "" {
		return t, nil
	}
	if err := createOwnerToken(path); err != nil {
		return nil, err
	}
	_, err := ReadOwnerToken(path)
	return t, err
}

func createOwnerToken(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), secretDirMode); err != nil {
		return fmt.Errorf("create the directory for the token file: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, secretFileMode)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("create the token file: %w", err)
	}
	_, err = f.WriteString(newSecret() + "\n")
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write the token file %s: %w", path, err)
	}
	return nil
}

// ReadOwnerToken reads the owner token file; see ReadToken.
func ReadOwnerToken(path string) (string, error) {
	return ReadToken(path, "delete it to get a new token on the next start")
}

// ReadToken reads a file that contains a token. It refuses a file that other users can read, unless
// root shares it with this user, as Kubernetes does when it mounts secrets. The error for a file
// without a complete token ends with advice.
func ReadToken(path, advice string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("read the token file: %w", err)
	}
	if err := checkPrivate(path, info); err != nil && !mountedSecret(info) {
		return "", err
	}
	content, err := ReadFile(path, contracts.LimitSecretFile)
	if err != nil {
		return "", fmt.Errorf("read the token file: %w", err)
	}
	token := strings.TrimSpace(string(content))
	if len(token) < len(secretPrefix)+16 {
		return "", fmt.Errorf("the token file %s is empty or incomplete: %s", path, advice)
	}
	return token, nil
}

// is reports whether hash belongs to the token that the file currently contains.
func (t *ownerToken) is(hash string) bool {
	current := t.current()
	return current != "" && subtle.ConstantTimeCompare([]byte(current), []byte(hash)) == 1
}

// current returns the token's hash, or "" if there is no usable file.
func (t *ownerToken) current() string {
	if t.path == "" {
		return ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	info, err := os.Stat(t.path)
	switch {
	case err != nil:
		t.hash = ""
	case t.hash == "" || !info.ModTime().Equal(t.modified):
		t.modified, t.hash = info.ModTime(), ""
		if token, err := ReadOwnerToken(t.path); err == nil {
			t.hash = fingerprint(token)
		}
	}
	return t.hash
}
