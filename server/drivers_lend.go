package server

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"

	"github.com/google/uuid"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/staff"
)

// lending gives every conversation with a program a credential of its own, which ends
// with it, and tells the program where the bridge is. It is nil for agents that are not
// started here.
func (s *Server) lending(r staff.Runner) func(spec *drive.Spec) (func(), error) {
	if r.Kind != staff.Claude && (r.Kind != staff.Peer || r.Command == "") {
		return nil
	}
	return func(spec *drive.Spec) (func(), error) { return s.lend(r, spec) }
}

// lend lets a program speak for its agent and for nobody else.
func (s *Server) lend(r staff.Runner, spec *drive.Spec) (revoke func(), err error) {
	s.binding.Lock()
	g, address := s.gate, s.address
	s.binding.Unlock()
	if g == nil {
		return nil, fmt.Errorf("%w: the office has no door yet", drive.ErrAbsent)
	}
	speaker, _, _ := strings.Cut(spec.Key, contracts.SessionSeparator) // as it says hello
	var claims []gate.Claim
	if r.Kind == staff.Peer { // no other program learns its conversation id
		spec.Resume = cmp.Or(spec.Resume, uuid.NewString())
		claims = append(claims, gate.Claim{Session: spec.Key, Program: spec.Resume})
	}
	secret, revoke := g.Lend(intake.AgentID(cmp.Or(speaker, spec.AgentID)), claims...)
	env, _ := Inherited(s.cfg.Staff, r, os.Environ())
	spec.Env = append(env, "SYNTHESIS_WS_URL="+address, "BULLPEN_TOKEN="+secret)
	return revoke, nil
}

// Claimable reports whether a program that the office started may dial in without a token.
func (s *Server) Claimable() bool { return s.gate.Claimable() }

// Claimed returns the principal of a program that the office started, by the session
// that it names.
func (s *Server) Claimed(c gate.Claim) (contracts.Principal, bool) { return s.gate.Claimed(c) }

// bridgeURL is where a program on this machine finds the bridge.
func bridgeURL(addr net.Addr, tls bool) string {
	scheme := "ws"
	if tls {
		scheme = "wss"
	}
	at, err := netip.ParseAddrPort(addr.String())
	if err != nil {
		return scheme + "://" + addr.String() + gate.BridgePath
	}
	ip := at.Addr().Unmap()
	switch {
	case ip.IsUnspecified() && ip.Is6() && !ip.Is4():
		ip = netip.IPv6Loopback()
	case ip.IsUnspecified():
		ip = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	return scheme + "://" + netip.AddrPortFrom(ip, at.Port()).String() + gate.BridgePath
}
