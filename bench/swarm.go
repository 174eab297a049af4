//go:build linux

package main

import (
	"errors"
	"fmt"
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// swarm runs many viewers in one thread. Only a few viewers, the samples, read their data; the
// kernel discards the data of the others, so the swarm uses little CPU time.
type swarm struct {
	script  script
	to      unix.SockaddrInet4
	epoll   int
	conns   map[int32]*viewer
	sampled []*viewer
	ready   int
	buf     []byte
	read    time.Time // when the last bytes arrived

	heartbeat heartbeat
}

// script defines what a viewer sends when it connects and how many bytes it then expects.
type script struct {
	upgrade []byte // the handshake; empty means none
	enter   []byte // sent after the handshake
	greeted int    // number of bytes that a viewer receives after the handshake when it joins
	slack   int    // a viewer may receive up to this many fewer bytes than greeted says
}

const (
	sampleEvery  = 50       // one viewer out of this many is sampled
	openAtOnce   = 256      // concurrent handshakes; fewer than any listen backlog
	discardBytes = 16 << 20 // maximum size of one discarding read
	waitMS       = 20
	stallTime    = 30 * time.Second
)

var errStalled = errors.New("nothing arrived for 30 s")

func newSwarm(addr string, s script) (*swarm, error) {
	tcp, err := net.ResolveTCPAddr("tcp4", addr)
	if err != nil {
		return nil, err
	}
	sw := &swarm{script: s, conns: map[int32]*viewer{}, buf: make([]byte, 256<<10)}
	sw.to = unix.SockaddrInet4{Port: tcp.Port, Addr: [4]byte(tcp.IP.To4())}
	if sw.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return nil, fmt.Errorf("create an epoll instance: %w", err)
	}
	return sw, nil
}

// open connects n viewers, at most atOnce of them concurrently, and returns once all have joined.
func (sw *swarm) open(n, atOnce int) error {
	opened := 0
	return sw.run(func() (bool, error) {
		for opened < n && opened-sw.ready < atOnce {
			if err := sw.connect(opened%sampleEvery == 0); err != nil {
				return false, err
			}
			opened++
		}
		return sw.ready == n, nil
	})
}

// probe connects one viewer and returns how many bytes it receives before the server goes quiet.
// All viewers with the same script are expected to receive that many bytes.
func probe(addr string, s script) (int, error) {
	s.greeted = 1
	sw, err := newSwarm(addr, s)
	if err != nil {
		return 0, err
	}
	defer sw.close()
	if err := sw.open(1, 1); err != nil {
		return 0, err
	}
	err = sw.run(func() (bool, error) { return time.Since(sw.read) > 200*time.Millisecond, nil })
	return sw.sampled[0].bytes, err
}

// goal is the data that every viewer must receive.
type goal struct{ bytes, messages int }

// watch reads data while act makes the server send, and returns once every viewer has reached the
// goal that act returns.
func (sw *swarm) watch(act func() (goal, error)) error {
	type outcome struct {
		goal
		err error
	}
	for _, v := range sw.conns {
		v.bytes, v.messages = 0, 0
	}
	acted := make(chan outcome, 1)
	go func() {
		g, err := act()
		acted <- outcome{g, err}
	}()
	var o *outcome
	return sw.run(func() (bool, error) {
		select {
		case got := <-acted:
			o = &got
		default:
		}
		if o == nil {
			return false, nil
		}
		return o.err == nil && sw.reached(o.goal), o.err
	})
}

func (sw *swarm) reached(g goal) bool {
	for _, v := range sw.conns {
		if !v.has(g) {
			return false
		}
	}
	return true
}

func (v *viewer) has(g goal) bool {
	return v.bytes >= g.bytes && (!v.sampled || v.messages >= g.messages)
}

// run reads until done returns true or an error.
func (sw *swarm) run(done func() (bool, error)) error {
	events := make([]unix.EpollEvent, 1024)
	sw.read = time.Now()
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		if err := sw.beat(time.Now()); err != nil {
			return err
		}
		n, err := unix.EpollWait(sw.epoll, events, waitMS)
		if err != nil && err != unix.EINTR {
			return fmt.Errorf("wait for viewers: %w", err)
		}
		for _, e := range events[:max(n, 0)] {
			if err := sw.take(sw.conns[e.Fd]); err != nil {
				return err
			}
		}
		if n > 0 {
			sw.read = time.Now()
		} else if time.Since(sw.read) > stallTime {
			return errStalled
		}
	}
}

func (sw *swarm) close() {
	for _, v := range sw.conns {
		unix.Close(v.fd)
	}
	unix.Close(sw.epoll)
}

// latencies returns the sampled latencies in milliseconds and resets them.
func (sw *swarm) latencies() []float64 {
	var all []float64
	for _, v := range sw.sampled {
		all = append(all, v.latency...)
		v.latency = nil
	}
	return all
}
