package main

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"
)

// portTries is the number of ports tried after the default port.
const portTries = 20

// listen listens on the configured address. If that is the default address and its port is in use,
// it tries the next ports. It uses any other address exactly as given, because scripts rely on it.
func listen(s *settings) (net.Listener, error) {
	ln, err := net.Listen("tcp", s.addr)
	if errors.Is(err, syscall.EADDRINUSE) && s.addr == defaultAddr {
		ln, err = listenNext(s.addr, err)
	}
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is in use by another program: stop it, or choose another address with --addr (`bullpen status` shows a running office)", s.addr)
	}
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", s.addr, err)
	}
	if s.tlsCert == "" {
		return ln, nil
	}
	cert, err := tls.LoadX509KeyPair(s.tlsCert, s.tlsKey)
	if err != nil {
		ln.Close()
		return nil, usageError("read the certificate %s and key %s: %w", s.tlsCert, s.tlsKey, err)
	}
	// WebSockets need HTTP/1.1.
	return tls.NewListener(ln, &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}), nil
}

func listenNext(addr string, busy error) (net.Listener, error) {
	host, text, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	first, err := strconv.Atoi(text)
	if err != nil {
		return nil, err
	}
	for port := first + 1; port <= first+portTries; port++ {
		ln, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		if err == nil {
			return ln, nil
		}
	}
	return nil, busy
}
