//go:build !linux

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "bench needs epoll, fdatasync and /proc: run it on Linux")
	os.Exit(1)
}
