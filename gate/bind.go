package gate

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
)

// Exposure is how a server is reachable beyond this machine.
type Exposure struct {
	Addr              string // host:port to listen on
	TLS               bool
	PublicURL         bool // a proxy in front speaks TLS
	InsecurePlaintext bool // typed out by somebody who knows
}

// ErrExposed says that an address would carry credentials in the clear.
var ErrExposed = errors.New("refusing to listen beyond this machine without encryption")

// Check refuses an address that others can reach unless the credentials that are
// then needed travel encrypted, or somebody typed out that they need not.
func (e Exposure) Check() error {
	host, _, err := net.SplitHostPort(e.Addr)
	if err != nil {
		return fmt.Errorf("the address %q is not host:port (for example 127.0.0.1:4777): %w", e.Addr, err)
	}
	if hostIsLoopback(host) || e.TLS || e.PublicURL || e.InsecurePlaintext {
		return nil
	}
	return fmt.Errorf("%w: %s can be reached by other machines. Give --tls-cert and --tls-key, or --public-url https://… when a proxy speaks TLS, or --insecure-plaintext if you accept that tokens can be read on the way", ErrExposed, e.Addr)
}

// hostIsLoopback decides by the text alone: a name that merely resolves to
// loopback today may resolve to something else tomorrow.
func hostIsLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
