//go:build !linux && !darwin && !freebsd && !windows

package sqlite

func freeSpace(string) (free, total int64, err error) { return -1, -1, nil }
