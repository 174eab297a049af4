package drivetest

import (
	"context"
	"net"
	"sync"
)

// Wire is a listener inside this process. It lets real clients and servers run on the virtual time
// of package synctest.
type Wire struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

// NewWire returns a Wire. Call it in the synctest bubble that uses it.
func NewWire() *Wire { return &Wire{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (w *Wire) Accept() (net.Conn, error) {
	select {
	case c := <-w.conns:
		return c, nil
	case <-w.closed:
		return nil, net.ErrClosed
	}
}

func (w *Wire) Close() error {
	w.once.Do(func() { close(w.closed) })
	return nil
}

// Addr returns a placeholder address; nothing listens there.
func (w *Wire) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// Dial connects to the listener and ignores the address.
func (w *Wire) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case w.conns <- there:
		return here, nil
	case <-w.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
