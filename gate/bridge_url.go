package gate

import (
	"net"
	"net/netip"
)

// BridgeURL returns the bridge's URL for programs on this machine; addr is the address that the
// server listens on.
func BridgeURL(addr net.Addr, tls bool) string {
	scheme := "ws"
	if tls {
		scheme = "wss"
	}
	at, err := netip.ParseAddrPort(addr.String())
	if err != nil {
		return scheme + "://" + addr.String() + BridgePath
	}
	ip := at.Addr().Unmap()
	switch {
	case ip.IsUnspecified() && ip.Is6() && !ip.Is4():
		ip = netip.IPv6Loopback()
	case ip.IsUnspecified():
		ip = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	return scheme + "://" + netip.AddrPortFrom(ip, at.Port()).String() + BridgePath
}
