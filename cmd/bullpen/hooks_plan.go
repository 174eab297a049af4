package main

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/bullpen-office/bullpen/agents/claude/install"
	"github.com/bullpen-office/bullpen/connect"
	"github.com/bullpen-office/bullpen/instance"
)

// plan decides what fits this machine.
func (f *hookFlags) plan(ctx context.Context) (install.Plan, error) {
	p := install.Plan{Transport: install.Transport(f.transport), Token: f.token}
	switch p.Transport {
	case install.TransportHTTP, install.TransportCommand:
	case "auto": // what it was called before there was one answer
		p.Transport = install.TransportCommand
	default:
		return p, usageError("unknown --transport %q: use command or http", f.transport)
	}
	program, err := stableExecutable()
	if err != nil {
		return p, err
	}
	var args []string
	if data := f.settings.otherData(); data != "" {
		args = []string{"--data", data}
	}
	if f.address != "" {
		args = append(args, "--url", strings.TrimRight(f.address, "/"))
	}
	p.Command = install.Command(program, args...)
	_, p.Version = connect.FindClaude(ctx, f.claude, homeDir(), versionPatience)
	if p.Transport == install.TransportHTTP && !p.Version.AtLeast(install.HTTPSince) {
		return p, fmt.Errorf("this Claude Code (version %s) has no HTTP hooks, and would ignore its whole settings file: they came with %s; use --transport command, or name its program with --claude", p.Version, install.HTTPSince)
	}
	if p.URL, err = f.officeURL(); err != nil {
		return p, err
	}
	p.Token = p.Token || asksForToken(ctx, p.URL)
	return p, nil
}

// officeURL is where HTTP hooks go; empty when they cannot: Claude Code sends them
// in plain text to this machine only.
func (f *hookFlags) officeURL() (string, error) {
	if f.address != "" {
		u, err := url.Parse(f.address)
		if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return "", usageError("--url %q is not an address like http://%s", f.address, defaultAddr)
		}
		return f.address, nil
	}
	in, err := instance.Read(f.settings.data)
	if err != nil {
		return "http://" + defaultAddr, nil
	}
	if u, err := url.Parse(in.Local); err != nil || in.Cert != "" || !loopbackName(u.Hostname()) {
		return "", nil
	}
	return in.Local, nil
}

// asksForToken asks a running office whether it lets us in without.
func asksForToken(ctx context.Context, base string) bool {
	ctx, cancel := context.WithTimeout(ctx, clientTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/v1/state", nil)
	if err != nil || base == "" {
		return false
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return resp.StatusCode == http.StatusUnauthorized
}

// stableExecutable is this program by the name under which it will still be found
// after an update, where there is one.
func stableExecutable() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program's own path: %w", err)
	}
	known, err := exec.LookPath("bullpen")
	if err != nil {
		return self, nil
	}
	a, errA := os.Stat(self)
	b, errB := os.Stat(known)
	if errA == nil && errB == nil && os.SameFile(a, b) {
		return filepath.Abs(known)
	}
	return self, nil
}

// versionPatience is how long Claude Code may take to say its version: it loads all
// of itself before, and one that is not known to have an event gets no hook for it.
const versionPatience = time.Minute

func loopbackName(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || (err == nil && ip.IsLoopback())
}
