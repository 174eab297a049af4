package process

import (
	"fmt"
	"os"
	"path/filepath"
)

// openDir opens a program's directory. The program then starts in this directory even if the path is
// replaced later. If the spec has a root, openDir fails unless the directory is under the root. It
// returns nil if the spec has neither a directory nor a root.
func (s Spec) openDir() (*os.File, error) {
	switch {
	case s.Root == "" && s.Dir == "":
		return nil, nil
	case s.Root == "":
		return os.Open(s.Dir)
	}
	name, err := filepath.Rel(s.Root, s.Dir)
	if err != nil {
		return nil, fmt.Errorf("workspace %q is not under %q", s.Dir, s.Root)
	}
	root, err := os.OpenRoot(s.Root)
	if err != nil {
		return nil, fmt.Errorf("open the workspace root: %w", err)
	}
	defer root.Close()
	dir, err := root.Open(name)
	if err != nil {
		return nil, fmt.Errorf("workspace %q is no longer under %q: %w", s.Dir, s.Root, err)
	}
	if info, err := dir.Stat(); err != nil || !info.IsDir() {
		dir.Close()
		return nil, fmt.Errorf("workspace %q is no longer a directory", s.Dir)
	}
	return dir, nil
}
