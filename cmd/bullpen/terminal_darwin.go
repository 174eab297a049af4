package main

import (
	"bytes"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	ioctlGetTermios = unix.TIOCGETA
	ioctlSetTermios = unix.TIOCSETA
	ioctlWaiting    = 0x4004667f // FIONREAD, which package unix does not define
)

// openPTY returns the two ends of a new pseudo-terminal.
func openPTY() (master, slave *os.File, err error) {
	master, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	var name [128]byte // the size that TIOCPTYGNAME writes
	for _, step := range []struct {
		request uint
		arg     uintptr
	}{{unix.TIOCPTYGRANT, 0}, {unix.TIOCPTYUNLK, 0}, {unix.TIOCPTYGNAME, uintptr(unsafe.Pointer(&name[0]))}} {
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, master.Fd(), uintptr(step.request), step.arg); errno != 0 {
			err = errno
			break
		}
	}
	if err == nil {
		path, _, _ := bytes.Cut(name[:], []byte{0})
		slave, err = os.OpenFile(string(path), os.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	}
	if err != nil {
		master.Close()
		return nil, nil, fmt.Errorf("open a pseudo-terminal: %w", err)
	}
	return master, slave, nil
}

// takesSignal always returns false, because macOS does not report which signals a process
// handles. Ctrl-Z therefore suspends any command.
func takesSignal(int, unix.Signal) bool { return false }

// parentOf returns the parent of a process, or 0 if it is unknown.
func parentOf(pid int) int {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0
	}
	return int(info.Eproc.Ppid)
}
