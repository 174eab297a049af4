package gate

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// peer is the origin of a request.
type peer struct {
	addr  string // address for the log
	key   string // key for the limiters: the address, or the /64 prefix of an IPv6 address
	local bool   // the request comes from this machine, and not through a proxy
}

func (g *Gate) peerOf(r *http.Request) peer {
	ip, ok := addrOf(r.RemoteAddr)
	if !ok { // a test's in-memory listener has no address: the peer is this process
		return peer{addr: r.RemoteAddr, key: r.RemoteAddr, local: addrIsLoopback(g.cfg.Addr)}
	}
	p := peer{local: ip.IsLoopback()}
	if forwarded(r.Header) {
		p.local = false
		if g.isProxy(ip) {
			ip = g.clientBehind(r, ip)
		}
	}
	p.addr, p.key = ip.String(), limiterKey(ip)
	return p
}

// forwarded reports whether a request has a proxy's headers, real or forged.
func forwarded(h http.Header) bool {
	for name := range h {
		if name == "Forwarded" || name == "X-Real-Ip" || strings.HasPrefix(name, "X-Forwarded-") {
			return true
		}
	}
	return false
}

func (g *Gate) isProxy(ip netip.Addr) bool {
	return slices.ContainsFunc(g.cfg.Proxies, func(prefix netip.Prefix) bool { return prefix.Contains(ip) })
}

// clientBehind returns the rightmost address in X-Forwarded-For that is not a configured proxy or,
// if there is none, the leftmost proxy. Addresses further left were sent by the client and cannot
// be trusted.
func (g *Gate) clientBehind(r *http.Request, proxy netip.Addr) netip.Addr {
	hops := strings.Split(strings.Join(r.Header["X-Forwarded-For"], ","), ",")
	client := proxy
	for i := len(hops) - 1; i >= 0; i-- {
		ip, ok := addrOf(strings.TrimSpace(hops[i]))
		if !ok {
			break
		}
		client = ip
		if !g.isProxy(ip) {
			break
		}
	}
	return client
}

func limiterKey(ip netip.Addr) string {
	if ip.Is6() {
		if p, err := ip.Prefix(64); err == nil {
			return p.String()
		}
	}
	return ip.String()
}

func addrOf(s string) (netip.Addr, bool) {
	if ap, err := netip.ParseAddrPort(s); err == nil {
		return ap.Addr().Unmap(), true
	}
	a, err := netip.ParseAddr(s)
	return a.Unmap(), err == nil
}

// addrIsLoopback reports whether only this machine can reach the address. In-memory listeners count
// as loopback.
func addrIsLoopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return !ok || tcp.IP.IsLoopback()
}

func portOf(a net.Addr) string {
	if a == nil {
		return ""
	}
	_, port, err := net.SplitHostPort(a.String())
	if err != nil {
		return ""
	}
	return port
}
