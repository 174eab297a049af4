//go:build !linux

package hub

import (
	"errors"
	"net"
	"syscall"
)

// rawWriter is a stub for systems without non-blocking writes, where every viewer has its own
// writer.
type rawWriter struct{}

func newRawWriter() *rawWriter { return &rawWriter{} }

func (*rawWriter) write(syscall.RawConn, [][]byte) (int, error) {
	return 0, errors.ErrUnsupported
}

func rawConn(net.Conn) syscall.RawConn { return nil }
