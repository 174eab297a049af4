//go:build linux

package main

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// spareFiles are files that a process needs beside its viewers' sockets.
const spareFiles = 128

// roomFor is how many of the viewers fit into the limit of open files, which Go
// has raised to the hard limit already. It says when they do not all fit.
func roomFor(viewers int) (int, error) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0, fmt.Errorf("read the limit of open files: %w", err)
	}
	room := int(min(limit.Cur, 1<<20)) - spareFiles
	if room >= viewers {
		return viewers, nil
	}
	fmt.Printf("  only %d of %d viewers: a process may open %d files here; raise the hard limit (ulimit -Hn)\n", room, viewers, limit.Cur)
	return room, nil
}
