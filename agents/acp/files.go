package acp

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive/rpc"
	"github.com/bullpen-office/bullpen/hud"
)

// The methods that agents use to read and write files.
const (
	methodRead  = "fs/read_text_file"
	methodWrite = "fs/write_text_file"
)

// workspace returns the absolute path of a directory, with links resolved. An empty dir means the
// current directory.
func workspace(dir string) (string, error) {
	path, err := filepath.Abs(cmp.Or(dir, "."))
	if err != nil {
		return "", fmt.Errorf("find the workspace: %w", err)
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return "", fmt.Errorf("find the workspace: %w", err)
	}
	return path, nil
}

// files gives access to the files of a workspace. It refuses paths and links that lead out of the
// workspace.
type files struct{ dir string }

// file answers a request to read or write a file.
func (r *run) file(method string, params jsontext.Value) (any, error) {
	var in struct {
		Session string  `json:"sessionId"`
		Path    string  `json:"path"`
		Line    int64   `json:"line"`
		Limit   *int64  `json:"limit"`
		Content *string `json:"content"`
	}
	if odd, err := hud.Decode(params, &in); err != nil || len(odd) > 0 || in.Path == "" || method == methodWrite && in.Content == nil {
		return nil, &rpc.Error{Code: rpc.CodeParams, Message: method + ": invalid parameters"}
	}
	if err := r.owns(in.Session); err != nil {
		return nil, err
	}
	if method == methodRead {
		text, err := r.files.read(in.Path)
		if err != nil {
			return nil, err
		}
		return map[string]string{"content": window(text, in.Line, in.Limit)}, nil
	}
	if err := r.inTurn(); err != nil {
		return nil, err
	}
	return struct{}{}, r.files.write(in.Path, *in.Content)
}

// open returns the workspace's root, and path relative to that root.
func (f files) open(path string) (*os.Root, string, error) {
	if !filepath.IsAbs(path) {
		return nil, "", &rpc.Error{Code: rpc.CodeParams, Message: fmt.Sprintf("%q is not an absolute path", path)}
	}
	name, err := filepath.Rel(f.dir, filepath.Clean(path))
	if err != nil || !filepath.IsLocal(name) {
		return nil, "", outside(path)
	}
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return nil, "", err
	}
	return root, name, nil
}

func outside(path string) error {
	return &rpc.Error{Code: rpc.CodeParams, Message: fmt.Sprintf("%q is outside the workspace", path)}
}

func (f files) read(path string) (string, error) {
	root, name, err := f.open(path)
	if err != nil {
		return "", err
	}
	defer root.Close()
	if info, err := root.Stat(name); err != nil || !info.Mode().IsRegular() { // a pipe would block
		return "", unreadable(path, err)
	}
	file, err := root.Open(name)
	if err != nil {
		return "", unreadable(path, err)
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, contracts.LimitACPFile+1))
	switch {
	case err != nil:
		return "", unreadable(path, err)
	case len(b) > contracts.LimitACPFile:
		return "", tooLarge(path)
	case !utf8.Valid(b):
		return "", &rpc.Error{Code: rpc.CodeParams, Message: fmt.Sprintf("%q is not UTF-8 text", path)}
	}
	return string(b), nil
}

func unreadable(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &rpc.Error{Code: rpc.CodeNotFound, Message: fmt.Sprintf("%q does not exist", path)}
	case err == nil:
		return &rpc.Error{Code: rpc.CodeParams, Message: fmt.Sprintf("%q is not a regular file", path)}
	}
	return &rpc.Error{Code: rpc.CodeInternal, Message: fmt.Sprintf("%q: %v", path, err)}
}

func tooLarge(path string) error {
	return &rpc.Error{Code: rpc.CodeParams, Message: fmt.Sprintf("%q: more than %d MiB", path, contracts.LimitACPFile>>20)}
}

// write replaces the content of a file, and creates the file and its directories if necessary.
func (f files) write(path, text string) error {
	if len(text) > contracts.LimitACPFile {
		return tooLarge(path)
	}
	root, name, err := f.open(path)
	if err != nil {
		return err
	}
	defer root.Close()
	if info, err := root.Stat(name); err == nil && !info.Mode().IsRegular() {
		return unreadable(path, nil)
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return unreadable(path, err)
	}
	if err := root.WriteFile(name, []byte(text), 0o666); err != nil {
		return unreadable(path, err)
	}
	return nil
}

// window returns limit lines of text, starting with the given line (counted from 1). A nil limit
// means all lines that follow.
func window(text string, line int64, limit *int64) string {
	for ; line > 1 && text != ""; line-- {
		_, text, _ = strings.Cut(text, "\n")
	}
	if limit == nil {
		return text
	}
	end := 0
	for n := *limit; n > 0 && end < len(text); n-- {
		at := strings.IndexByte(text[end:], '\n')
		if at < 0 {
			return text
		}
		end += at + 1
	}
	return text[:end]
}
