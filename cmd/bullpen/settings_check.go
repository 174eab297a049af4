package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/gate"
)

const (
	minPace = 0.01
	maxPace = 1000
)

// check validates the settings before anything is started. It reports all problems together.
func (s *settings) check() error {
	problems := s.problems
	if s.flags.Lookup("addr") != nil { // otherwise the command only needs the data directory
		problems = append(problems, s.checkWork(), s.checkLog(), s.checkListener(), s.checkVendors(), s.checkTraces(), s.checkStaff())
	}
	if err := errors.Join(problems...); err != nil {
		return &exitError{code: exitUsage, err: err}
	}
	return nil
}

// wrong returns the error for a flag's value, with its line if the configuration file sets it.
func (s *settings) wrong(flag string, err error) error {
	if line, ok := s.lines[fileKey(flag)]; ok && err != nil && strings.HasPrefix(s.sources[flag], "file") {
		return fmt.Errorf("%s line %d: %w", s.file, line, err)
	}
	return err
}

func (s *settings) checkWork() error {
	var pace, hz, review, keep error
	if !within(s.pace, minPace, maxPace) {
		pace = fmt.Errorf("pace %v is out of range: use %v to %v", s.pace, minPace, maxPace)
	}
	if !within(s.snapshotHz, contracts.SnapshotHzMin, contracts.SnapshotHzMax) {
		hz = fmt.Errorf("snapshot-hz %v is out of range: use %v to %v", s.snapshotHz, contracts.SnapshotHzMin, contracts.SnapshotHzMax)
	}
	if !slices.Contains(contracts.ReviewModes, contracts.ReviewMode(s.review)) {
		review = fmt.Errorf("review %q is unknown: use auto, always or off", s.review)
	}
	if s.keepActivity < 0 {
		keep = fmt.Errorf("keep-activity %v is negative: use a duration such as 720h, or 0 for no time limit", s.keepActivity)
	}
	return errors.Join(s.wrong("pace", pace), s.wrong("snapshot-hz", hz), s.wrong("review", review), s.wrong("keep-activity", keep))
}

// within reports whether x is between least and most. It returns false for NaN.
func within(x, least, most float64) bool { return x >= least && x <= most }

func (s *settings) checkLog() error {
	if _, err := s.level(); err != nil {
		return s.wrong("log-level", fmt.Errorf("unknown log-level %q: use debug, info, warn or error", s.logLevel))
	}
	if s.logFormat != "text" && s.logFormat != "json" {
		return s.wrong("log-format", fmt.Errorf("unknown log-format %q: use text or json", s.logFormat))
	}
	return nil
}

func (s *settings) level() (level slog.Level, err error) {
	return level, level.UnmarshalText([]byte(s.logLevel))
}

func (s *settings) checkListener() error {
	if (s.tlsCert == "") != (s.tlsKey == "") {
		return fmt.Errorf("--tls-cert and --tls-key must be used together: set both or neither")
	}
	public, err := s.public()
	if err != nil {
		return s.wrong("public-url", err)
	}
	if _, err := s.proxyNetworks(); err != nil {
		return s.wrong("trusted-proxy", err)
	}
	return s.wrong("addr", gate.Exposure{Addr: s.addr, TLS: s.tlsCert != "", PublicURL: public != nil, InsecurePlaintext: s.insecurePlaintext}.Check())
}

func (s *settings) public() (*url.URL, error) {
	if s.publicURL == "" {
		return nil, nil
	}
	u, err := url.Parse(s.publicURL)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.User != nil {
		return nil, fmt.Errorf("invalid public-url %q: use an address such as https://office.example, without a path", s.publicURL)
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
			return nil, fmt.Errorf("invalid trusted-proxy %q: use an IP address, or a network such as 10.0.0.0/8", text)
		}
		list = append(list, prefix)
	}
	return list, nil
}
