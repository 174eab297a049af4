package main

import (
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/instance"
	"github.com/bullpen-office/bullpen/trust"
)

// newInstance returns the description of this server for server.json.
func newInstance(s *settings, addr net.Addr) (instance.Instance, error) {
	in := instance.Instance{Addr: addr.String(), PID: os.Getpid(), Started: time.Now().UTC().Truncate(time.Second)}
	scheme, host := "http", in.Addr
	if s.tlsCert != "" {
		scheme = "https"
		cert, err := tls.LoadX509KeyPair(s.tlsCert, s.tlsKey)
		if err != nil {
			return in, fmt.Errorf("reload the certificate: %w", err)
		}
		in.Cert = trust.Hash(cert.Certificate[0])
	}
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		host = net.JoinHostPort("127.0.0.1", strconv.Itoa(tcp.Port))
	}
	in.Local = scheme + "://" + host
	in.URL = in.Local
	if s.publicURL != "" {
		in.URL = strings.TrimRight(s.publicURL, "/")
	}
	if s.nats.given() {
		in.Office = s.nats.office
	}
	return in, nil
}
