//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// viewer is one of a swarm's connections.
type viewer struct {
	fd       int
	upgraded bool
	in       bool
	sampled  bool
	bytes    int // bytes received since the handshake or the last call to watch

	head     []byte // start of the handshake response
	messages int
	tail     []byte // start of an incomplete message
	latency  []float64
	newest   int64 // publishing time of the last event
	disorder int   // events that were not newer than the previous event
}

func (sw *swarm) connect(sampled bool) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open a viewer's socket: %w", err)
	}
	// Closing with a reset leaves no port in TIME_WAIT.
	unix.SetsockoptLinger(fd, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1})
	if err := unix.Connect(fd, &sw.to); err != nil {
		return errors.Join(fmt.Errorf("connect a viewer: %w", err), unix.Close(fd))
	}
	v := &viewer{fd: fd, sampled: sampled, upgraded: len(sw.script.upgrade) == 0}
	sw.conns[int32(fd)] = v
	if sampled {
		sw.sampled = append(sw.sampled, v)
	}
	if err := unix.EpollCtl(sw.epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd)}); err != nil {
		return fmt.Errorf("watch a viewer: %w", err)
	}
	if !v.upgraded {
		return v.send(sw.script.upgrade)
	}
	sw.advance(v)
	return nil
}

func (v *viewer) send(b []byte) error {
	if n, err := unix.Write(v.fd, b); err != nil || n < len(b) {
		return fmt.Errorf("write %d bytes for a viewer: only %d written: %v", len(b), n, err)
	}
	return nil
}

// take reads or discards the data that a viewer has received.
func (sw *swarm) take(v *viewer) error {
	if v.upgraded && !v.sampled {
		n, err := discard(v.fd)
		return sw.took(v, n, err)
	}
	n, _, err := unix.Recvfrom(v.fd, sw.buf, unix.MSG_DONTWAIT)
	if !v.upgraded && n > 0 {
		return sw.handshake(v, sw.buf[:n])
	}
	if n > 0 {
		v.look(sw.buf[:n])
	}
	return sw.took(v, n, err)
}

// discard drops the bytes that a socket has received, without copying them.
func discard(fd int) (int, error) {
	n, _, errno := unix.Syscall6(unix.SYS_RECVFROM, uintptr(fd), 0, discardBytes, unix.MSG_TRUNC|unix.MSG_DONTWAIT, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

func (sw *swarm) took(v *viewer, n int, err error) error {
	switch {
	case err == unix.EAGAIN || err == unix.EINTR:
		return nil
	case err != nil:
		return fmt.Errorf("read as a viewer: %w", err)
	case n == 0:
		return errors.New("the server closed a viewer's connection")
	}
	v.bytes += n
	sw.advance(v)
	return nil
}

func (sw *swarm) advance(v *viewer) {
	if !v.in && v.bytes+sw.script.slack >= sw.script.greeted {
		v.in = true
		sw.ready++
	}
}

// handshake reads the response to the upgrade request, then sends the viewer's first messages.
func (sw *swarm) handshake(v *viewer, b []byte) error {
	v.head = append(v.head, b...)
	end := bytes.Index(v.head, []byte("\r\n\r\n"))
	if end < 0 {
		return nil
	}
	if !bytes.HasPrefix(v.head, []byte("HTTP/1.1 101 ")) {
		return fmt.Errorf("the server refused a viewer: %.80q", v.head)
	}
	v.bytes += len(v.head) - end - 4
	v.upgraded, v.head = true, nil
	return v.send(sw.script.enter)
}

// look counts the events in a sampled viewer's data and records their latencies.
func (v *viewer) look(b []byte) {
	now := time.Now().UnixNano()
	v.tail = append(v.tail, b...)
	rest := v.tail
	for {
		sent, after, ok := stampIn(rest)
		if !ok {
			break
		}
		v.messages++
		if sent <= v.newest {
			v.disorder++
		}
		v.newest = sent
		v.latency = append(v.latency, float64(now-sent)/1e6)
		rest = after
	}
	keep := min(len(rest), len(stampMark)+stampDigits)
	v.tail = append(v.tail[:0], rest[len(rest)-keep:]...)
}
