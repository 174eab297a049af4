//go:build unix

package server

import "syscall"

// makePipe makes a file that blocks whoever opens it.
func makePipe(path string) error { return syscall.Mkfifo(path, 0o600) }
