package survey

import (
	"context"
	"io/fs"
	"path/filepath"
)

// Workspace is a directory in which an agent works.
type Workspace struct {
	Dir  string
	Ours bool // the office created it, or it is configured
}

// Show reads a file by its path, absolute or from the workspace. A file outside of it is
// fs.ErrNotExist. Home is the user's directory, of which nothing private is shown.
func (at Workspace) Show(ctx context.Context, name, home string) (Text, error) {
	open := Open
	if at.Ours {
		open = OpenWorkspace
	}
	folder, err := open(ctx, at.Dir, home)
	if err != nil {
		return Text{}, fs.ErrNotExist // it is gone, or not a folder that is shown
	}
	defer func() { _ = folder.Close() }()
	rest := name
	if filepath.IsAbs(name) {
		ok := false
		for _, root := range []string{at.Dir, folder.Dir()} { // a path may reach the root through a link
			if rest, err = filepath.Rel(root, name); err == nil && filepath.IsLocal(rest) {
				ok = true
				break
			}
		}
		if !ok {
			return Text{}, fs.ErrNotExist
		}
	}
	return folder.Show(ctx, filepath.ToSlash(filepath.Clean(rest)))
}
