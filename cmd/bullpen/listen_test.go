package main

import (
	"net"
	"testing"
)

// If the default port is in use, the next free one is used.
func TestBusyDefaultPortIsSkipped(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	first := busy.Addr().(*net.TCPAddr).Port
	ln, err := listenNext(busy.Addr().String(), nil)
	if err != nil || ln == nil {
		t.Fatalf("no port after %d: %v", first, err)
	}
	defer ln.Close()
	if port := ln.Addr().(*net.TCPAddr).Port; port <= first || port > first+portTries {
		t.Errorf("took %d after %d", port, first)
	}
}
