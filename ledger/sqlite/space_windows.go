package sqlite

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

func freeSpace(path string) (free, total int64, err error) {
	dir, err := windows.UTF16PtrFromString(filepath.Dir(path))
	if err != nil {
		return -1, -1, err
	}
	var left, size uint64
	if err := windows.GetDiskFreeSpaceEx(dir, &left, &size, nil); err != nil {
		return -1, -1, err
	}
	return int64(left), int64(size), nil
}
