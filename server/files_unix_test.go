//go:build unix

package server

import "syscall"

// makePipe creates a file that blocks its reader.
func makePipe(path string) error { return syscall.Mkfifo(path, 0o600) }
