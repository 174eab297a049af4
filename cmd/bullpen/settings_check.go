package main

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
	"github.com/bullpen-office/bullpen/strictyaml"
)

const (
	minPace = 0.01
	maxPace = 1000
)

// check validates the settings before anything is started. It reports all problems together:
// first those of flags and variables, and then those of the configuration file, by line.
func (s *settings) check() error {
	problems := s.problems
	if s.flags.Lookup("addr") != nil { // otherwise the command only needs the data directory
		problems = slices.Concat(problems, s.checkWork(), s.checkLog(), s.checkListener(), s.checkVendors(), s.checkTraces(), s.checkStaff())
	}
	slices.SortStableFunc(problems, func(a, b error) int { return cmp.Compare(lineOf(a), lineOf(b)) })
	if err := errors.Join(problems...); err != nil {
		return &exitError{code: exitUsage, err: err}
	}
	return nil
}

// lineOf returns the line of a problem in the configuration file, or 0 if it has none.
func lineOf(err error) int {
	if p, ok := errors.AsType[*strictyaml.Problem](err); ok {
		return p.Line
	}
	return 0
}

// nameOf returns the name by which a value was set: the flag, its environment variable or its key in
// the configuration file.
func (s *settings) nameOf(flag string) string {
	switch {
	case strings.HasPrefix(s.sources[flag], "file"):
		return fileKey(flag)
	case s.sources[flag] == "environment":
		return environmentName(flag)
	}
	return "--" + flag
}

// wrong returns the error for a flag's value, with the name by which it was set, and its line if the
// configuration file sets it. If err is nil, wrong returns nil.
func (s *settings) wrong(flag string, err error) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf("%s: %w", s.nameOf(flag), err)
	if line, ok := s.lines[fileKey(flag)]; ok && strings.HasPrefix(s.sources[flag], "file") {
		return &strictyaml.Problem{File: s.file, Line: line, Err: err}
	}
	return err
}

func (s *settings) checkWork() []error {
	var pace, hz, review, keep error
	if !within(s.pace, minPace, maxPace) {
		pace = fmt.Errorf("%v is out of range: use a number from %v to %v", s.pace, minPace, maxPace)
	}
	if !within(s.snapshotHz, contracts.SnapshotHzMin, contracts.SnapshotHzMax) {
		hz = fmt.Errorf("%v is out of range: use a number from %v to %v", s.snapshotHz, contracts.SnapshotHzMin, contracts.SnapshotHzMax)
	}
	if !slices.Contains(contracts.ReviewModes, contracts.ReviewMode(s.review)) {
		review = unknownValue(s.review, "auto, always or off")
	}
	if s.keepActivity < 0 {
		keep = fmt.Errorf("must not be negative: %v; use a duration such as 720h, or 0 for no time limit", s.keepActivity)
	}
	return []error{s.wrong("pace", pace), s.wrong("snapshot-hz", hz), s.wrong("review", review), s.wrong("keep-activity", keep)}
}

func unknownValue(value, known string) error {
	return fmt.Errorf("unknown value %q: use %s", value, known)
}

// within reports whether x is between least and most. It returns false for NaN.
func within(x, least, most float64) bool { return x >= least && x <= most }

func (s *settings) checkLog() []error {
	var level, format error
	if _, err := s.level(); err != nil {
		level = unknownValue(s.logLevel, "debug, info, warn or error")
	}
	if s.logFormat != "text" && s.logFormat != "json" {
		format = unknownValue(s.logFormat, "text or json")
	}
	return []error{s.wrong("log-level", level), s.wrong("log-format", format)}
}

func (s *settings) level() (level slog.Level, err error) {
	return level, level.UnmarshalText([]byte(s.logLevel))
}

func (s *settings) checkListener() []error {
	var cert, key error
	switch {
	case s.tlsCert != "" && s.tlsKey == "":
		cert = errors.New("must be used together with --tls-key: set both or neither")
	case s.tlsKey != "" && s.tlsCert == "":
		key = errors.New("must be used together with --tls-cert: set both or neither")
	}
	_, public := s.public()
	_, proxy := s.proxyNetworks()
	// An incomplete or invalid setting is reported above; what it was meant for is assumed here.
	exposure := gate.Exposure{Addr: s.addr, TLS: s.tlsCert != "" || s.tlsKey != "", PublicURL: s.publicURL != "", InsecurePlaintext: s.insecurePlaintext}
	return []error{s.wrong("tls-cert", cert), s.wrong("tls-key", key), s.wrong("public-url", public), s.wrong("trusted-proxy", proxy), s.wrong("addr", exposure.Check())}
}

func (s *settings) public() (*url.URL, error) {
	if s.publicURL == "" {
		return nil, nil
	}
	u, err := url.Parse(s.publicURL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.User != nil {
		return nil, fmt.Errorf("invalid address %q: use one such as https://office.example, without a path", s.publicURL)
	}
	return u, nil
}

func (s *settings) proxyNetworks() ([]netip.Prefix, error) {
	var list []netip.Prefix
	for _, text := range s.proxies {
		if ip, err := netip.ParseAddr(text); err == nil {
			list = append(list, netip.PrefixFrom(ip, ip.BitLen()))
			continue
		}
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("invalid network %q: use an IP address, or a network such as 10.0.0.0/8", text)
		}
		list = append(list, prefix)
	}
	return list, nil
}
