package survey

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/bullpen-office/bullpen/hud"
)

// ErrNotText says that a file is not text.
var ErrNotText = errors.New("not a text file")

// Text is a file as people may read it.
type Text struct {
	Path string `json:"path"`
	Text string `json:"text"`
	More bool   `json:"more,omitzero"` // the file is longer
}

// Show reads a file that Files lists: what git ignores, what may hold secrets and
// what is outside the folder does not exist here. Credentials in it are redacted.
func (f *Folder) Show(ctx context.Context, path string) (Text, error) {
	l, err := f.Files(ctx)
	if err != nil {
		return Text{}, err
	}
	i := slices.IndexFunc(l.Files, func(file File) bool { return file.Path == path })
	if i < 0 {
		return Text{}, fs.ErrNotExist
	}
	text, ok := f.text(path)
	if !ok {
		return Text{}, ErrNotText
	}
	return Text{Path: path, Text: hud.Redact(string(text)), More: l.Files[i].Bytes > int64(len(text))}, nil
}
