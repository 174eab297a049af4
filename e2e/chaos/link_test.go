package chaos_test

import (
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// link is a TCP connection between a node and a NATS server. Tests can break it.
type link struct {
	ln     net.Listener
	target string

	mu    sync.Mutex
	cut   chan struct{} // closed while data passes
	delay time.Duration
	conns map[net.Conn]bool
}

func newLink(t *testing.T, target string) *link {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &link{ln: ln, target: target, conns: map[net.Conn]bool{}, cut: make(chan struct{})}
	close(l.cut)
	var running sync.WaitGroup
	running.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			running.Go(func() { l.carry(conn) })
		}
	})
	t.Cleanup(func() {
		ln.Close()
		l.join()
		l.drop()
		running.Wait()
	})
	return l
}

func (l *link) addr() string { return l.ln.Addr().String() }

func (l *link) carry(conn net.Conn) {
	peer, err := net.Dial("tcp", l.target)
	if err != nil {
		conn.Close()
		return
	}
	l.mu.Lock()
	l.conns[conn], l.conns[peer] = true, true
	l.mu.Unlock()
	var both sync.WaitGroup
	for _, pair := range [][2]net.Conn{{conn, peer}, {peer, conn}} {
		both.Go(func() {
			defer conn.Close()
			defer peer.Close()
			l.copy(pair[0], pair[1])
		})
	}
	both.Wait()
	l.mu.Lock()
	delete(l.conns, conn)
	delete(l.conns, peer)
	l.mu.Unlock()
}

// copy passes data on. While the link is cut, the data waits: neither side sees an error.
func (l *link) copy(from, to net.Conn) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			l.mu.Lock()
			cut, delay := l.cut, l.delay
			l.mu.Unlock()
			<-cut
			time.Sleep(delay)
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err == io.EOF || err != nil {
			return
		}
	}
}

// sever stops all data without either side noticing.
func (l *link) sever() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = make(chan struct{})
}

// join lets data pass again and drops the old connections, together with the data that was waiting
// in them.
func (l *link) join() {
	l.mu.Lock()
	select {
	case <-l.cut:
	default:
		close(l.cut)
	}
	l.mu.Unlock()
	l.drop()
}

// slow delays every piece of data.
func (l *link) slow(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.delay = d
}

func (l *link) drop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for conn := range l.conns {
		conn.Close()
	}
}
