//go:build linux || darwin

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

func terminalFile(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), ioctlGetTermios)
	return err == nil
}

// makeRaw puts a terminal into raw mode; restore returns it to its previous mode.
func makeRaw(f *os.File) (restore func(), err error) {
	fd := int(f.Fd())
	was, err := unix.IoctlGetTermios(fd, ioctlGetTermios)
	if err != nil {
		return nil, err
	}
	raw := *was
	raw.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
	raw.Oflag &^= unix.OPOST
	raw.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	raw.Cflag = raw.Cflag&^(unix.CSIZE|unix.PARENB) | unix.CS8
	raw.Cc[unix.VMIN], raw.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(fd, ioctlSetTermios, &raw); err != nil {
		return nil, err
	}
	return func() { _ = unix.IoctlSetTermios(fd, ioctlSetTermios, was) }, nil
}

func copySize(to, from *os.File) {
	if size, err := unix.IoctlGetWinsize(int(from.Fd()), unix.TIOCGWINSZ); err == nil {
		_ = unix.IoctlSetWinsize(int(to.Fd()), unix.TIOCSWINSZ, size)
	}
}

// waiting returns how many bytes can be read without blocking, or 0 if that is unknown.
func waiting(f *os.File) int {
	n, err := unix.IoctlGetInt(int(f.Fd()), ioctlWaiting)
	if err != nil {
		return 0
	}
	return n
}

// suspendKey returns the key that suspends the command in a terminal. It returns false if the
// command, or a program that it runs, handles that key itself.
func suspendKey(terminal *os.File, command int) (key byte, ok bool) {
	fd := int(terminal.Fd())
	now, err := unix.IoctlGetTermios(fd, ioctlGetTermios)
	if err != nil || now.Lflag&unix.ISIG == 0 {
		return 0, false
	}
	group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
	if err != nil || group != command || takesSignal(command, unix.SIGTSTP) {
		return 0, false
	}
	return now.Cc[unix.VSUSP], true
}
