//go:build unix

package server

import "syscall"

// makePipe creates a named pipe, which blocks its reader.
func makePipe(path string) error { return syscall.Mkfifo(path, 0o600) }
