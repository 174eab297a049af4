//go:build !linux && !darwin

package main

import (
	"errors"
	"os"
)

// terminalFile reports whether a file is a character device. Mistaking another device for a
// terminal only affects styling.
func terminalFile(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

var errNoPTY = errors.New("no pseudo-terminals on this system")

func openPTY() (master, slave *os.File, err error) { return nil, nil, errNoPTY }
func makeRaw(*os.File) (restore func(), err error) { return nil, errNoPTY }
func copySize(_, _ *os.File)                       {}
func waiting(*os.File) int                         { return 0 }
func suspendKey(*os.File, int) (byte, bool)        { return 0, false }

var suspendSignals []os.Signal

func (s *signals) suspend(*os.Process, *streams, int) {}
