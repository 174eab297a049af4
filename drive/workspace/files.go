package workspace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/bullpen-office/bullpen/contracts"
)

// open returns the root of the workspace and the name of a path in it. The caller closes the root.
func (w *Workspace) open(path string) (*os.Root, string, error) {
	name, err := w.Name(path)
	if err != nil {
		return nil, "", err
	}
	root, err := os.OpenRoot(w.dir)
	if err != nil {
		return nil, "", failed(path, err)
	}
	return root, filepath.FromSlash(name), nil
}

// Read returns the content of a text file.
func (w *Workspace) Read(path string) (string, error) {
	root, name, err := w.open(path)
	if err != nil {
		return "", err
	}
	defer root.Close()
	content, err := read(root, name, contracts.LimitWorkspaceFile)
	switch {
	case errors.Is(err, errIrregular):
		return "", refused(path, "is not a regular file")
	case errors.Is(err, errTooLarge):
		return "", tooLarge(path)
	case err != nil:
		return "", failed(path, err)
	case !utf8.Valid(content):
		return "", refused(path, "is not UTF-8 text")
	}
	return string(content), nil
}

var (
	errIrregular = errors.New("not a regular file")
	errTooLarge  = errors.New("too large")
)

func tooLarge(path string) error {
	return refused(path, "is too large: more than %d MiB", contracts.LimitWorkspaceFile>>20)
}

// read returns the content of a regular file of at most limit bytes.
func read(root *os.Root, name string, limit int64) ([]byte, error) {
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // opening a pipe must not block
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(errIrregular, err)
	}
	content, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(content)) > limit {
		err = errTooLarge
	}
	return content, err
}

// Write replaces the content of a file, and creates the file and its directories if necessary.
func (w *Workspace) Write(path, text string) error {
	if len(text) > contracts.LimitWorkspaceFile {
		return tooLarge(path)
	}
	root, name, err := w.open(path)
	if err != nil {
		return err
	}
	defer root.Close()
	switch info, err := root.Stat(name); {
	case err == nil && !info.Mode().IsRegular():
		return refused(path, "is not a regular file")
	case errors.Is(err, fs.ErrNotExist):
		if _, err := root.Lstat(name); err == nil {
			return refused(path, "is a link to a file that does not exist")
		}
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return failed(path, err)
	}
	if err := root.WriteFile(name, []byte(text), 0o666); err != nil {
		return failed(path, err)
	}
	return nil
}

// Delete removes a file or a link. It does not remove directories.
func (w *Workspace) Delete(path string) error {
	root, name, err := w.open(path)
	if err != nil {
		return err
	}
	defer root.Close()
	info, err := root.Lstat(name)
	switch {
	case err != nil:
		return failed(path, err)
	case info.IsDir():
		return refused(path, "is a directory; only files can be deleted")
	}
	if err := root.Remove(name); err != nil {
		return failed(path, err)
	}
	return nil
}

// Window returns at most limit lines of text, starting with the given line (counted from 1). A nil
// limit means all lines that follow.
func Window(text string, line int64, limit *int64) string {
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
