//go:build linux

package main

import (
	"fmt"
	"net"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// rawServer is the baseline for what the machine can do: it uses only sockets and write(2), without
// a protocol. When a viewer connects, it receives a one-byte greeting, followed by the history if
// there is one, in a single write.
type rawServer struct {
	listener net.Listener
	history  []byte

	mu      sync.Mutex
	viewers []rawViewer
}

type rawViewer struct {
	conn net.Conn // keeps fd open
	fd   int
}

func newRawServer(s setup) (contestant, error) {
	r := &rawServer{history: []byte{0}}
	for i := range s.History {
		frame, err := rawFrame(i)
		if err != nil {
			return nil, err
		}
		r.history = append(r.history, frame...)
	}
	var err error
	if r.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	go r.accept()
	return r, nil
}

func (r *rawServer) Addr() (addr, epoch string) { return r.listener.Addr().String(), "" }

func (r *rawServer) accept() {
	for {
		conn, err := r.listener.Accept()
		if err != nil {
			return
		}
		sc, err := conn.(*net.TCPConn).SyscallConn()
		if err != nil {
			return
		}
		r.mu.Lock()
		sc.Control(func(fd uintptr) { r.viewers = append(r.viewers, rawViewer{conn, int(fd)}) })
		r.mu.Unlock()
		go conn.Write(r.history)
	}
}

// Publish sends every event to every viewer, with one write per event and viewer and one goroutine
// per processor.
func (r *rawServer) Publish(count int, every time.Duration) (bytes int, err error) {
	r.mu.Lock()
	viewers := r.viewers
	r.mu.Unlock()
	shards := runtime.GOMAXPROCS(0)
	failed := make(chan error, shards)
	lanes := make([]chan []byte, shards)
	var wg sync.WaitGroup
	for i := range lanes {
		lanes[i] = make(chan []byte, count)
		mine := viewers[i*len(viewers)/shards : (i+1)*len(viewers)/shards]
		wg.Go(func() {
			for frame := range lanes[i] {
				if err := writeAll(mine, frame); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	var mu sync.Mutex
	err = publish(count, every, func(i int) error {
		frame, err := rawFrame(i)
		mu.Lock()
		defer mu.Unlock()
		bytes += len(frame)
		for _, lane := range lanes {
			lane <- frame
		}
		return err
	})
	for _, lane := range lanes {
		close(lane)
	}
	wg.Wait()
	close(failed)
	if err == nil {
		err = <-failed
	}
	return bytes, err
}

func rawFrame(i int) ([]byte, error) {
	rec, err := eventAt(i, time.Now())
	if err != nil {
		return nil, err
	}
	rec.Seq = 1001 + uint64(i)
	return frameOf(&rec)
}

func writeAll(viewers []rawViewer, frame []byte) error {
	for _, v := range viewers {
		for rest := frame; len(rest) > 0; {
			n, err := unix.Write(v.fd, rest)
			switch err {
			case nil:
				rest = rest[n:]
			case unix.EINTR:
			case unix.EAGAIN: // the viewer's buffer is full
				unix.Poll([]unix.PollFd{{Fd: int32(v.fd), Events: unix.POLLOUT}}, -1)
			case unix.EPIPE, unix.ECONNRESET: // the viewer has disconnected
				rest = nil
			default:
				return fmt.Errorf("write to a viewer: %w", err)
			}
		}
	}
	return nil
}

func (r *rawServer) Close() error { return r.listener.Close() }
