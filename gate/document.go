package gate

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/rogpeppe/go-internal/lockedfile"

	"github.com/bullpen-office/bullpen/atomicfile"
	"github.com/bullpen-office/bullpen/contracts"
)

// TokenDocument keeps the stored tokens as one document, which several processes may share. Its
// methods can be called concurrently.
type TokenDocument interface {
	// Read returns this process's current copy of the document (nil if there is none) and a version
	// that differs for different content. It is called for each request with a token, so it must not
	// wait for the network. After an error, no token is accepted.
	Read() (content []byte, version uint64, err error)
	// Sync looks for changes that Read does not return yet. It may wait for the network.
	Sync()
	// Change replaces the document with the result of edit. If another process changes it first,
	// Change starts over with the new content, so edit may be called several times. If edit fails,
	// the document is not changed.
	Change(edit func(old []byte) ([]byte, error)) error
	// String returns the location of the document.
	String() string
}

// memoryDocument is a document that exists only in this process.
type memoryDocument struct {
	mu      sync.Mutex
	content []byte
	version uint64
}

func (d *memoryDocument) Read() ([]byte, uint64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.content, d.version, nil
}

func (d *memoryDocument) Sync() {}

func (d *memoryDocument) Change(edit func([]byte) ([]byte, error)) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	content, err := edit(d.content)
	if err == nil {
		d.content, d.version = content, d.version+1
	}
	return err
}

func (d *memoryDocument) String() string { return "the list of tokens in memory" }

// fileDocument is one small file that the command line and a running server share.
type fileDocument struct {
	path string

	mu      sync.Mutex
	info    os.FileInfo // the file that content was read from; nil if there was none
	content []byte
	version uint64
}

// Read reads the file if it has changed; otherwise it only calls stat.
func (d *fileDocument) Read() ([]byte, uint64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	info, err := os.Stat(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		d.set(nil, nil)
		return nil, d.version, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read %s: %w", d.path, err)
	}
	if d.info != nil && os.SameFile(info, d.info) && info.ModTime().Equal(d.info.ModTime()) && info.Size() == d.info.Size() {
		return d.content, d.version, nil
	}
	content, err := readTokens(d.path)
	if err != nil {
		return nil, 0, err
	}
	d.set(info, content)
	return content, d.version, nil
}

func (d *fileDocument) set(info os.FileInfo, content []byte) {
	if (content == nil) != (d.content == nil) || !bytes.Equal(content, d.content) {
		d.version++
	}
	d.info, d.content = info, content
}

// Sync does nothing: Read uses the current file.
func (d *fileDocument) Sync() {}

// Change edits the file while holding a lock that excludes other processes.
func (d *fileDocument) Change(edit func([]byte) ([]byte, error)) error {
	if err := os.MkdirAll(filepath.Dir(d.path), secretDirMode); err != nil {
		return fmt.Errorf("create the data directory: %w", err)
	}
	unlock, err := lockedfile.MutexAt(d.path + ".lock").Lock()
	if err != nil {
		return fmt.Errorf("lock %s: %w", d.path, err)
	}
	defer unlock()
	content, err := readTokens(d.path)
	if err != nil {
		return err
	}
	if content, err = edit(content); err != nil {
		return err
	}
	return atomicfile.Write(d.path, content)
}

func (d *fileDocument) String() string { return d.path }

// readTokens reads a token file. It returns nil if there is none.
func readTokens(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if err := checkPrivate(path, info); err != nil {
		return nil, err
	}
	content, err := ReadFile(path, contracts.LimitTokenFile)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return content, nil
}
