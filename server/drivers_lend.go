package server

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync"

	"github.com/google/uuid"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/drive"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/intake"
	"github.com/bullpen-office/bullpen/staff"
)

// lending gives every session of a program a credential of its own, which ends with
// it, and tells the program where the bridge is.
func (s *Server) lending(r staff.Runner, driver func(env []string) drive.Driver) drive.Driver {
	return &lender{s, r, driver}
}

type lender struct {
	s      *Server
	runner staff.Runner
	driver func(env []string) drive.Driver
}

// Takes is what the program takes.
func (l *lender) Takes() drive.Takes { return drive.TakesOf(l.driver(nil)) }

// Open opens a session whose program can speak for its agent and for nobody else.
func (l *lender) Open(ctx context.Context, spec drive.Spec) (drive.Session, error) {
	l.s.binding.Lock()
	g, address := l.s.gate, l.s.address
	l.s.binding.Unlock()
	if g == nil {
		return nil, fmt.Errorf("%w: the office has no door yet", drive.ErrAbsent)
	}
	speaker, _, _ := strings.Cut(spec.Key, contracts.SessionSeparator) // as it says hello
	var claims []gate.Claim
	if l.runner.Kind == staff.Peer { // no other program learns its conversation id
		spec.Resume = cmp.Or(spec.Resume, uuid.NewString())
		claims = append(claims, gate.Claim{Session: spec.Key, Program: spec.Resume})
	}
	secret, revoke := g.Lend(intake.AgentID(cmp.Or(speaker, spec.AgentID)), claims...)
	env, _ := Inherited(l.s.cfg.Staff, l.runner, os.Environ())
	env = append(env, "SYNTHESIS_WS_URL="+address, "BULLPEN_TOKEN="+secret)
	session, err := l.driver(env).Open(ctx, spec)
	if err != nil {
		revoke()
		return nil, err
	}
	return &returned{Session: session, after: revoke}, nil
}

// Claimable reports whether a program that the office started may dial in without a token.
func (s *Server) Claimable() bool { return s.gate.Claimable() }

// Claimed returns the principal of a program that the office started, by the session
// that it names.
func (s *Server) Claimed(c gate.Claim) (contracts.Principal, bool) { return s.gate.Claimed(c) }

// returned is a session after which something is given back, once.
type returned struct {
	drive.Session
	after func()
	once  sync.Once
}

func (r *returned) Close() error {
	defer r.once.Do(r.after)
	return r.Session.Close()
}

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
