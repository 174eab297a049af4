// Package signer stores the key that an office uses to sign its receipts.
package signer

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// fileName is the name of the key's file in the data directory.
const fileName = "receipt.key"

// Key returns the key in the data directory, and creates it if there is none.
func Key(dir string) (ed25519.PrivateKey, error) {
	key, err := Existing(dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := create(dir, filepath.Join(dir, fileName)); err != nil {
		return nil, fmt.Errorf("create the key that signs receipts: %w", err)
	}
	return Existing(dir)
}

// Existing returns the key in the data directory. If there is none, the error is fs.ErrNotExist.
func Existing(dir string) (ed25519.PrivateKey, error) {
	path := filepath.Join(dir, fileName)
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the key that signs receipts: %w", err)
	}
	seed, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(content)))
	if err != nil || len(seed) != ed25519.SeedSize {
		return nil, fmt.Errorf("%s does not contain a key: restore it from a backup, or delete it to get a new key, which cannot verify older receipts", path)
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

// create writes a new key, unless another process has created one in the meantime. The file appears
// under its final name only once it is complete.
func create(dir, path string) error {
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, "."+fileName+"-*") // with mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(base64.StdEncoding.EncodeToString(key.Seed()) + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
