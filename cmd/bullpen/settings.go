package main

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/bullpen-office/bullpen/contracts"
	"github.com/bullpen-office/bullpen/staff"
	"github.com/bullpen-office/bullpen/strictyaml"
)

const (
	defaultAddr = "127.0.0.1:4777"
	configName  = "bullpen.yaml"
)

// settings holds the operator's settings. The flag set is the only list of settings: a flag's name
// determines its environment variable and its key in the file, and its usage text is the comment in
// the example file.
type settings struct {
	flags   *pflag.FlagSet
	sources map[string]string // where each flag's value comes from: flag, environment, file or default

	addr, data, tokenFile, config string
	cacert                        string
	crew, model, review, scene    string
	acceptHosts                   []string
	pace, snapshotHz              float64
	ephemeral, noOpen, studios    bool
	unchecked                     bool

	requireToken, insecurePlaintext bool
	publicURL, tlsCert, tlsKey      string
	hosts, proxies                  []string

	nats                natsSettings
	traces              traceSettings
	keepThinking        bool
	noReplay            bool
	keepActivity        time.Duration
	logLevel, logFormat string

	staff    staff.Staff
	file     string         // the configuration file that was read
	lines    map[string]int // line numbers in the file, by the path of the key
	nested   []setEntry     // settings in the file that have no flag
	problems []error        // problems in the file
}

func newSettings() *settings { return &settings{sources: map[string]string{}} }

// onlyFlags lists flags that the configuration file cannot set.
var onlyFlags = []string{"config", "help"}

func (s *settings) register(f *pflag.FlagSet) {
	s.flags = f
	f.StringVar(&s.addr, "addr", defaultAddr, "address to listen on; if the default port is in use, the next free one is used")
	s.registerDirectory(f)
	f.StringVar(&s.crew, "crew", "rehearsal", "default runner for the crew: rehearsal, openai, claude, codex, a runner from the file, or none for no crew (to inspect a ledger)")
	f.StringVar(&s.model, "model", "", "model for runners that do not set one; with --crew openai the endpoint and key come from OPENAI_BASE_URL and OPENAI_API_KEY")
	f.StringVar(&s.review, "review", string(contracts.ReviewAuto), "when another agent reviews a delivered patch: auto (if an agent of another vendor or model is available), always (if any other agent is available) or off")
	f.StringSliceVar(&s.acceptHosts, "accept-host", nil, "additional host that URL acceptance checks may contact; by default they may contact only this machine")
	f.Float64Var(&s.pace, "pace", 1, "speed factor for walking and for the rehearsal crew, 0.01 to 1000")
	f.StringVar(&s.scene, "scene", "", "scene file to use instead of the built-in office")
	f.BoolVar(&s.studios, "studios", true, "open a studio for each folder or repository that guests work in; false keeps everyone in the house")
	f.BoolVar(&s.unchecked, "unchecked-sessions", true, "add an inbox entry when a session ends without a passing check of its last code edit")
	f.Float64Var(&s.snapshotHz, "snapshot-hz", contracts.SnapshotHzDefault, "snapshots per second, 2 to 5")
	f.BoolVar(&s.ephemeral, "ephemeral", false, "keep the ledger in memory; it is lost on exit")
	s.nats.register(f)
	f.BoolVar(&s.noOpen, "no-open", false, "do not open the browser")
	f.BoolVar(&s.requireToken, "require-token", false, "require a token on loopback too, for shared machines")
	f.StringSliceVar(&s.hosts, "host", nil, "additional host name that browsers may use")
	f.StringVar(&s.publicURL, "public-url", "", "public address behind a proxy, for example https://office.example")
	f.StringSliceVar(&s.proxies, "trusted-proxy", nil, "address or network of a proxy whose forwarding headers are trusted")
	f.StringVar(&s.tlsCert, "tls-cert", "", "certificate file for TLS; requires --tls-key")
	f.StringVar(&s.tlsKey, "tls-key", "", "private key file for the certificate")
	f.BoolVar(&s.insecurePlaintext, "insecure-plaintext", false, "accept connections from other machines without TLS")
	registerVendors(f)
	s.traces.register(f)
	f.BoolVar(&s.noReplay, "no-replay", false, "send reconnecting viewers a snapshot instead of the records they missed")
	f.BoolVar(&s.keepThinking, "keep-thinking", false, "store agents' thinking text, not only the fact that they are thinking")
	f.DurationVar(&s.keepActivity, "keep-activity", 30*24*time.Hour, "how long to keep the activity feed; 0 means no time limit")
	f.StringVar(&s.logLevel, "log-level", "info", "log level: debug, info, warn or error")
	f.StringVar(&s.logFormat, "log-format", "text", "log format: text or json")
}

// registerData adds the flags for finding an office and trusting its certificate.
func (s *settings) registerData(f *pflag.FlagSet) {
	s.registerDirectory(f)
	f.StringVar(&s.cacert, "cacert", "", "PEM file with the CA certificate that signed the office's TLS certificate")
}

// registerDirectory adds the flags for the data directory, the owner token and the configuration
// file.
func (s *settings) registerDirectory(f *pflag.FlagSet) {
	s.flags = f
	f.StringVar(&s.data, "data", "", "data directory (default ~/.bullpen)")
	f.StringVar(&s.tokenFile, "token-file", "", "file with the owner token (default <data>/token)")
	f.StringVar(&s.config, "config", "", "configuration file (default <data>/"+configName+" if it exists)")
}

// load fills in the settings that were not given as flags, from the environment, the configuration
// file or the defaults, in that order. Then it validates all settings.
func (s *settings) load() error {
	if err := s.loadEnvironment(); err != nil {
		return err
	}
	if err := s.defaultData(); err != nil {
		return err
	}
	s.loadFile()
	s.flags.VisitAll(func(f *pflag.Flag) {
		if s.sources[f.Name] == "" {
			s.sources[f.Name] = "default"
		}
	})
	s.tokenFile = cmp.Or(s.tokenFile, filepath.Join(s.data, "token"))
	return s.check()
}

func (s *settings) loadEnvironment() error {
	var problem error
	s.flags.VisitAll(func(f *pflag.Flag) {
		if f.Changed {
			s.sources[f.Name] = "flag"
			return
		}
		value, ok := os.LookupEnv(environmentName(f.Name))
		if !ok || f.Name == "help" || f.Annotations[typedOnly] != nil || problem != nil {
			return
		}
		if err := f.Value.Set(value); err != nil {
			problem = usageError("%w", invalidValue(environmentName(f.Name), f, value, err))
		}
		s.sources[f.Name] = "environment"
	})
	return problem
}

func (s *settings) defaultData() error {
	if s.data == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return usageError("no home directory for the data: use --data DIR or set BULLPEN_DATA_DIR")
		}
		s.data = filepath.Join(home, ".bullpen")
	}
	return nil
}

// loadFile reads the file given with --config, or the file in the data directory. It never reads
// the working directory: a checked-out repository must not configure the office. Problems are
// collected and reported together.
func (s *settings) loadFile() {
	path := s.config
	if path == "" {
		path = filepath.Join(s.data, configName)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return
		}
	}
	read := readConfigFile(path)
	s.file, s.lines, s.nested, s.problems, s.staff = path, read.Lines, read.nested(), read.Problems, read.staff
	for _, v := range read.values {
		f := s.flags.Lookup(v.flag)
		if f == nil || s.sources[v.flag] != "" {
			continue // not a flag of this command, or set by a flag or the environment
		}
		if err := f.Value.Set(v.value); err != nil {
			s.problems = append(s.problems, &strictyaml.Problem{File: path, Line: v.line, Err: invalidValue(v.key, f, v.value, err)})
			resetValue(f) // so that checks report only this problem
		}
		s.sources[v.flag] = "file " + path
	}
}

// resetValue sets a flag to its default.
func resetValue(f *pflag.Flag) {
	if list, ok := f.Value.(pflag.SliceValue); ok { // Set does not accept the text of a list's default
		_ = list.Replace(nil)
		return
	}
	_ = f.Value.Set(f.DefValue)
}

func environmentName(flag string) string {
	if flag == "data" {
		return "BULLPEN_DATA_DIR"
	}
	return cmp.Or(vendorVariable(flag), "BULLPEN_"+strings.ToUpper(strings.ReplaceAll(flag, "-", "_")))
}

func fileKey(flag string) string { return strings.ReplaceAll(flag, "-", "_") }

// inFile lists the flags that the configuration file may set, in the order in which register adds
// them.
func inFile() []*pflag.Flag {
	f := pflag.NewFlagSet("all", pflag.ContinueOnError)
	f.SortFlags = false
	newSettings().register(f)
	var list []*pflag.Flag
	f.VisitAll(func(flag *pflag.Flag) {
		if !slices.Contains(onlyFlags, flag.Name) {
			list = append(list, flag)
		}
	})
	return list
}
