package gate

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
)

// Exposure describes how a server can be reached from other machines.
type Exposure struct {
	Addr              string // host:port to listen on
	TLS               bool
	PublicURL         bool // a proxy in front terminates TLS
	InsecurePlaintext bool // set explicitly by the operator
}

// ErrExposed means that tokens sent to the address would not be encrypted.
var ErrExposed = errors.New("refusing to listen on a network address without encryption")

// Check refuses an address that other machines can reach if tokens would be sent without encryption
// and the operator has not accepted this.
func (e Exposure) Check() error {
	host, _, err := net.SplitHostPort(e.Addr)
	if err != nil {
		return fmt.Errorf("invalid address %q: use host:port, for example 127.0.0.1:4777", e.Addr)
	}
	if hostIsLoopback(host) || e.TLS || e.PublicURL || e.InsecurePlaintext {
		return nil
	}
	return fmt.Errorf("%w: %s can be reached by other machines; set --tls-cert and --tls-key, or --public-url https://… if a proxy terminates TLS, or --insecure-plaintext to accept that tokens can be read in transit", ErrExposed, e.Addr)
}

// hostIsLoopback reports whether host is localhost or a loopback address. It does not resolve
// names, because a name may resolve to a different address later.
func hostIsLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
