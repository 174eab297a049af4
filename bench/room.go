//go:build linux

package main

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// spareFiles is the number of files that a process needs in addition to its viewers' sockets.
const spareFiles = 128

// roomForFiles returns the maximum number of viewers in one process on this machine. It depends on
// the limit on open files, which Go has already raised to the hard limit.
func roomForFiles() (int, error) {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0, fmt.Errorf("read the limit on open files: %w", err)
	}
	return int(min(limit.Cur, 1<<20)) - spareFiles, nil
}

// roomFor returns how many of the viewers fit into one process, and prints a note if not all of
// them do.
func roomFor(viewers int) (int, error) {
	room, err := roomForFiles()
	if err != nil || room >= viewers {
		return viewers, err
	}
	fmt.Printf("  only %d of %d viewers: a process may open only %d files here; raise the hard limit (ulimit -Hn)\n", room, viewers, room+spareFiles)
	return room, nil
}
