package main

import (
	"bytes"
	"os"
)

// keyboard forwards keys to a command that has its own terminal. It handles the suspend key, unless
// the command has turned that key off.
type keyboard struct {
	terminal *os.File
	suspends func() (key byte, ok bool) // returns the current suspend key
	suspend  func()
}

func (k *keyboard) Write(p []byte) (int, error) {
	rest := p
	for {
		at := -1
		if key, ok := k.suspends(); ok {
			at = bytes.IndexByte(rest, key)
		}
		if at < 0 {
			_, err := k.terminal.Write(rest)
			return len(p), err
		}
		if _, err := k.terminal.Write(rest[:at]); err != nil {
			return 0, err
		}
		k.suspend()
		rest = rest[at+1:]
	}
}
