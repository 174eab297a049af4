package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
)

// OwnFile is a file that contains nothing but Bullpen's text, such as a plugin. All fields are
// required.
type OwnFile struct {
	Path string
	Mark string // the start of our text, in every version
	// Original returns the text that this version of Bullpen would have written. text is the content of
	// the file. If the two texts differ, someone has edited the file, or another version wrote it.
	Original func(text []byte) []byte
}

// ErrForeign means that the file exists, but was not written by Bullpen.
var ErrForeign = errors.New("this file was not written by Bullpen, so it was not changed: move or rename it first")

// Read returns the file's text, or nil if there is no file. It returns ErrForeign if the file is
// not ours.
func (o OwnFile) Read() ([]byte, error) {
	text, err := readBounded(o.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && !o.ours(text) {
		err = fmt.Errorf("%s: %w", o.Path, ErrForeign)
	}
	return text, err
}

func (o OwnFile) ours(text []byte) bool { return bytes.HasPrefix(text, []byte(o.Mark)) }

// Install writes the file. Text that differs from Original's result is saved as a backup.
func (o OwnFile) Install(text []byte) (Change, error) {
	return o.change(func(f *file) {
		f.after, f.backup = text, f.backup && !bytes.Equal(f.before, text)
	})
}

// Remove removes the file. Text that differs from Original's result is saved as a backup.
func (o OwnFile) Remove() (Change, error) {
	return o.change(func(f *file) { f.remove = f.exists })
}

// change changes the file. It returns ErrForeign if the file is not ours.
func (o OwnFile) change(decide func(*file)) (Change, error) {
	return new(Program).change(o.Path, func(f *file) error {
		if f.exists && !o.ours(f.before) {
			return ErrForeign
		}
		f.backup = f.exists && !bytes.Equal(f.before, o.Original(f.before))
		decide(f)
		return nil
	})
}
