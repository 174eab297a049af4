//go:build !linux

package hub

import (
	"errors"
	"net"
	"syscall"
)

// rawWriter is for systems where a socket cannot be written without waiting:
// there every viewer has a writer of its own.
type rawWriter struct{}

func newRawWriter() *rawWriter { return &rawWriter{} }

func (*rawWriter) write(syscall.RawConn, [][]byte) (int, error) {
	return 0, errors.ErrUnsupported
}

func rawConn(net.Conn) syscall.RawConn { return nil }
