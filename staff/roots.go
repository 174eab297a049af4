package staff

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Broad lists the roots of the bridge that hold more than somebody's work: all of
// the machine, or the home directory with its keys.
func (s Staff) Broad(home string) (list []Problem) {
	for i, root := range s.Bridge.Roots {
		at, root := fmt.Sprintf("bridge.roots.%d", i), filepath.Clean(root)
		switch {
		case root == filepath.Dir(root):
			list = append(list, Problem{at, fmt.Sprintf("callers of the bridge may have agents work anywhere on this machine, because %s is a root; name the directories of the work", root)})
		case home != "" && Holds(root, filepath.Clean(home)):
			list = append(list, Problem{at, fmt.Sprintf("callers of the bridge may have agents work in your home directory, with its keys and settings, because %s is a root; name the directories of the work", root)})
		}
	}
	return list
}

// Holds reports whether a path is a directory or lies in it.
func Holds(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
