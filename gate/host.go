package gate

import (
	"cmp"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// hostTable is the allowlist of Host values and Origins. Any other name is refused even if it
// resolves to this server, which prevents DNS rebinding.
type hostTable struct {
	hosts   map[string]bool // host:port as in the Host header; true means a loopback name
	origins map[string]bool
}

func newHostTable(cfg Config) hostTable {
	t := hostTable{hosts: map[string]bool{}, origins: map[string]bool{}}
	scheme := "http"
	if cfg.TLS {
		scheme = "https"
	}
	port := portOf(cfg.Addr)
	for _, name := range []string{"localhost", "127.0.0.1", "[::1]"} {
		t.allow(scheme, name, port, true)
	}
	if tcp, ok := cfg.Addr.(*net.TCPAddr); ok && !tcp.IP.IsUnspecified() && !tcp.IP.IsLoopback() {
		t.allow(scheme, bracketed(tcp.IP.String()), port, false)
	}
	for _, h := range cfg.Hosts {
		name, p := splitHost(h)
		p = cmp.Or(p, port)
		t.allow(scheme, name, p, false)
	}
	if u := cfg.PublicURL; u != nil {
		name, p := splitHost(u.Host)
		t.allow(u.Scheme, name, p, false)
	}
	return t
}

// allow adds a host and its origin. The port is optional if it is the default, because browsers
// omit it.
func (t *hostTable) allow(scheme, name, port string, loopback bool) {
	host := strings.ToLower(name)
	if port != "" && port != defaultPort(scheme) {
		host += ":" + port
	}
	t.hosts[host] = loopback
	t.origins[scheme+"://"+host] = true
	if port == defaultPort(scheme) {
		t.hosts[host+":"+port] = loopback
	}
}

// checkHost refuses foreign names. Any name that is not a loopback name marks the peer as remote,
// so that a request through a proxy without forwarding headers does not count as local.
func (t *hostTable) checkHost(r *http.Request, p *peer) *refusal {
	loopback, ok := t.hosts[strings.ToLower(r.Host)]
	if !ok {
		return newRefusal(http.StatusMisdirectedRequest, contracts.CodeNotAllowed,
			"unknown host name in the request; open the address that the office printed, or add the name with --host or --public-url")
	}
	if !loopback {
		p.local = false
	}
	return nil
}

// checkOrigin refuses requests made by a page from another site, because a browser lets any page
// call a server on this machine. Reads without an Origin are accepted: the other page cannot see
// the response. A handshake does not count as a read; a browser always sends an Origin with it.
func (t *hostTable) checkOrigin(r *http.Request) *refusal {
	origins := r.Header["Origin"]
	if len(origins) > 1 || (len(origins) == 1 && !t.origins[strings.ToLower(origins[0])]) {
		return newRefusal(http.StatusForbidden, contracts.CodeNotAllowed,
			"cross-origin request blocked; only Bullpen's own page may call the office from a browser")
	}
	if isRead(r) {
		return nil
	}
	// same-site counts as foreign: every port of localhost is one site.
	for _, site := range r.Header["Sec-Fetch-Site"] {
		if site != "same-origin" && site != "none" {
			return newRefusal(http.StatusForbidden, contracts.CodeNotAllowed,
				"cross-site request blocked; only Bullpen's own page may call the office from a browser")
		}
	}
	return nil
}

// isRead reports whether a request is read-only. A handshake is not, because commands can
// follow it.
func isRead(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && r.Header.Get("Upgrade") == ""
}

func splitHost(hostport string) (name, port string) {
	if h, p, err := net.SplitHostPort(hostport); err == nil {
		return bracketed(h), p
	}
	return bracketed(strings.Trim(hostport, "[]")), ""
}

func bracketed(host string) string {
	if a, err := netip.ParseAddr(host); err == nil && a.Is6() {
		return "[" + host + "]"
	}
	return host
}

func defaultPort(scheme string) string {
	if scheme == "https" {
		return "443"
	}
	return "80"
}
