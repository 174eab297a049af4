package hub

import (
	"errors"
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// rawWriter writes to sockets without blocking. It is reused for many sessions; fn is created only
// once, so that a write does not allocate.
type rawWriter struct {
	parts [][]byte
	n     int
	err   error
	fn    func(fd uintptr) bool
}

func newRawWriter() *rawWriter {
	w := &rawWriter{}
	w.fn = w.once
	return w
}

// maxParts is the kernel's limit on the number of parts in one write.
const maxParts = 1024

func (w *rawWriter) once(fd uintptr) bool {
	for {
		if len(w.parts) == 1 {
			w.n, w.err = unix.Write(int(fd), w.parts[0])
		} else {
			w.n, w.err = unix.Writev(int(fd), w.parts[:min(len(w.parts), maxParts)])
		}
		if !errors.Is(w.err, unix.EINTR) {
			return true
		}
	}
}

// write hands the kernel as many bytes as it accepts without blocking, and returns that number. A
// full socket is not an error: fewer bytes are written.
func (w *rawWriter) write(c syscall.RawConn, parts [][]byte) (int, error) {
	w.parts, w.n, w.err = parts, 0, nil
	if err := c.Write(w.fn); err != nil {
		return 0, err
	}
	w.parts = nil
	if errors.Is(w.err, unix.EAGAIN) {
		return 0, nil
	}
	return max(w.n, 0), w.err
}

// rawConn returns a connection's socket, or nil if the connection cannot be written to without
// blocking, as with TLS.
func rawConn(c net.Conn) syscall.RawConn {
	sc, ok := c.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return nil
	}
	return raw
}
