//go:build !windows

package gate

import (
	"os"
	"slices"
	"syscall"
)

const unixPermissions = true

// mountedSecret reports whether a file belongs to root and is shared with this user through a
// group: a group of this process may read the file, but other users may not. Kubernetes mounts
// secrets this way.
func mountedSecret(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || stat.Uid != 0 || os.Geteuid() == 0 || info.Mode().Perm() != 0o440 {
		return false
	}
	groups, err := os.Getgroups()
	return err == nil && slices.Contains(append(groups, os.Getegid()), int(stat.Gid))
}
