package staff

import (
	"fmt"
	"path/filepath"
	"strings"
)

// BroadRoots reports the bridge roots that are too broad, because they contain the whole machine or
// the home directory.
func (s Staff) BroadRoots(home string) (list []Problem) {
	for i, root := range s.Bridge.Roots {
		at, root := fmt.Sprintf("bridge.roots.%d", i), filepath.Clean(root)
		switch {
		case root == filepath.Dir(root):
			list = append(list, Problem{at, fmt.Sprintf("bridge callers can run agents anywhere on this machine, because %s is a root; list only project directories", root)})
		case home != "" && ContainsPath(root, filepath.Clean(home)):
			list = append(list, Problem{at, fmt.Sprintf("bridge callers can run agents in your home directory, with its keys and settings, because %s is a root; list only project directories", root)})
		}
	}
	return list
}

// ContainsPath reports whether path is dir or inside it.
func ContainsPath(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
