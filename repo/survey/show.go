package survey

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/hud"
)

// ErrNotText means that a file contains a zero byte near its start, so it is not text.
var ErrNotText = errors.New("not a text file")

// Text is the redacted text of a file, truncated to a limit.
type Text struct {
	Path string `json:"path"`
	Text string `json:"text"`
	More bool   `json:"more,omitzero"` // Text does not contain the whole file
}

// Show returns the text of a file that Files would list, with credentials redacted. It returns
// fs.ErrNotExist for ignored files, files that may contain secrets, links, and files outside the
// folder.
func (f *Folder) Show(ctx context.Context, name string) (Text, error) {
	info, err := f.listed(ctx, name)
	if err != nil {
		return Text{}, err
	}
	text, err := f.read(name, info)
	if err != nil {
		return Text{}, err
	}
	return Text{Path: name, Text: hud.Redact(string(text)), More: info.Size() > int64(len(text))}, nil
}

// listed returns the info of a file that Files lists, or would list if the number of files were not
// limited. It returns fs.ErrNotExist for any other file.
func (f *Folder) listed(ctx context.Context, name string) (fs.FileInfo, error) {
	if !fs.ValidPath(name) || name == "." || isSecret(name) {
		return nil, fs.ErrNotExist
	}
	for i, c := range name {
		if c != '/' {
			continue
		}
		dir := path.Base(name[:i])
		info, err := f.root.Lstat(filepath.FromSlash(name[:i]))
		if err != nil || !info.IsDir() || isNoise(dir) || f.git == "" && strings.HasPrefix(dir, ".") {
			return nil, fs.ErrNotExist
		}
	}
	info, err := f.root.Lstat(filepath.FromSlash(name))
	if err != nil || !info.Mode().IsRegular() {
		return nil, fs.ErrNotExist
	}
	if f.git == "" {
		return info, nil
	}
	out, err := f.run(ctx, "--literal-pathspecs", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", name)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(strings.Split(string(out), "\x00"), name) {
		return nil, fs.ErrNotExist
	}
	return info, nil
}
