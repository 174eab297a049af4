// Package freeport reserves ports for programs that tests start.
package freeport

import (
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
)

// Ports come from a range from which operating systems do not assign ports, so that no other
// program takes a port before it is opened, or while the program that uses it is stopped.
const (
	lowest  = 10_000
	highest = 29_999
)

var (
	mu       sync.Mutex
	reserved []net.PacketConn
)

// Reserve returns a port on the loopback address that nothing is listening on and that no other
// call returns, in this process or another one, until this process ends.
func Reserve() (int, error) {
	for range 1000 {
		port := lowest + rand.IntN(highest-lowest+1)
		addr := fmt.Sprintf("127.0.0.1:%d", port)
		// The UDP port of the same number marks the port as reserved while the TCP port is unused.
		mark, err := net.ListenPacket("udp", addr)
		if err != nil {
			continue
		}
		ln, err := net.Listen("tcp", addr)
		if err != nil {
			mark.Close()
			continue
		}
		mu.Lock()
		reserved = append(reserved, mark)
		mu.Unlock()
		return port, ln.Close()
	}
	return 0, fmt.Errorf("no port is free between %d and %d", lowest, highest)
}

// Port is like Reserve, but ends the test on an error.
func Port(t testing.TB) int {
	t.Helper()
	port, err := Reserve()
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// Addr is like Port, but returns the address with the port.
func Addr(t testing.TB) string {
	t.Helper()
	return fmt.Sprintf("127.0.0.1:%d", Port(t))
}
